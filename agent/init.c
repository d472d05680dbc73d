// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * PID 1: makes the root usable, starts the session, and from then on only
 * watches. It reaps all orphans, feeds the hardware watchdog, ends a session
 * that is overdue (with every process it left), starts it again a few times,
 * and does the last stage. It never exits and waits only in one ppoll.
 */
#include "applet.h"
#include "boot.h"
#include "cmdline.h"
#include "io.h"
#include "kmsg.h"
#include "num.h"
#include "phase.h"
#include "session.h"
#include "super.h"
#include "version.h"
#include "watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

struct init {
	struct super super;
	struct watchdog dog;
	struct cmdline cmdline;
	sigset_t old_mask;
	int signals, timer;
	int down; /* this end of the session's socket, -1 without a session */
};

/* busybox reboot, halt and poweroff send these to PID 1; INT: Ctrl-Alt-Del */
static enum last_op meaning(uint32_t sig)
{
	switch (sig) {
	case SIGTERM:
	case SIGINT:
		return LAST_REBOOT;
	case SIGUSR1:
		return LAST_HALT;
	case SIGUSR2:
		return LAST_POWEROFF;
	default:
		return LAST_NONE;
	}
}

static void exec_program(const char *program, int up)
{
	char *const argv[] = { (char *)(uintptr_t)program, NULL };

	if (up == PHASE_FD)
		fcntl(up, F_SETFD, 0);
	else
		dup2(up, PHASE_FD);
	execv(program, argv);
	kmsg_say("%s: %s", program, strerrordesc_np(errno));
	_exit(127);
}

static void start_session(struct init *in)
{
	const char *program = cmdline_get(&in->cmdline, "ironrig.session");
	struct err e = ERR_INIT;
	int fd[2];
	pid_t pid;

	if (phase_pair(fd, &e)) {
		kmsg_say("%s", e.msg);
		super_died(&in->super, io_monotonic_ns());
		return;
	}
	pid = fork();
	if (!pid) {
		sigprocmask(SIG_SETMASK, &in->old_mask, NULL);
		setsid();
		close(fd[0]);
		/* an open copy in a child would keep it from being stopped */
		io_close(&in->dog.fd);
		if (program && *program)
			exec_program(program, fd[1]);
		_exit(session_run(&in->cmdline, fd[1]));
	}
	close(fd[1]);
	if (pid < 0) {
		kmsg_say("fork: %s", strerrordesc_np(errno));
		close(fd[0]);
		super_died(&in->super, io_monotonic_ns());
		return;
	}
	in->down = fd[0];
	super_started(&in->super, pid, io_monotonic_ns());
	if (program && *program) /* a person at a shell has a day */
		super_phase(&in->super, "debug", 86400000, io_monotonic_ns());
}

/*
 * Only our own processes are on the box, so all of them go: the session, its
 * courier, and a job with whatever it left behind.
 */
static void kill_all(void)
{
	kill(-1, SIGKILL);
}

static void session_gone(struct init *in, int status)
{
	struct super *s = &in->super;

	io_close(&in->down);
	s->session = 0;
	if (s->last != LAST_NONE)
		return; /* it asked for that and is done */
	if (WIFSIGNALED(status))
		kmsg_say("session killed by signal %d in phase \"%s\"",
			 WTERMSIG(status), s->phase);
	else
		kmsg_say("session ended with %d in phase \"%s\"",
			 WEXITSTATUS(status), s->phase);
	kill_all();
	super_died(s, io_monotonic_ns());
	if (s->restart_ns)
		kmsg_say("session starts again, %d of %d", s->deaths,
			 s->restarts);
	else
		kmsg_say("no more sessions, now: %s", last_name(s->last));
}

static void reap(struct init *in)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == in->super.session)
			session_gone(in, status);
}

static void take_signals(struct init *in)
{
	struct signalfd_siginfo si;

	while (read(in->signals, &si, sizeof(si)) == sizeof(si)) {
		enum last_op op = meaning(si.ssi_signo);

		if (op == LAST_NONE)
			continue;
		kmsg_say("signal %u from process %u: %s", si.ssi_signo,
			 si.ssi_pid, last_name(op));
		in->super.last = op;
	}
	/* always: SIGCHLD merges, and a lost one would leave a zombie */
	reap(in);
}

static void open_watchdog(struct init *in, const struct phase_msg *m)
{
	struct err e = ERR_INIT;
	int rc = watchdog_open(&in->dog, m->text, (int)m->number, &e);

	if (!rc)
		in->super.feed_ns = io_monotonic_ns();
	phase_answer(in->down, rc ? e.msg : NULL);
}

/* ironrig.hang=PHASE: stands still there, for a proof of the watchdog */
static void hang_if_told(const struct init *in, const char *phase)
{
	const char *where = cmdline_get(&in->cmdline, "ironrig.hang");

	if (!where || strcmp(where, phase) != 0)
		return;
	kmsg_say("hanging in phase \"%s\", as the command line says", phase);
	for (;;)
		pause();
}

