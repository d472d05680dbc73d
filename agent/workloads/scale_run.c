// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * One run of a scaling workload: has the tasks started, lets them go together,
 * takes the counters at both ends of the window, and ends the tasks. Any task
 * that dies or reports a failure ends the run without figures: a dead worker
 * must not look like a slow one. Options and output are scale.c's.
 */
#include "scale_task.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* To get ready, and to end after the stop flag: generous, a hang is a bug. */
#define GRACE_NS 60000000000LL

/* The failure that a task has reported; 0 when none has. */
static int reported(const struct scale_run *r, struct err *e)
{
	for (unsigned int i = 0; i < r->started; i++)
		if (atomic_load(&r->s->task[i].failed)) {
			*e = r->s->task[i].err;
			return err_prefix(e, "task %u", i);
		}
	return 0;
}

/* Reaps processes that have ended; -1 when one of them did not end well. */
static int reap(struct scale_run *r, bool stopped, unsigned int *left, struct err *e)
{
	int rc = 0;

	*left = 0;
	for (unsigned int i = 0; i < r->started; i++) {
		int st;

		if (!r->pid[i])
			continue;
		if (waitpid(r->pid[i], &st, WNOHANG) != r->pid[i]) {
			++*left;
			continue;
		}
		r->pid[i] = 0;
		if (rc || (rc = reported(r, e)))
			continue;
		if (WIFSIGNALED(st))
			rc = err_set(e, ERR_SYS, "task %u: killed by %s", i,
				     strsignal(WTERMSIG(st)));
		else if (!stopped || WEXITSTATUS(st))
			rc = err_set(e, ERR_SYS, "task %u: exited with %d", i,
				     WEXITSTATUS(st));
	}
	return rc;
}

static int on_signal(struct scale_run *r, bool stopped, unsigned int *left,
		     struct err *e)
{
	struct signalfd_siginfo si;

	while (read(r->sigfd, &si, sizeof(si)) == sizeof(si))
		if (si.ssi_signo != SIGCHLD)
			return err_set(e, ERR_SYS, "stopped by %s",
				       strsignal((int)si.ssi_signo));
	return r->o->threads ? 0 : reap(r, stopped, left, e);
}

static int on_byte(struct scale_run *r, struct err *e)
{
	char got[64];
	ssize_t n;

	while ((n = read(r->tell[0], got, sizeof(got))) > 0)
		for (ssize_t i = 0; i < n; i++)
			if (got[i] == 'r')
				r->ready++;
			else if (reported(r, e))
				return -1;
	return 0;
}

enum until { UNTIL_READY, UNTIL_TIME, UNTIL_GONE };

/* -1 as soon as a task fails or a signal asks for the end. */
static int watch(struct scale_run *r, enum until what, int64_t until_ns,
		 struct err *e)
{
	struct pollfd p[] = { { .fd = r->tell[0], .events = POLLIN },
			      { .fd = r->sigfd, .events = POLLIN } };
	unsigned int left = r->started;

	for (;;) {
		int64_t ns = until_ns - io_monotonic_ns();
		struct timespec ts = { ns / 1000000000, ns % 1000000000 };

		if (on_byte(r, e) || on_signal(r, what == UNTIL_GONE, &left, e))
			return -1;
		if ((what == UNTIL_READY && r->ready == r->o->tasks) ||
		    (what == UNTIL_GONE && !left))
			return 0;
		if (ns <= 0)
			break;
		if (ppoll(p, 2, &ts, NULL) < 0 && errno != EINTR)
			return err_sys(e, "poll");
	}
	if (what == UNTIL_TIME)
		return 0;
	return err_set(e, ERR_TIMEOUT, what == UNTIL_READY ?
		       "only %u of %u tasks got ready" :
		       "%u of %u tasks did not end",
		       what == UNTIL_READY ? r->ready : left, r->o->tasks);
}

/*
 * The clock is read right before the counters, and these always in the same
 * order: so each task's own window is as long as the clock says.
 */
static int64_t snapshot(const struct scale_run *r, uint64_t *ops)
{
	int64_t now = io_monotonic_ns();

	for (unsigned int i = 0; i < r->o->tasks; i++)
		ops[i] = atomic_load_explicit(&r->s->task[i].ops,
					      memory_order_relaxed);
	return now;
}

static int measure(struct scale_run *r, struct scale_figures *f, struct err *e)
{
	uint64_t *from = calloc(r->o->tasks, sizeof(*from));
	struct scale_idle idle;
	int64_t t0, t1;
	int rc = -1;

	f->task_ops = calloc(r->o->tasks, sizeof(*f->task_ops));
	if (!from || !f->task_ops) {
		err_set(e, ERR_LIMIT, "out of memory");
		goto out;
	}
	if (watch(r, UNTIL_READY, io_monotonic_ns() + GRACE_NS, e))
		goto out;
	scale_task_release(r);
	t0 = io_monotonic_ns();
	if (watch(r, UNTIL_TIME, t0 + (int64_t)(r->o->warmup * 1e9), e))
		goto out;
	idle = scale_idle_now();
	t0 = snapshot(r, from);
	if (watch(r, UNTIL_TIME, t0 + (int64_t)(r->o->seconds * 1e9), e))
		goto out;
	f->idle_pct = scale_idle_pct(idle, scale_idle_now());
	t1 = snapshot(r, f->task_ops);
	f->seconds = (double)(t1 - t0) / 1e9;
	for (unsigned int i = 0; i < r->o->tasks; i++)
		f->task_ops[i] -= from[i];
	rc = 0;
out:
	free(from);
	return rc;
}

