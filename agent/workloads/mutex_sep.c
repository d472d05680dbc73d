// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * mutex_sep: each task takes and drops a pthread mutex of its own.
 *
 * Measures two locked instructions on a line that no other CPU wants: the
 * ceiling for mutex_shared, and a check of the machine, for no system call is
 * in it and it should scale linearly. Does not measure the kernel, nor
 * libc's short way for a process with one thread (will-it-scale's
 * pthread_mutex2 takes that one in process mode). One operation is one lock
 * with its unlock.
 */
#include "scale.h"

#include <pthread.h>

static int loop(struct scale_task *t, struct err *e)
{
	_Alignas(SCALE_LINE) pthread_mutex_t m;

	if (scale_mutex(&m, e))
		return -1;
	/* a normal mutex cannot fail: pthread_mutex_lock(3) */
	while (!scale_stop(t)) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload mutex_sep_workload = {
	.name = "mutex_sep",
	.what = "pthread mutex of the task's own, locked and unlocked",
	.loop = loop,
};
