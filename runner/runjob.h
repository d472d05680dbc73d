/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_RUNJOB_H
#define IRONRIG_RUNJOB_H

#include "home.h"
#include "lease.h"

/*
 * conf/jobs/JOB.cfg as a run of the box's log l has it: with the iterations
 * that its experiment wants in its block, and a run_limit to match. All runs
 * of a block have the same, whenever the experiment changed. changed (may be
 * NULL): it differs from the file. conf_job_free(j).
 */
int runjob_load(const struct home *h, const struct lease_log *l,
		const struct lease_event *run, struct conf_job *j,
		bool *changed, struct err *e) MUST_CHECK;
/* n iterations instead of its own, and as much time as they may take. */
void runjob_iterations(struct conf_job *j, int n);

#endif
