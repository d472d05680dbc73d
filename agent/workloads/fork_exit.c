// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * fork_exit: each task forks a child that exits at once, and reaps it.
 *
 * Measures copying and tearing down a small address space and descriptor
 * table, process ids, the scheduler's wake-up and placement of new tasks. The
 * kernel is asked directly: libc's fork would add its own locks in thread
 * mode. Does not measure exec or copying of large address spaces (in thread
 * mode the address space grows with the number of tasks: their stacks). One
 * operation is one child.
 */
#include "scale.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int loop(struct scale_task *t, struct err *e)
{
	while (!scale_stop(t)) {
		pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		int st = 0;

		if (!pid)
			syscall(SYS_exit_group, 0);
		if (pid < 0)
			return err_sys(e, "clone");
		while (waitpid(pid, &st, 0) < 0)
			if (errno != EINTR)
				return err_sys(e, "waitpid");
		if (st)
			return err_set(e, ERR_SYS, "child: status %d", st);
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload fork_exit_workload = {
	.name = "fork_exit",
	.what = "clone(2) of a child that exits, and its wait4(2)",
	.calls = 2,
	.loop = loop,
};
