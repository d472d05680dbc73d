// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * write: each task overwrites its own file in pieces of 4 KiB.
 *
 * Measures write(2) into pages that are in the cache: the inode's lock, the
 * file system's write_begin and write_end, the copy, dirty accounting. Does
 * not measure allocation or write-back; on a disk file system the kernel's
 * flusher may run beside it, on tmpfs it does not. One operation is one
 * write(2); one call in 65 is the lseek(2) back to the start.
 */
#include "scale.h"

#include <unistd.h>

#define PIECE  4096
#define PIECES 64 /* 256 KiB a task: 288 of them fit a tmpfs */

static int prepare(struct scale_task *t, struct err *e)
{
	t->fd[0] = scale_file(t, "write", PIECE * PIECES, e);
	return t->fd[0] < 0 ? -1 : 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	char piece[PIECE] = { 0 };

	while (!scale_stop(t)) {
		if (lseek(t->fd[0], 0, SEEK_SET))
			return err_sys(e, "lseek");
		for (int i = 0; i < PIECES; i++) {
			if (write(t->fd[0], piece, PIECE) != PIECE)
				return err_sys(e, "write");
			scale_count(t, 1);
		}
	}
	return 0;
}

const struct scale_workload write_workload = {
	.name = "write",
	.what = "write(2) of 4 KiB over the task's own cached file",
	.calls = 1,
	.prepare = prepare,
	.loop = loop,
};
