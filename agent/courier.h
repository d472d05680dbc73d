/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_COURIER_H
#define IRONRIG_COURIER_H

#include "err.h"
#include "proto.h"
#include "sha256.h"

#include <stdint.h>

/*
 * The courier: a child process that holds the one authenticated connection to
 * the controller, so that neither a slow network nor a fault in the SSH or
 * crypto library stalls or kills the caller. It is started again when it dies;
 * the connection is made by the first call, kept, and made again with growing
 * pauses when it is lost. What it notices meanwhile goes to stderr, once a
 * reason.
 *
 * deadline_ms is how long from now a call may take. Errors:
 *   ERR_CONFLICT  the controller's host key is not the pinned one, nothing
 *                 was sent. Final, unless it was the pinned one before: then
 *                 somebody is in between, and it is tried until the deadline
 *   ERR_PEER      the controller refused what was asked: final
 *   ERR_TIMEOUT   deadline; the message ends with the last reason. Not being
 *                 reached, an unknown box key (it may be enrolled yet) and the
 *                 controller's own trouble (limit, system, timeout) are tried
 *                 again until then
 *   ERR_FORMAT    grow_fd ended without 'E', a get's bytes are not what the
 *                 answer announced
 *   ERR_INPUT, ERR_SYS, ERR_LIMIT  this side: a file, a process, memory
 */
struct courier; /* opaque, heap */

struct courier_conf {
	const char *controller; /* "HOST:PORT" */
	const char *user;
	const char *key_file;
	const char *known_hosts_file;
	const char *boot_id;
	/*
	 * /dev/kmsg, open for reading, -1: none. From the first call that
	 * reached the controller on, what the kernel prints is sent by `log`
	 * when there is nothing else to do. The caller keeps the descriptor.
	 */
	int kmsg_fd;
};

/* Copies conf. */
int courier_start(struct courier **c, const struct courier_conf *conf,
		  struct err *e) MUST_CHECK;
/*
 * One verb without input. What follows the answer line of a `get` goes to
 * out_fd (its size and SHA-256 are checked; a regular file is emptied before
 * another try); -1: no data is expected. More than most bytes of it are
 * ERR_LIMIT, before they are written.
 */
int courier_call(struct courier *c, const char *words, int out_fd,
		 uint64_t most, int64_t deadline_ms,
		 struct proto_words *answer, struct err *e) MUST_CHECK;
/*
 * Brings file_fd home as NAME: have, put from where it stopped, until `ok`.
 * grow_fd: pack_start()'s, -1 when the file is complete. sha256 is what the
 * controller has stored, equal to the file's.
 */
int courier_put(struct courier *c, const char *name, int file_fd, int grow_fd,
		int64_t deadline_ms, char sha256[SHA256_HEX],
		struct err *e) MUST_CHECK;
/* Ends the child; NULL is harmless. */
void courier_stop(struct courier *c);

#endif
