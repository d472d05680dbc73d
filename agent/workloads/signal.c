// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * signal: each task sends itself SIGUSR1 and handles it.
 *
 * Measures tgkill(2), the lock of the signal handlers (one for all threads of
 * a process), delivery with saving of the FPU state, and rt_sigreturn(2). Does
 * not measure signals between CPUs or process-wide ones. One operation is one
 * signal handled.
 */
#include "scale.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static void handler(int sig)
{
	(void)sig;
}

static int prepare(struct scale_task *t, struct err *e)
{
	struct sigaction sa = { .sa_handler = handler };

	t->num = syscall(SYS_gettid);
	return sigaction(SIGUSR1, &sa, NULL) ? err_sys(e, "sigaction") : 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	pid_t pid = getpid();

	while (!scale_stop(t)) {
		if (syscall(SYS_tgkill, pid, t->num, SIGUSR1))
			return err_sys(e, "tgkill");
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload signal_workload = {
	.name = "signal",
	.what = "tgkill(2) to oneself, handler, rt_sigreturn(2)",
	.calls = 2,
	.prepare = prepare,
	.loop = loop,
};
