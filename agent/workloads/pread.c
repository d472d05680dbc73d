// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * pread: each task reads the first 4 KiB of its own file.
 *
 * Measures the page cache's read path without file position and its lock:
 * beside read, the difference is theirs. Does not measure read-ahead or a
 * disk. One operation is one pread64(2).
 */
#include "scale.h"

#include <unistd.h>

#define PIECE 4096

static int prepare(struct scale_task *t, struct err *e)
{
	t->fd[0] = scale_file(t, "pread", PIECE, e);
	return t->fd[0] < 0 ? -1 : 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	char piece[PIECE];

	while (!scale_stop(t)) {
		if (pread(t->fd[0], piece, PIECE, 0) != PIECE)
			return err_sys(e, "pread");
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload pread_workload = {
	.name = "pread",
	.what = "pread(2) of 4 KiB of the task's own cached file",
	.calls = 1,
	.prepare = prepare,
	.loop = loop,
};
