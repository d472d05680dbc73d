// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * futex: each task wakes a futex of its own on which nobody waits.
 *
 * Measures futex(2)'s way to its hash bucket and the bucket's lock or count of
 * waiters: tasks meet only when their words hash alike. Does not measure
 * waiting, requeueing or priority inheritance. One operation is one call.
 */
#include "scale.h"

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static int loop(struct scale_task *t, struct err *e)
{
	uint32_t word = 0;

	while (!scale_stop(t)) {
		if (syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL,
			    NULL, 0))
			return err_sys(e, "futex");
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload futex_workload = {
	.name = "futex",
	.what = "futex(2) FUTEX_WAKE of a word nobody waits on",
	.calls = 1,
	.loop = loop,
};
