// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * socketpair: each task makes and closes a pair of UNIX stream sockets.
 *
 * Measures allocation and release of sockets, their inodes and files (sockfs
 * counts inodes per CPU, the number of sockets in one shared count), and two
 * places in the descriptor table. Does not measure binding, naming or data.
 * One operation is one socketpair(2) with its two close(2).
 */
#include "scale.h"

#include <sys/socket.h>
#include <unistd.h>

static int loop(struct scale_task *t, struct err *e)
{
	while (!scale_stop(t)) {
		int fd[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
			return err_sys(e, "socketpair");
		if (close(fd[0]) || close(fd[1]))
			return err_sys(e, "close");
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload socketpair_workload = {
	.name = "socketpair",
	.what = "socketpair(2) and close(2) of both ends",
	.calls = 3,
	.loop = loop,
};
