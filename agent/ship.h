/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SHIP_H
#define IRONRIG_SHIP_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * One SSH connection to the controller, and commands over it. ed25519 on both
 * sides, the host key pinned by a known_hosts file, one key file, nothing
 * else: no password, no agent, no second method. May block up to the
 * deadlines (CLOCK_MONOTONIC, ns), so it lives in the courier's process.
 */
struct ship; /* opaque, heap */

struct ship_conf {
	const char *controller; /* "HOST:PORT" */
	const char *user;
	const char *key_file;
	const char *known_hosts_file;
};

/*
 * Connects and authenticates. Kinds of failure:
 *   ERR_CONFLICT  the host key is not in known_hosts; only the key exchange
 *                 has been spoken
 *   ERR_PEER      the key was not accepted
 *   ERR_INPUT     a file or the controller's name is wrong on this side
 *   others        not reached, or lost meanwhile
 */
int ship_open(const struct ship_conf *c, int64_t deadline_ns,
	      struct ship **out, struct err *e) MUST_CHECK;
void ship_close(struct ship *s); /* NULL is harmless */
/* For poll while idle: readable means lost, or a message that can wait. */
int ship_fd(const struct ship *s);

/* What counts from now on: a deadline, and two minutes without progress. */
void ship_deadline(struct ship *s, int64_t deadline_ns);
/*
 * Until the connection is ready for what it was blocked on, or extra_fd (-1:
 * none) is readable. ERR_TIMEOUT. Waiting for extra_fd is nobody's stall.
 */
int ship_wait(struct ship *s, int extra_fd, struct err *e) MUST_CHECK;

/*
 * A command on the other side. All but opening and hanging up return at once.
 * Any failure leaves a connection that is good for ship_close() alone; its
 * channels must have been freed.
 */
struct ship_channel;
enum ship_stream { SHIP_STDOUT, SHIP_STDERR };

struct ship_channel *ship_exec(struct ship *s, const char *words,
			       struct err *e);
/* Count, 0: nothing now, -1. */
ssize_t ship_read(struct ship_channel *c, enum ship_stream from, void *p,
		  size_t n, struct err *e) MUST_CHECK;
/*
 * Count, 0: it would block, -1. *held: half a packet is on its way, so the
 * next call on this connection must be this one, with the same pointer.
 */
ssize_t ship_write(struct ship_channel *c, const void *p, size_t n, bool *held,
		   struct err *e) MUST_CHECK;
/* 1: said, 0: it would block, -1. */
int ship_write_end(struct ship_channel *c, struct err *e) MUST_CHECK;
/* The other side has said all and all of it was read. */
bool ship_ended(struct ship_channel *c);
int ship_hang_up(struct ship_channel *c, int *exit_status, struct err *e)
	MUST_CHECK;
void ship_channel_free(struct ship_channel *c);

#endif
