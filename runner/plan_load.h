/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PLAN_LOAD_H
#define IRONRIG_PLAN_LOAD_H

#include "home.h"
#include "plan.h"

/*
 * What a plan for one box is made of, read from the home: the experiments
 * that name it (oldest first), their jobs and kernels, the logs of their other
 * boxes, and which results there are. An experiment or job file that does not
 * load leaves that experiment out and a line in .problems.
 */
struct plan_load {
	struct plan_in in; /* .log and .boot_id are the caller's */
	struct strlist done, bad;
	struct strlist problems;
	struct strlist *bundles; /* of each experiment's jobs, in in.v's order */
	struct plan_experiment *v;
	struct conf_experiment *x;
	size_t n;
};

/* home_kernel: what experiments run that name no kernel; NULL: "-". */
int plan_load(const struct home *home, const char *box,
	      const char *home_kernel, struct plan_load *p, struct err *e)
	MUST_CHECK;
void plan_load_free(struct plan_load *p);

#define PLAN_DECIDED ".decided" /* conf/experiments/NAME.decided: it is */

#endif
