// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Runs one command of a job and supervises it: block signals, spawn, prepare,
 * let go, watch, wait. Grouping is cgroup.c's, capping output pump.c's.
 */
#include "exec.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS_NS	 1000000
#define STUCK_MS 5000 /* after SIGKILL; longer is a hang in the kernel */

enum stage {
	RUNNING,
	TERMINATED,
	KILLED
};

struct watch {
	const struct exec_request *rq;
	struct exec_outcome *o;
	pid_t pid;
	int sigfd; /* SIGCHLD */
	sigset_t waiting; /* the mask while in ppoll(2) */
	enum stage stage;
	int64_t next_ns; /* when the next stage is due */
};

/* ---- the child, between fork and exec ---- */

static _Noreturn void give_up(const char *what)
{
	dprintf(STDERR_FILENO, "ironrig-agent: %s: %s\n", what,
		strerrordesc_np(errno));
	_exit(126); /* as the shell says "found, but cannot be run" */
}

static void limit_files(int nofile)
{
	struct rlimit l = { .rlim_cur = (rlim_t)nofile,
			    .rlim_max = (rlim_t)nofile };

	if (!nofile || !setrlimit(RLIMIT_NOFILE, &l))
		return;
	/* above our hard limit, and not root: as many as there are */
	if (!getrlimit(RLIMIT_NOFILE, &l)) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

static _Noreturn void child(const struct exec_request *rq, int go)
{
	static char sh[] = "sh", ec[] = "-ec";
	char *argv[] = { sh, ec, (char *)rq->text, NULL };
	sigset_t none;
	char byte;
	int fd;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL); /* fails for some: those are default */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	umask(022);
	fd = open("/dev/null", O_RDONLY);
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0 ||
	    dup2(rq->out->wr, STDOUT_FILENO) < 0 ||
	    dup2(rq->err->wr, STDERR_FILENO) < 0)
		_exit(126);
	if (fd > STDERR_FILENO)
		close(fd);
	if (cgroup_enter(rq->group))
		give_up("cgroup.procs");
	/* ours is -1000 and inherited; a user's may be above 0 and stays so */
	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, "0", 1) != 1)
		errno = 0;
	limit_files(rq->nofile);
	if (chdir(rq->cwd) < 0)
		give_up(rq->cwd);
	if (read(go, &byte, 1) != 1)
		_exit(126);
	execve("/bin/sh", argv, rq->env);
	give_up("/bin/sh");
}

/* ---- the parent ---- */

static bool ended(struct watch *w)
{
	int status;
	pid_t pid = wait4(w->pid, &status, WNOHANG, &w->o->usage);

	if (pid != w->pid)
		return false;
	w->o->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	w->o->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return true;
}

/* Sleeps until something is to do: output, an end, a signal, the next stage. */
static void sleep_on(struct watch *w)
{
	const struct exec_request *rq = w->rq;
	struct pump *pump[3] = { rq->out, rq->err, rq->also };
	struct pollfd p[4] = { { .fd = w->sigfd, .events = POLLIN } };
	int64_t left = w->next_ns - io_monotonic_ns();
	struct timespec t = { 0 };
	struct signalfd_siginfo si;

	if (left > 0) {
		t.tv_sec = left / 1000000000;
		t.tv_nsec = left % 1000000000;
	}
	for (int i = 0; i < 3; i++) {
		p[i + 1].fd = pump[i] ? pump[i]->rd : -1;
		p[i + 1].events = POLLIN;
	}
	if (ppoll(p, 4, &t, &w->waiting) <= 0)
		return;
	while (read(w->sigfd, &si, sizeof(si)) == (ssize_t)sizeof(si))
		;
	for (int i = 0; i < 3; i++)
		if (p[i + 1].revents & POLLIN)
			pump_drain(pump[i]);
}

/* Takes the next step against a command that is over its time. */
static void escalate(struct watch *w)
{
	int64_t now = io_monotonic_ns();

	if (w->stage == RUNNING) {
		kill(-w->pid, SIGTERM);
		w->stage = TERMINATED;
		w->next_ns = now + w->rq->grace_ms * MS_NS;
	} else if (w->stage == TERMINATED) {
		struct err ignored = ERR_INIT;

		kill(-w->pid, SIGKILL);
		/* what hangs in the kernel shows as stuck, below */
		if (cgroup_kill(w->rq->group, &ignored))
			w->o->stuck = true;
		w->stage = KILLED;
		w->next_ns = now + (int64_t)STUCK_MS * MS_NS;
	} else {
		w->o->stuck = true;
	}
}

static void watch(struct watch *w)
{
	const struct exec_request *rq = w->rq;

	w->next_ns = w->o->start_ns + rq->limit_ms * MS_NS;
	while (!ended(w)) {
		bool stop = rq->stop && *rq->stop && w->stage == RUNNING;

		if (stop || io_monotonic_ns() >= w->next_ns) {
			if (w->stage == RUNNING) {
				w->o->stopped = stop;
				w->o->timed_out = !stop;
			} else if (w->stage == KILLED) {
				w->o->stuck = true;
				w->o->exit_code = -1;
				return;
			}
			escalate(w);
			continue;
		}
		sleep_on(w);
	}
	if (w->stage != RUNNING)
		kill(-w->pid, SIGKILL); /* the rest of its session */
}

static int supervise(struct watch *w, int go, struct err *e)
{
	const struct exec_request *rq = w->rq;

	if (rq->before)
		rq->before(rq->arg);
	w->o->start_ns = io_monotonic_ns();
	if (write(go, "g", 1) != 1)
		return err_sys(e, "pipe to the command");
	watch(w);
	w->o->end_ns = io_monotonic_ns();
	if (rq->after)
		rq->after(rq->arg);
	pump_drain(rq->out);
	pump_drain(rq->err);
	if (w->stage != RUNNING && cgroup_kill(rq->group, e))
		w->o->stuck = true;
	return 0;
}

int exec_run(const struct exec_request *rq, struct exec_outcome *o,
	     struct err *e)
{
	struct watch w = { .rq = rq, .o = o };
	sigset_t block, old;
	int go[2], rc = -1;

	*o = (struct exec_outcome){ 0 };
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	w.sigfd = signalfd(-1, &block, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w.sigfd < 0)
		return err_sys(e, "signalfd");
	/* delivered only while in ppoll(2), so that none slips in between */
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &old);
	w.waiting = old;
	sigaddset(&w.waiting, SIGCHLD);
	if (pipe2(go, O_CLOEXEC) < 0) {
		err_sys(e, "pipe");
		goto out;
	}
	w.pid = fork();
	if (!w.pid) {
		close(go[1]);
		child(rq, go[0]);
	}
	if (w.pid < 0)
		err_sys(e, "fork");
	else
		rc = supervise(&w, go[1], e);
	close(go[0]); /* kept until here: no SIGPIPE when the child died */
	close(go[1]);
out:
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(w.sigfd);
	return rc;
}