/* Ends threads; processes that failed to end by the flag are killed. */
static int end_all(struct scale_run *r, bool good, struct err *e)
{
	struct timespec until;
	int rc = 0;

	atomic_store(&r->s->stop, 1);
	scale_task_release(r);
	if (r->o->threads) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += GRACE_NS / 1000000000;
		for (unsigned int i = 0; i < r->started; i++)
			if (pthread_clockjoin_np(r->thread[i], NULL,
						 CLOCK_MONOTONIC, &until)) {
				r->stuck = true;
				rc = err_set(e, ERR_TIMEOUT,
					     "task %u did not end", i);
			}
		return rc || !good ? -1 : reported(r, e);
	}
	if (good)
		rc = watch(r, UNTIL_GONE, io_monotonic_ns() + GRACE_NS, e);
	for (unsigned int i = 0; i < r->started; i++)
		if (r->pid[i] > 0) {
			kill(r->pid[i], SIGKILL);
			while (waitpid(r->pid[i], NULL, 0) < 0 &&
			       errno == EINTR)
				;
		}
	return rc;
}

static int open_all(struct scale_run *r, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	sigset_t mine;

	snprintf(r->dir, sizeof(r->dir), "%s/scale.XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(r->dir)) {
		err_sys(e, "%s", r->dir);
		*r->dir = '\0';
		return -1;
	}
	r->dirfd = open(r->dir, O_DIRECTORY | O_CLOEXEC);
	if (r->dirfd < 0)
		return err_sys(e, "%s", r->dir);
	if (pipe2(r->tell, O_CLOEXEC | O_NONBLOCK))
		return err_sys(e, "pipe");
	/* A thread's own children (fork_exit) are no business of main's. */
	sigemptyset(&mine);
	sigaddset(&mine, SIGINT);
	sigaddset(&mine, SIGTERM);
	if (!r->o->threads)
		sigaddset(&mine, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mine, NULL);
	r->sigfd = signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->sigfd < 0)
		return err_sys(e, "signalfd");
	r->size = sizeof(*r->s) + r->o->tasks * sizeof(r->s->task[0]);
	r->s = mmap(NULL, r->size, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r->s == MAP_FAILED) {
		r->s = NULL;
		return err_sys(e, "mmap of %zu bytes", r->size);
	}
	r->pid = calloc(r->o->tasks, sizeof(*r->pid));
	r->thread = calloc(r->o->tasks, sizeof(*r->thread));
	r->arg = calloc(r->o->tasks, sizeof(*r->arg));
	if (!r->pid || !r->thread || !r->arg)
		return err_set(e, ERR_LIMIT, "out of memory");
	return 0;
}

static void close_all(struct scale_run *r)
{
	io_close(&r->sigfd);
	io_close(&r->dirfd);
	if (*r->dir && io_remove_tree(AT_FDCWD, r->dir, NULL))
		fprintf(stderr, "scale: %s is left behind\n", r->dir);
	sigprocmask(SIG_SETMASK, &r->mask, NULL);
	if (r->stuck)
		return;
	io_close(&r->tell[0]);
	io_close(&r->tell[1]);
	if (r->s)
		munmap(r->s, r->size);
	free(r->pid);
	free(r->thread);
	free(r->arg);
	free(r->cpu);
}

int scale_run(const struct scale_options *o, struct scale_figures *f,
	      struct err *e)
{
	struct scale_run *r = calloc(1, sizeof(*r));
	int rc;

	*f = (struct scale_figures){ .idle_pct = -1, .min_ops = UINT64_MAX };
	if (!r)
		return err_set(e, ERR_LIMIT, "out of memory");
	r->o = o;
	r->dirfd = r->sigfd = r->tell[0] = r->tell[1] = -1;
	sigprocmask(SIG_BLOCK, NULL, &r->mask);
	rc = open_all(r, e);
	if (!rc)
		rc = scale_task_start(r, e) || measure(r, f, e) ? -1 : 0;
	if (r->s && r->pid && end_all(r, !rc, e))
		rc = -1;
	close_all(r);
	if (!r->stuck)
		free(r);
	for (unsigned int i = 0; !rc && i < o->tasks; i++) {
		uint64_t n = f->task_ops[i];

		f->ops += n;
		f->min_ops = n < f->min_ops ? n : f->min_ops;
		f->max_ops = n > f->max_ops ? n : f->max_ops;
	}
	if (rc) {
		free(f->task_ops);
		f->task_ops = NULL;
	}
	return rc;
}
