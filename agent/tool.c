// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Runs a small program to its end, or starts a lasting one. Knows nothing of
 * what they do.
 */
#include "tool.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void child(const char *const *argv, int in, int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(in < 0 ? null : in, 0);
	dup2(out < 0 ? null : out, 1);
	dup2(out < 0 ? null : out, 2);
	/* execv takes no const, for history's sake, and writes nothing */
	execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

int tool_start(const char *const *argv, pid_t *pid, struct err *e)
{
	*pid = fork();
	if (*pid < 0)
		return err_sys(e, "fork");
	if (!*pid)
		child(argv, -1, -1);
	return 0;
}

/* 0: end of its output; -1: the deadline came first. */
static int drain(int fd, int64_t until_ns, struct buf *out)
{
	for (;;) {
		int64_t left = (until_ns - io_monotonic_ns()) / 1000000;
		struct pollfd p = { .fd = fd, .events = POLLIN };
		char text[4096];
		ssize_t n;

		if (left <= 0 || !poll(&p, 1, (int)left))
			return -1;
		n = read(fd, text, sizeof(text));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		if (out->len + (size_t)n <= TOOL_OUT_MAX)
			buf_add(out, text, (size_t)n);
	}
}

static const char *last_line(struct buf *out)
{
	char *nl;

	while (out->len && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
	nl = out->len ? strrchr(out->data, '\n') : NULL;
	return nl ? nl + 1 : buf_str(out);
}

static int wait_for(pid_t pid, int64_t until_ns, int *status)
{
	for (;;) {
		pid_t got = waitpid(pid, status, WNOHANG);

		if (got == pid || (got < 0 && errno != EINTR))
			return got == pid ? 0 : -1;
		if (io_monotonic_ns() >= until_ns)
			return -1;
		usleep(1000);
	}
}

int tool_run(const char *const *argv, int in, int timeout_ms, struct buf *out,
	     struct err *e)
{
	const char *name = argv[1] ? argv[1] : argv[0];
	int64_t until = io_monotonic_ns() + timeout_ms * 1000000LL;
	int fd[2], status = 0, late;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	pid = fork();
	if (!pid)
		child(argv, in, fd[1]);
	close(fd[1]);
	if (pid < 0) {
		err_sys(e, "fork");
		close(fd[0]);
		return -1;
	}
	late = drain(fd[0], until, out) || wait_for(pid, until, &status);
	close(fd[0]);
	if (late) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return err_set(e, ERR_TIMEOUT, "%s: not done after %d ms", name,
			       timeout_ms);
	}
	if (WIFSIGNALED(status))
		return err_set(e, ERR_UNSUPPORTED, "%s: killed by signal %d",
			       name, WTERMSIG(status));
	if (WEXITSTATUS(status))
		return err_set(e, ERR_UNSUPPORTED, "%s: exit %d: %.160s", name,
			       WEXITSTATUS(status), last_line(out));
	return 0;
}
