// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * getppid: the cheapest system call that does some work.
 *
 * Measures system call entry and exit, mitigations included, and one RCU read.
 * Does not measure anything shared: it should scale linearly, so what it loses
 * with many tasks is frequency, SMT or the hypervisor. One operation is one
 * call.
 */
#include "scale.h"

#include <sys/syscall.h>
#include <unistd.h>

static int loop(struct scale_task *t, struct err *e)
{
	(void)e; /* cannot fail: getppid(2) */
	while (!scale_stop(t)) {
		syscall(SYS_getppid);
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload getppid_workload = {
	.name = "getppid",
	.what = "getppid(2)",
	.calls = 1,
	.loop = loop,
};
