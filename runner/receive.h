/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_RECEIVE_H
#define IRONRIG_RECEIVE_H

#include "conf.h"
#include "home.h"
#include "lease.h"
#include "proto.h"

#include <stdint.h>

/*
 * The controller's side of the run protocol (proto.h): one process a verb,
 * started by sshd for the box whose key asked. Everything a box can write to
 * lies in its own three folders, opened once and used by descriptor:
 *
 *   incoming/BOX/   .NAME.part while it comes, NAME when it is whole;
 *		     .lock of the one that puts
 *   store/BOX/      leases, state, logs/BOOT_ID.log, and what collect stored
 *   quarantine/BOX/ NAME or NAME.N, each with its .reason
 */
struct receive {
	const struct home *home;
	struct conf_host host; /* host.box is the box that asks */
	int incoming, store, quarantine;
	int patience_s; /* without progress on stdin */
	int put_lock;	/* -1 unless held */
};

/*
 * Runs the verb in w, reading data from stdin, and leaves the answer's words
 * in answer. "get" writes its own answer and data to stdout and leaves
 * nothing; failing in the middle of them it closes stdout. On failure *e is
 * what the box is told.
 */
int receive_run(const struct home *home, const char *box,
		const struct proto_words *w, int patience_s,
		struct buf *answer, struct err *e) MUST_CHECK;

/* ---- the verbs, one a file ----------------------------------------------- */

int receive_next(struct receive *r, const char *boot_id, const char *done,
		 struct buf *answer, struct err *e) MUST_CHECK;
int receive_get(struct receive *r, const char *name, struct err *e)
	MUST_CHECK;
int receive_have(struct receive *r, const char *file, struct buf *answer,
		 struct err *e) MUST_CHECK;
/*
 * offset must be the size of the part, as `have` told, or 0 to start over;
 * anything else is ERR_CONFLICT. A stream that ends early leaves its part
 * (ERR_PEER); one that is whole and wrong goes to quarantine.
 */
int receive_put(struct receive *r, const char *file, uint64_t offset,
		struct buf *answer, struct err *e) MUST_CHECK;
int receive_log(struct receive *r, const char *boot_id, struct err *e)
	MUST_CHECK;

/* ---- what they share ----------------------------------------------------- */

/* The lease in "BOX.LEASE.tar.lz4" of this box; ERR_INPUT otherwise. */
int receive_file(const struct receive *r, const char *file,
		 char lease[LEASE_LEN + 1], struct err *e) MUST_CHECK;
/*
 * The one that puts, of this box: ends an older holder (SIGTERM, SIGKILL
 * after 3 s) and waits for its end. ERR_TIMEOUT when it does not go.
 */
int receive_take_lock(int dirfd, const char *name, int *fd, struct err *e)
	MUST_CHECK;
/* "TIME PHASE LEASE TEXT" in store/BOX/state; errors are of no consequence. */
void receive_note(const struct receive *r, const char *phase,
		  const char *lease, const char *text);
/* Moves from (in incoming/BOX) to quarantine/BOX/as[.N], with its reason. */
int receive_quarantine(const struct receive *r, const char *from,
		       const char *as, const char *reason, struct err *e)
	MUST_CHECK;
/* Size and SHA-256 of that finished result: 1 there, 0 not. */
int receive_done(const struct receive *r, const char *file, uint64_t *size,
		 char sha256[SHA256_HEX], struct err *e) MUST_CHECK;
/*
 * The box's lease log with its lock; an end of a lease, appended. how is an
 * outcome's name or "gone".
 */
int receive_end(struct lease_log *l, const char *lease, const char *how,
		bool stable, struct err *e) MUST_CHECK;
/* The box could not kexec as it was told: its experiment starts over. */
int receive_start_over(const struct receive *r, struct err *e) MUST_CHECK;
/* What a box that never came back would have put: result.cfg and job.cfg. */
int receive_lost(const struct receive *r, const struct lease_event *run,
		 const char *reason, struct err *e) MUST_CHECK;

#endif
