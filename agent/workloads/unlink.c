// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * unlink: each task creates and removes a file of its own name, all in one
 * folder.
 *
 * Measures the folder's lock, which all tasks want, allocation and release of
 * dentry and inode, and the file system's own work (tmpfs: little; a disk file
 * system: its journal). Does not measure file data or separate folders. One
 * operation is one openat(2) O_CREAT, its close(2) and the unlinkat(2).
 */
#include "scale.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int loop(struct scale_task *t, struct err *e)
{
	char name[32];

	snprintf(name, sizeof(name), "unlink.%u", t->number);
	while (!scale_stop(t)) {
		int fd = openat(t->dirfd, name, O_RDWR | O_CREAT | O_EXCL,
				0600);

		if (fd < 0)
			return err_sys(e, "openat");
		if (close(fd))
			return err_sys(e, "close");
		if (unlinkat(t->dirfd, name, 0))
			return err_sys(e, "unlinkat");
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload unlink_workload = {
	.name = "unlink",
	.what = "creation and unlinkat(2) of a file, one folder for all",
	.calls = 3,
	.loop = loop,
};
