// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * dup: each task duplicates its own descriptor and closes the copy.
 *
 * Measures the descriptor table: finding a free place, its lock (one for all
 * threads of a process), the file's reference count. Does not measure opening
 * or releasing files. One operation is one dup(2) with its close(2).
 */
#include "scale.h"

#include <sys/eventfd.h>
#include <unistd.h>

static int prepare(struct scale_task *t, struct err *e)
{
	t->fd[0] = eventfd(0, EFD_CLOEXEC);
	return t->fd[0] < 0 ? err_sys(e, "eventfd") : 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	while (!scale_stop(t)) {
		int fd = dup(t->fd[0]);

		if (fd < 0)
			return err_sys(e, "dup");
		if (close(fd))
			return err_sys(e, "close");
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload dup_workload = {
	.name = "dup",
	.what = "dup(2) and close(2) of the task's own descriptor",
	.calls = 2,
	.prepare = prepare,
	.loop = loop,
};
