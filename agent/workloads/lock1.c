// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * lock1: each task takes and drops a POSIX record lock on a file of its own.
 *
 * Measures system call entry, the descriptor look-up and the record lock path
 * of fs/locks.c: allocating the lock, the inode's list of locks and its
 * spinlock, the per-CPU list behind /proc/locks. Does not measure contended or
 * blocking locks, deadlock detection, flock(2), leases, or any file data. One
 * operation is one fcntl(2) call, as in will-it-scale, so that figures compare.
 */
#include "scale.h"

#include <fcntl.h>
#include <unistd.h>

static int prepare(struct scale_task *t, struct err *e)
{
	t->fd[0] = scale_file(t, "lock", 0, e);
	return t->fd[0] < 0 ? -1 : 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };
	struct flock unlock = { .l_type = F_UNLCK, .l_len = 1 };

	while (!scale_stop(t)) {
		if (fcntl(t->fd[0], F_SETLKW, &lock))
			return err_sys(e, "fcntl F_WRLCK");
		if (fcntl(t->fd[0], F_SETLKW, &unlock))
			return err_sys(e, "fcntl F_UNLCK");
		scale_count(t, 2);
	}
	return 0;
}

const struct scale_workload lock1_workload = {
	.name = "lock1",
	.what = "fcntl(2) lock or unlock of the task's own file",
	.calls = 1,
	.prepare = prepare,
	.loop = loop,
};
