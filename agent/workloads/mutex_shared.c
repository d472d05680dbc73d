// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * mutex_shared: all tasks take and drop one pthread mutex.
 *
 * Measures a contended lock of user space: the line that holds it moving
 * between CPUs, futex(2) waiting and waking, the scheduler. The order in which
 * tasks get it is not fair, so look at the least and the most of the tasks
 * too. Does not measure kernel locks. One operation is one lock with its
 * unlock; with one task there is no system call in it.
 */
#include "scale.h"

#include <pthread.h>

static int setup(char *area, struct err *e)
{
	return scale_mutex((pthread_mutex_t *)area, e);
}

static int loop(struct scale_task *t, struct err *e)
{
	pthread_mutex_t *m = (pthread_mutex_t *)t->area;

	(void)e; /* a normal mutex cannot fail: pthread_mutex_lock(3) */
	while (!scale_stop(t)) {
		pthread_mutex_lock(m);
		pthread_mutex_unlock(m);
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload mutex_shared_workload = {
	.name = "mutex_shared",
	.what = "pthread mutex of all tasks, locked and unlocked",
	.setup = setup,
	.loop = loop,
};
