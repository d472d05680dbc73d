/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_COURIER_JOB_H
#define IRONRIG_COURIER_JOB_H

#include "courier_msg.h"
#include "hasher.h"
#include "klog.h"
#include "verb.h"

#include <sys/types.h>

/* Inside the courier's child. Nobody else includes this. */
struct courier_child {
	const struct courier_conf *conf;
	int sock;
	struct ship *ship;
	bool been_there; /* the controller was reached once */
	int64_t pause_ns, next_try_ns;
	char noted[256]; /* the last thing said, "" when all is well */
	bool noise_said;
	struct klog klog;
	size_t log_at, log_end; /* what the running `log` sends of it */
};

struct courier_job {
	struct courier_child *c;
	const struct courier_request *rq;
	int fd; /* the caller's file */
	/* call: a get's bytes, their hash, and the words before them */
	uint64_t got;
	struct sha256 *sha;
	const struct verb_reply *reply;
	bool own_fault; /* the sink failed: no use in trying again */
	/* put */
	off_t at;
	struct hasher *hasher;
	bool whole, spoilt;
};

/*
 * One verb, connecting first. 0: answered. 1: it failed for a reason that may
 * pass, the pause is over, and the caller may go on from where it sees fit.
 * -1: final, or no time left.
 */
int courier_verb(struct courier_job *j, struct verb *v, struct verb_reply *r,
		 struct err *e) MUST_CHECK;
/* A whole COURIER_PUT. */
int courier_bring(struct courier_job *j, struct courier_reply *rp,
		  struct err *e) MUST_CHECK;

#endif
