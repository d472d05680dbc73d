/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PLANSLOT_H
#define IRONRIG_PLANSLOT_H

#include "plan.h"

/* What became of a run. */
enum plan_run {
	RUN_OPEN,     /* the last one, and nothing is known of its end */
	RUN_GOOD,     /* its result is here, OK and stable */
	RUN_UNSTABLE, /* here and OK, but the box was not quiet */
	RUN_FAILED,   /* here, and tells of a failure of the job */
	RUN_LOST,     /* left no result of its own */
};
enum plan_run plan_run_state(const struct plan_in *in,
			     const struct lease_event *run);

struct plan_slot {
	const struct plan_experiment *from;
	struct lease_event ev; /* experiment, block, position, kernel, job,
				  attempt */
	bool must_ask; /* runs only in a boot that was asked for */
};

/* The first run that x still wants of this box; false: none. */
bool plan_slot(const struct plan_in *in, const struct plan_experiment *x,
	       struct plan_slot *out);

#endif
