// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * brk: each task grows the heap by a page and shrinks it again, untouched.
 *
 * Measures the address space's lock and brk's own short way through it. In
 * thread mode all tasks move the one break of the process between the same two
 * places, so a call may find its work done already: it measures the lock
 * there, and only process mode the work. Does not measure faults. One
 * operation is one brk(2).
 */
#include "scale.h"

#include <sys/syscall.h>
#include <unistd.h>

static long brk_to(long to)
{
	return syscall(SYS_brk, to);
}

/* All threads find the same place: nobody moves it before the barrier. */
static int prepare(struct scale_task *t, struct err *e)
{
	(void)e;
	t->num = brk_to(0);
	return 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	while (!scale_stop(t)) {
		if (brk_to(t->num + 4096) != t->num + 4096)
			return err_set(e, ERR_SYS, "brk: heap did not grow");
		if (brk_to(t->num) != t->num)
			return err_set(e, ERR_SYS, "brk: heap did not shrink");
		scale_count(t, 2);
	}
	return 0;
}

const struct scale_workload brk_workload = {
	.name = "brk",
	.what = "brk(2) by one page, up or down",
	.calls = 1,
	.prepare = prepare,
	.loop = loop,
};
