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
struct plan_load_one {
	struct conf_experiment x;
	char **word; /* nword owned "NAME:ID", NULL: not registered */
	size_t nword;
	const char **kernel; /* the others are views of them */
	struct plan_builds *builds;
	size_t nkernel;
	struct plan_job *job;
	struct lease_log *others;
	size_t nothers;
	bool decided;
	struct strlist bundles; /* of its jobs */
};

struct plan_load {
	struct plan_in in; /* .log and .boot_id are the caller's */
	struct strlist done, bad;
	struct strlist problems;
	struct plan_load_one *one; /* n, in the order of in.v */
	struct plan_experiment *v;
	size_t n;
};

/* home_kernel: what experiments run that name no kernel; NULL: "-". */
int plan_load(const struct home *home, const char *box,
	      const char *home_kernel, struct plan_load *p, struct err *e)
	MUST_CHECK;
void plan_load_free(struct plan_load *p);

#define PLAN_LOAD_DECIDED ".decided" /* conf/experiments/NAME.decided: it is */

#endif
