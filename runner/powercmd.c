// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Running a box's power commands, and the record of it. When to use them is
 * the user's or tend.c's decision.
 */
#include "powercmd.h"
#include "io.h"
#include "num.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	OUTPUT_MAX = 4096, /* of what it prints, for a message */
	OUTPUT_SHOWN = 120,
	OFF_PAUSE_S = 5, /* between off and on: capacitors */
	LINES_SHOWN = 20,
	LOG_MAX = 1 << 22,
};

const char *powercmd_name(enum powercmd c)
{
	static const char *const name[] = {
		[POWER_CYCLE] = "cycle",
		[POWER_OFF] = "off",
		[POWER_ON] = "on",
	};

	return name[c];
}

static const char *text_of(const struct conf_host *h, enum powercmd c)
{
	return c == POWER_CYCLE ? h->power.cycle :
	       c == POWER_OFF	? h->power.off :
				  h->power.on;
}

bool powercmd_can(const struct conf_host *h, enum powercmd c)
{
	return text_of(h, c) ||
	       (c == POWER_CYCLE && h->power.off && h->power.on);
}

/* ---- one command ------------------------------------------------------------- */

/* In a session of its own, so that what it left behind can be killed too. */
static void child(const char *command, const char *box, int out)
	__attribute__((noreturn));

