// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * sched_yield: each task gives its CPU away.
 *
 * Measures the run queue's lock and the scheduler's choice. With no more tasks
 * than CPUs there is nobody to give it to and the same task goes on; with more
 * it becomes a context switch. Does not measure sleeping or waking. One
 * operation is one call.
 */
#include "scale.h"

#include <sched.h>

static int loop(struct scale_task *t, struct err *e)
{
	while (!scale_stop(t)) {
		if (sched_yield())
			return err_sys(e, "sched_yield");
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload sched_yield_workload = {
	.name = "sched_yield",
	.what = "sched_yield(2)",
	.calls = 1,
	.loop = loop,
};