static void act(struct init *in, const struct phase_msg *m)
{
	switch (m->verb) {
	case PHASE_SET:
		hang_if_told(in, m->text);
		super_phase(&in->super, m->text, m->number, io_monotonic_ns());
		break;
	case PHASE_BOX:
		kmsg_box(m->text);
		break;
	case PHASE_WATCHDOG:
		open_watchdog(in, m);
		break;
	case PHASE_FALLBACK:
		in->super.fallback = m->op;
		break;
	case PHASE_GOOD:
		in->super.deaths = 0;
		break;
	case PHASE_LAST:
		in->super.last = m->op;
		break;
	}
}

/* At most a few messages a turn: a session that floods must not starve us. */
static void take_messages(struct init *in)
{
	for (int i = 0; i < 16 && in->down >= 0; i++) {
		char text[PHASE_TEXT];
		struct err e = ERR_INIT;
		struct phase_msg m;
		ssize_t n =
			recv(in->down, text, sizeof(text) - 1, MSG_DONTWAIT);

		if (n < 0)
			return;
		if (!n) { /* closed: its death follows, or its deadline */
			io_close(&in->down);
			return;
		}
		text[n] = '\0';
		if (phase_parse(text, &m, &e))
			kmsg_say("session: %s", e.msg);
		else
			act(in, &m);
	}
}

static void on_time(struct init *in)
{
	struct super *s = &in->super;
	int64_t now = io_monotonic_ns();

	if (s->feed_ns && now >= s->feed_ns) {
		watchdog_feed(&in->dog);
		s->feed_ns = now + watchdog_pause_ms(&in->dog) * 1000000LL;
	}
	if (super_overdue(s, now)) {
		kmsg_say("phase \"%s\" is overdue: session killed", s->phase);
		kill_all();
		super_killed(s, now); /* reaped as SIGCHLD comes */
		if (s->last != LAST_NONE)
			kmsg_say("it does not die, now: %s",
				 last_name(s->last));
	}
	if (s->restart_ns && now >= s->restart_ns)
		start_session(in);
}

static void finish(struct init *in)
{
	const char *gap = cmdline_get(&in->cmdline, "ironrig.gap");
	enum last_op op = in->super.last;
	int64_t s = WATCHDOG_GAP_S;

	if (gap && num_i64(gap, 1, INT_MAX, &s, NULL))
		s = WATCHDOG_GAP_S;
	kmsg_say("%s", last_name(op));
	watchdog_feed(&in->dog);
	last_kill_all();
	last_quiet_disks();
	if (op == LAST_KEXEC)
		watchdog_longest(&in->dog, (int)s);
	else
		watchdog_stop(&in->dog);
	last_reboot(op);
	kmsg_say("the kernel refused to %s; the box stays here", last_name(op));
	for (;;)
		pause();
}

static void loop(struct init *in)
{
	const struct timespec second = { .tv_sec = 1 };
	/* without descriptors for signals and time: looks once a second */
	bool blind = in->signals < 0 || in->timer < 0;

	for (;;) {
		int64_t next = super_next_ns(&in->super);
		struct itimerspec at = {
			.it_value.tv_sec = (time_t)(next / 1000000000),
			.it_value.tv_nsec = (long)(next % 1000000000),
		};
		struct pollfd p[] = {
			{ .fd = in->signals, .events = POLLIN },
			{ .fd = in->timer, .events = POLLIN },
			{ .fd = in->down, .events = POLLIN },
		};
		uint64_t ticks;

		if (next == INT64_MAX)
			at.it_value = (struct timespec){ 0 };
		timerfd_settime(in->timer, TFD_TIMER_ABSTIME, &at, NULL);
		ppoll(p, 3, blind ? &second : NULL, NULL);
		if (read(in->timer, &ticks, sizeof(ticks)) < 0)
			ticks = 0; /* not due yet */
		take_messages(in);
		take_signals(in);
		on_time(in);
		if (in->super.last != LAST_NONE)
			finish(in);
	}
}

static void set_up(struct init *in, char **argv)
{
	const char *v;
	struct err e = ERR_INIT;
	int64_t n;
	sigset_t all;
	int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &in->old_mask);
	in->signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	in->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (in->signals < 0 || in->timer < 0)
		kmsg_say("signalfd, timerfd: %s", strerrordesc_np(errno));
	if (cmdline_read(root, argv, &in->cmdline, &e))
		kmsg_say("command line: %s", e.msg);
	io_close(&root);
	v = cmdline_get(&in->cmdline, "ironrig.restarts");
	if (v && !num_i64(v, 0, 1000, &n, NULL))
		in->super.restarts = (int)n;
	v = cmdline_get(&in->cmdline, "ironrig.end");
	if (v && last_parse(v) != LAST_NONE)
		in->super.fallback = last_parse(v);
}

int init_main(int argc, char **argv)
{
	struct init in = {
		.super = { .restarts = SUPER_RESTARTS,
			   .fallback = LAST_REBOOT },
		.dog = WATCHDOG_INIT,
		.down = -1,
	};

	if (getpid() != 1) {
		fputs("ironrig-agent: init is for PID 1 only\n", stderr);
		return 2;
	}
	boot_mounts();
	boot_programs();
	boot_limits();
	set_up(&in, argv + (argc > 0));
	kmsg_say("agent %s", IRONRIG_VERSION);
	start_session(&in);
	loop(&in);
	return 1; /* not reached: loop() has no end */
}
