// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * open_close_same: all tasks open and close one and the same file.
 *
 * Measures path look-up to one dentry and inode (their reference counts are
 * what tasks pull at), allocation of struct file, the descriptor table (shared
 * by threads). Does not measure long paths, creation, or a disk. One operation
 * is one openat(2) with its close(2).
 */
#include "scale.h"

#include <fcntl.h>
#include <unistd.h>

static int prepare(struct scale_task *t, struct err *e)
{
	t->fd[0] = openat(t->dirfd, "same", O_RDWR | O_CREAT | O_CLOEXEC,
			  0600);
	return t->fd[0] < 0 ? err_sys(e, "same") : 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	while (!scale_stop(t)) {
		int fd = openat(t->dirfd, "same", O_RDWR);

		if (fd < 0)
			return err_sys(e, "openat");
		if (close(fd))
			return err_sys(e, "close");
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload open_close_same_workload = {
	.name = "open_close_same",
	.what = "openat(2) and close(2) of one file for all tasks",
	.calls = 2,
	.prepare = prepare,
	.loop = loop,
};
