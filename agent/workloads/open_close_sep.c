// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * open_close_sep: each task opens and closes a file of its own.
 *
 * Measures what open_close_same does without the shared dentry and inode: the
 * difference of the two is their cost. The folder is still one for all. Does
 * not measure creation or a disk. One operation is one openat(2) with its
 * close(2).
 */
#include "scale.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int prepare(struct scale_task *t, struct err *e)
{
	t->fd[0] = scale_file(t, "open", 0, e);
	return t->fd[0] < 0 ? -1 : 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	char name[32];

	snprintf(name, sizeof(name), "open.%u", t->number);
	while (!scale_stop(t)) {
		int fd = openat(t->dirfd, name, O_RDWR);

		if (fd < 0)
			return err_sys(e, "openat");
		if (close(fd))
			return err_sys(e, "close");
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload open_close_sep_workload = {
	.name = "open_close_sep",
	.what = "openat(2) and close(2) of the task's own file",
	.calls = 2,
	.prepare = prepare,
	.loop = loop,
};
