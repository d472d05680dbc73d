// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The monitors as the run sees them: starts the sampler, tells it where windows
 * begin and end, ends it. A sampler that dies costs its samples, not the run.
 */
#include "monitor.h"
#include "io.h"
#include "sampler.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A sample takes milliseconds; beyond this the sampler is given up. */
#define ANSWER_MS 10000

struct monitor {
	pid_t pid;
	int ctl; /* -1: dead */
	int64_t begin_cpu_ns;
};

static _Noreturn void child(struct sampler *s, int ctl)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "ironrig-sampler");
	setsid(); /* the terminal's ^C is not for us */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	sampler_serve(s, ctl);
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].lost)
			_exit(1);
	_exit(0);
}

int monitor_start(const struct monitor_request *rq, struct monitor **out,
		  struct buf *notes, struct err *e)
{
	struct monitor *m = calloc(1, sizeof(*m));
	struct sampler s;
	int ctl[2], rc = 0;

	*out = NULL;
	if (!m)
		return err_set(e, ERR_LIMIT, "out of memory");
	m->ctl = -1;
	if (sampler_open(rq, &s, notes, e)) {
		rc = err_prefix(e, "monitors");
		goto out;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ctl) < 0) {
		rc = err_sys(e, "socketpair");
		goto out;
	}
	m->pid = fork();
	if (!m->pid) {
		close(ctl[0]);
		child(&s, ctl[1]);
	}
	close(ctl[1]);
	m->ctl = ctl[0];
	if (m->pid < 0) {
		rc = err_sys(e, "fork");
		io_close(&m->ctl);
	}
out:
	sampler_close(&s);
	if (rc)
		free(m);
	else
		*out = m;
	return rc;
}

pid_t monitor_pid(const struct monitor *m)
{
	return m->pid;
}

/* A word to the sampler and its answer: CPU ns. Gives it up when it is mute. */
static int64_t ask(struct monitor *m, char word)
{
	struct pollfd p = { .fd = m->ctl, .events = POLLIN };
	int64_t cpu_ns;
	int n;

	if (m->ctl < 0)
		return -1;
	if (send(m->ctl, &word, 1, MSG_NOSIGNAL) == 1) {
		do
			n = poll(&p, 1, ANSWER_MS);
		while (n < 0 && errno == EINTR);
		if (n == 1 && recv(m->ctl, &cpu_ns, sizeof(cpu_ns), 0) ==
				      (ssize_t)sizeof(cpu_ns))
			return cpu_ns;
	}
	io_close(&m->ctl);
	kill(m->pid, SIGKILL);
	return -1;
}

void monitor_window_begin(struct monitor *m)
{
	m->begin_cpu_ns = ask(m, 'b');
}

int64_t monitor_window_end(struct monitor *m)
{
	int64_t end = ask(m, 'e');

	if (end < 0 || m->begin_cpu_ns < 0)
		return -1;
	return (end - m->begin_cpu_ns) / 1000;
}

void monitor_stop(struct monitor *m, struct buf *notes)
{
	int status;

	if (!m)
		return;
	io_close(&m->ctl); /* which ends it */
	while (waitpid(m->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		buf_printf(notes,
			   "the sampler died of signal %d: samples are "
			   "missing\n",
			   WTERMSIG(status));
	else if (WEXITSTATUS(status))
		buf_puts(notes, "the results' memory ran full: samples are "
				"missing\n");
	free(m);
}
