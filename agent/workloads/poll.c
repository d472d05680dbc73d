// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * poll: each task polls 128 times its own eventfd, none ready, without waiting.
 *
 * Measures copying the request in and out, and per entry the descriptor
 * look-up and the file's poll method. Does not measure sleeping in poll, nor
 * epoll. 128 entries name one file, so that 288 tasks need few descriptors:
 * its line stays in the cache, many different files would miss. One operation
 * is one poll(2).
 */
#include "scale.h"

#include <poll.h>
#include <sys/eventfd.h>

#define ENTRIES 128

static int prepare(struct scale_task *t, struct err *e)
{
	t->fd[0] = eventfd(0, EFD_CLOEXEC);
	return t->fd[0] < 0 ? err_sys(e, "eventfd") : 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	struct pollfd p[ENTRIES];

	for (int i = 0; i < ENTRIES; i++)
		p[i] = (struct pollfd){ .fd = t->fd[0], .events = POLLIN };
	while (!scale_stop(t)) {
		if (poll(p, ENTRIES, 0))
			return err_sys(e, "poll");
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload poll_workload = {
	.name = "poll",
	.what = "poll(2) of 128 entries, none ready",
	.calls = 1,
	.prepare = prepare,
	.loop = loop,
};
