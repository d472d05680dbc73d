/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_RUN_H
#define IRONRIG_RUN_H

#include "box.h"
#include "crash.h"

/*
 * One lease from `run` to the controller's `ok`. Its state stands in a file in
 * memory, so that a session that was killed is followed by one that ships
 * what is complete and reports what is not.
 */
struct lease {
	char id[33];
	char job[65], experiment[65];
	int block, position, attempt;
};

/* The answer "run LEASE JOB KERNEL ATTEMPT EXPERIMENT BLOCK POSITION". */
int run_parse(const struct proto_words *w, struct lease *l,
	      char kernel[PROTO_LINE], struct err *e) MUST_CHECK;

/*
 * Runs and ships. 0: the lease is over (its result is home, or the controller
 * knows that there is none), *l may be reported as done. -1: the result could
 * not be shipped before the deadline; it is still in memory.
 */
int run_lease(struct box *b, const struct proto_words *w, struct crash *crash,
	      struct lease *l, struct err *e) MUST_CHECK;
/*
 * What an earlier session of this boot left. 1: *id is now over, 0: nothing,
 * -1: as above.
 */
int run_resume(struct box *b, char id[33], struct err *e) MUST_CHECK;

#endif
