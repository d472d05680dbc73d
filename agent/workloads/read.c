// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * read: each task reads its own file in pieces of 4 KiB, over and over.
 *
 * Measures read(2) from the page cache: look-up of the folio, the copy, the
 * file position and its lock (taken because threads share the table). Does not
 * measure read-ahead or a disk. One operation is one read(2); one call in 65
 * is the lseek(2) back to the start.
 */
#include "scale.h"

#include <unistd.h>

#define PIECE  4096
#define PIECES 64 /* 256 KiB a task: 288 of them fit a tmpfs */

static int prepare(struct scale_task *t, struct err *e)
{
	t->fd[0] = scale_file(t, "read", PIECE * PIECES, e);
	return t->fd[0] < 0 ? -1 : 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	char piece[PIECE];

	while (!scale_stop(t)) {
		if (lseek(t->fd[0], 0, SEEK_SET))
			return err_sys(e, "lseek");
		for (int i = 0; i < PIECES; i++) {
			if (read(t->fd[0], piece, PIECE) != PIECE)
				return err_sys(e, "read");
			scale_count(t, 1);
		}
	}
	return 0;
}

const struct scale_workload read_workload = {
	.name = "read",
	.what = "read(2) of 4 KiB of the task's own cached file",
	.calls = 1,
	.prepare = prepare,
	.loop = loop,
};