static void child(const char *command, const char *box, int out)
{
	int null = open("/dev/null", O_RDONLY);

	setsid();
	signal(SIGPIPE, SIG_DFL);
	if (null >= 0 && dup2(null, 0) == 0 && dup2(out, 1) == 1 &&
	    dup2(out, 2) == 2 && !setenv("IRONRIG_BOX", box, 1))
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Until end of output or the deadline; what is beyond the buffer is dropped. */
static bool drain(int fd, struct buf *out, int64_t until_ns)
{
	char piece[512];

	for (;;) {
		int64_t left = (until_ns - io_monotonic_ns()) / 1000000;
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t n;

		if (left <= 0)
			return false;
		if (poll(&p, 1, (int)left) <= 0)
			continue;
		n = read(fd, piece, sizeof(piece));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return true;
		if (out->len < OUTPUT_MAX)
			buf_add(out, piece, (size_t)n);
	}
}

/* A command may close its output and go on: the deadline is for that, too. */
static bool reap(pid_t pid, int *status, int64_t until_ns)
{
	while (waitpid(pid, status, WNOHANG) != pid) {
		if (io_monotonic_ns() >= until_ns)
			return false;
		usleep(20000);
	}
	return true;
}

/* The last line that it printed, for the message. */
static void last_words(struct buf *out, char *text, size_t size)
{
	const char *line;

	while (out->len && strchr("\n\r \t", out->data[out->len - 1]))
		out->data[--out->len] = '\0';
	line = out->len ? strrchr(out->data, '\n') : NULL;
	snprintf(text, size, "%s%.*s", out->len ? ": " : "", OUTPUT_SHOWN,
		 line ? line + 1 : buf_str(out));
}

static int run(const char *command, const char *box, struct err *e)
{
	int64_t until = io_monotonic_ns() + POWERCMD_LIMIT_S * 1000000000LL;
	char words[OUTPUT_SHOWN + 8];
	struct buf out = { 0 };
	int p[2], status = 0;
	bool ended;
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	pid = fork();
	if (!pid)
		child(command, box, p[1]);
	close(p[1]);
	if (pid < 0) {
		close(p[0]);
		return err_sys(e, "fork");
	}
	ended = drain(p[0], &out, until) && reap(pid, &status, until);
	if (!ended) {
		kill(-pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	close(p[0]);
	last_words(&out, words, sizeof(words));
	buf_free(&out);
	if (!ended)
		return err_set(e, ERR_TIMEOUT, "not done in %d s%s",
			       POWERCMD_LIMIT_S, words);
	if (WIFSIGNALED(status))
		return err_set(e, ERR_PEER, "killed by signal %d%s",
			       WTERMSIG(status), words);
	if (WEXITSTATUS(status))
		return err_set(e, ERR_PEER, "exit status %d%s",
			       WEXITSTATUS(status), words);
	return 0;
}

/* ---- the record ----------------------------------------------------------------- */

static int record(const struct home *home, const char *box, enum powercmd c,
		  bool ok, const char *why, struct err *e)
{
	struct buf line = { 0 };
	char path[128];
	int fd, rc;

	snprintf(path, sizeof(path), "store/%s", box);
	if (io_mkdir_p(home->fd, path, 0700, e))
		return -1;
	snprintf(path, sizeof(path), "store/%s/power.log", box);
	fd = openat(home->fd, path,
		    O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return err_sys(e, "%s", path);
	buf_printf(&line, "%lld %s %s %s\n", (long long)time(NULL),
		   powercmd_name(c), ok ? "ok" : "failed", why);
	rc = buf_ok(&line, e);
	if (!rc)
		rc = io_write_all(fd, line.data, line.len, e);
	buf_free(&line);
	close(fd);
	return rc;
}

int powercmd_run(const struct home *home, const struct conf_host *h,
		 enum powercmd c, const char *why, struct err *e)
{
	const char *text = text_of(h, c);
	struct err ignored;
	int rc;

	if (!powercmd_can(h, c))
		return err_set(e, ERR_NOTFOUND,
			       "its host file has no power.%s",
			       powercmd_name(c));
	if (text) {
		rc = run(text, h->box, e);
	} else {
		rc = run(h->power.off, h->box, e);
		if (!rc)
			sleep(OFF_PAUSE_S);
		if (!rc)
			rc = run(h->power.on, h->box, e);
	}
	if (rc) {
		err_prefix(e, "power.%s", powercmd_name(c));
		if (record(home, h->box, c, false, why, &ignored))
			err_prefix(e, "%.60s", ignored.msg);
		return -1;
	}
	return record(home, h->box, c, true, why, e);
}

/* "TIME WHAT ok|failed WHY" */
static void take(char *line, int64_t since_s, struct powercmd_log *l)
{
	char *time = strsep(&line, " "), *what = strsep(&line, " ");
	char *how = strsep(&line, " ");
	int64_t at;

	(void)how; /* one that failed is an attempt, too */
	if (!line || num_i64(time, 0, INT64_MAX, &at, NULL) ||
	    strcmp(what, powercmd_name(POWER_CYCLE)) != 0 ||
	    strncmp(line, POWERCMD_TEND, strlen(POWERCMD_TEND)) != 0 ||
	    at < since_s)
		return;
	l->cycles++;
	l->last_s = at;
}

int powercmd_read(const struct home *home, const char *box, int64_t since_s,
		  struct powercmd_log *l, struct err *e)
{
	struct buf b = { 0 };
	struct strlist all = { 0 };
	char path[128], *rest;
	int rc;

	*l = (struct powercmd_log){ .cycles = 0 };
	snprintf(path, sizeof(path), "store/%s/power.log", box);
	rc = io_read_file(home->fd, path, &b, LOG_MAX, e);
	if (rc && e->sys == ENOENT)
		rc = 0;
	rest = b.data;
	for (char *line; !rc && rest && (line = strsep(&rest, "\n"));) {
		if (!rest)
			break; /* half a line is none */
		rc = strlist_add(&all, line, e);
		take(line, since_s, l);
	}
	for (size_t i = all.n > LINES_SHOWN ? all.n - LINES_SHOWN : 0;
	     !rc && i < all.n; i++)
		rc = strlist_add(&l->line, all.v[i], e);
	strlist_free(&all);
	buf_free(&b);
	if (rc)
		powercmd_log_free(l);
	return rc;
}

void powercmd_log_free(struct powercmd_log *l)
{
	strlist_free(&l->line);
	*l = (struct powercmd_log){ .cycles = 0 };
}
