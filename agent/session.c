// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The session: everything the box does, one thing after the other. It may
 * block and it may die; PID 1 holds its deadlines, and a new session takes up
 * what this one left (run.c). One lease is run.c's, the jump into another
 * kernel kexec.c's.
 */
#include "session.h"
#include "ask.h"
#include "crash.h"
#include "image.h"
#include "io.h"
#include "kexec.h"
#include "members.h"
#include "modload.h"
#include "num.h"
#include "run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK_MS   120000 /* SHA-256 of 300 MB on TCG takes 10 s */
#define MODULES_MS 180000
#define MARGIN_MS  30000
#define KEXEC_MS   1800000
#define NEXT_MS	   60000 /* the controller answers in ms; its lock in 30 s */
#define LINGER_S   10 /* for who reads the console before a reboot */

static volatile sig_atomic_t stop;

static void on_term(int sig)
{
	stop = sig;
}

static enum last_op fallback(const struct box *b)
{
	switch (b->host.end) {
	case END_POWEROFF:
		return LAST_POWEROFF;
	case END_HALT:
		return LAST_HALT;
	case END_REBOOT:
		break;
	}
	return LAST_REBOOT;
}

/* This boot is over, not as planned. */
static void give_up(struct box *b, const char *why) __attribute__((noreturn));

static void give_up(struct box *b, const char *why)
{
	enum last_op op = fallback(b);

	kmsg_say("%s", why);
	kmsg_say("giving up, in %d s: %s", LINGER_S, last_name(op));
	phase_set(b->up, "end", LINGER_S * 1000 + MARGIN_MS);
	sleep(LINGER_S);
	phase_last(b->up, op);
}

static void bad(struct box *b, const char *what)
{
	kmsg_say("%s", what);
	if (strlist_add(&b->bad, what, NULL))
		give_up(b, "out of memory");
}

/* For an image so broken that nothing else will come of it. */
static void say_what_is_lost(const struct box *b)
{
	struct strlist problems = { 0 };
	struct err e = ERR_INIT;

	if (members_check(b->root, b->cmdline, &problems, &e))
		kmsg_say("%s", e.msg);
	for (size_t i = 0; i < problems.n; i++)
		kmsg_say("%s", problems.v[i]);
	strlist_free(&problems);
}

/* Who are we? Without host.cfg there is nowhere to go. */
static void introduce(struct box *b)
{
	struct err e = ERR_INIT;

	phase_set(b->up, "start", MARGIN_MS);
	/* a kernel under test keeps its own ways from here on */
	if (cmdline_get(b->cmdline, IMAGE_ARG_OOPS) &&
	    io_write_file(b->root, "proc/sys/kernel/panic_on_oops", "0", &e))
		kmsg_say("%s", e.msg);
	if (conf_host_load(b->root, IMAGE_HOST_FILE, &b->host, NULL, &e)) {
		say_what_is_lost(b);
		give_up(b, e.msg);
	}
	phase_fallback(b->up, fallback(b));
	phase_box(b->up, b->host.box);
	kmsg_box(b->host.box);
	if (boot_name(b->host.box, &e))
		kmsg_say("%s", e.msg);
}

static void check_child(struct box *b, int to) __attribute__((noreturn));

static void check_child(struct box *b, int to)
{
	struct strlist problems = { 0 };
	struct err e = ERR_INIT;
	int rc = members_check(b->root, b->cmdline, &problems, &e) ||
		 members_kernel(b->root, b->cmdline, &b->uts, &problems, &e);

	for (size_t i = 0; i < problems.n && !rc; i++)
		rc = io_write_all(to, problems.v[i], strlen(problems.v[i]),
				  &e) ||
		     io_write_all(to, "\n", 1, &e);
	_exit(rc ? 1 : 0);
}

/*
 * Is the image whole, the kernel the right one? Hashing it takes longer than
 * anything else here, so a child does it while link, DHCP and controller are
 * waited for; beside the loading of modules it would only slow that down. The
 * answer's descriptor; -1: could not be started.
 */
static int check_start(struct box *b, pid_t *pid)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC) < 0)
		return -1;
	*pid = fork();
	if (!*pid)
		check_child(b, fd[1]);
	close(fd[1]);
	if (*pid > 0)
		return fd[0];
	close(fd[0]);
	return -1;
}

static void check_end(struct box *b, int fd, pid_t pid)
{
	struct buf text = { 0 };
	struct err e = ERR_INIT;
	char *save = NULL;
	int status = -1;

	phase_set(b->up, "check", CHECK_MS);
	if (fd < 0 || io_slurp(fd, &text, 1 << 20, &e) ||
	    waitpid(pid, &status, 0) != pid || status)
		bad(b, "the image could not be checked");
	io_close(&fd);
	for (char *line = text.len ? strtok_r(text.data, "\n", &save) : NULL;
	     line; line = strtok_r(NULL, "\n", &save))
		bad(b, line);
	buf_free(&text);
}

static void open_watchdog(struct box *b)
{
	const struct conf_host *h = &b->host;
	struct err e = ERR_INIT;

	if (!h->watchdog.device || !phase_watchdog(b->up, h->watchdog.device,
						   h->watchdog.timeout_s, &e))
		return;
	if (h->watchdog.require)
		bad(b, e.msg);
	else
		kmsg_say("%s", e.msg);
}

static void load_modules(struct box *b)
{
	struct err e = ERR_INIT;

	phase_set(b->up, "modules", MODULES_MS);
	if (modules_open(b->root, b->uts.release, &b->modules, &e) ||
	    modload_run(b->root, b->modules, &b->host.modules, &b->loaded, &e))
		kmsg_say("modules: %s", e.msg);
}

/* A NIC does not show up: a device may have appeared late. */
static void modules_again(void *arg)
{
	struct box *b = arg;
	struct err e = ERR_INIT;

	if (b->modules &&
	    modload_run(b->root, b->modules, &b->host.modules, &b->loaded, &e))
		kmsg_say("modules: %s", e.msg);
}

/* Until the ship deadline: a switch or a DHCP server may be down a while. */
static void network(struct box *b)
{
	int64_t until =
		io_monotonic_ns() + box_ms(b->host.ship_deadline_s) * 1000000;
	int patience = b->host.net.timeout_s > NET_PATIENCE_S
			       ? b->host.net.timeout_s
			       : NET_PATIENCE_S;

	for (;;) {
		struct err e = ERR_INIT;

		/* each workload NIC may use up its own share of patience */
		phase_set(b->up, "network", box_ms(2 * patience) + MARGIN_MS);
		if (!net_up(&b->net, b->root, &b->host,
			    cmdline_get(b->cmdline, "BOOTIF"), modules_again, b,
			    &e))
			break;
		kmsg_say("network: %s", e.msg);
		modload_say_firmware(b->root); /* that may be why */
		net_down(&b->net, b->root);
		if (io_monotonic_ns() >= until)
			give_up(b, "no network before the ship deadline");
	}
	kmsg_say("network: %s %s", b->net.management, b->net.address);
}

/* what, and when it was reached, by the clock that the kernel starts at 0. */
static void say_when(const char *what)
{
	int64_t ms = io_monotonic_ns() / 1000000;

	kmsg_say("%s, %lld.%03lld s after the kernel's start", what,
		 (long long)(ms / 1000), (long long)(ms % 1000));
}

static void reach_controller(struct box *b)
{
	struct courier_conf conf = {
		.controller = b->host.controller,
		.user = b->host.user,
		.key_file = "/" IMAGE_KEY_FILE,
		.known_hosts_file = "/" IMAGE_KNOWN_HOSTS_FILE,
		.boot_id = b->boot_id,
		.kmsg_fd = b->kmsg,
	};
	int64_t ms = box_ms(b->host.ship_deadline_s);
	int had_s = b->host.watchdog.timeout_s;
	struct err e = ERR_INIT;
	char text[320];

	phase_set(b->up, "hello", ms + MARGIN_MS);
	if (courier_start(&b->courier, &conf, &e) || ask_hello(b, ms, &e))
		give_up(b, e.msg);
	snprintf(text, sizeof(text), "controller %s answers",
		 b->host.controller);
	say_when(text);
	if (ask_host(b, ms, &e)) {
		/* a mistake in the file: told where people look */
		bad(b, e.msg);
		return;
	}
	phase_fallback(b->up, fallback(b));
	if (b->host.watchdog.timeout_s != had_s)
		open_watchdog(b);
}

static void tell_crash(struct box *b, struct crash *c)
{
	struct err e = ERR_INIT;

	if (crash_look(b->root, c, &e))
		kmsg_say("pstore: %s", e.msg);
	if (!c->file.n)
		return;
	kmsg_say("the boot before crashed: %s", c->what);
	ask_state(b, "crashed", *c->lease ? c->lease : NULL,
		  *c->what ? c->what : "no reason found");
}

static void idle(struct box *b, int64_t s)
{
	phase_set(b->up, "idle", s * 1000 + MARGIN_MS);
	for (int64_t end = io_monotonic_ns() + s * 1000000000;
	     !stop && io_monotonic_ns() < end;)
		usleep(200000);
}

static void boot(struct box *b, const struct proto_words *w)
{
	char name[65], id[SHA256_HEX];
	struct err e = ERR_INIT;

	kmsg_say("next kernel: %s, by %s", w->v[2], w->v[1]);
	if (strcmp(w->v[1], "kexec") != 0) {
		courier_stop(b->courier);
		phase_last(b->up, LAST_REBOOT); /* its iPXE script is ready */
	}
	phase_set(b->up, "kexec", KEXEC_MS);
	if (!members_word(w->v[2], name, id, &e) &&
	    !kexec_prepare(b, name, &e)) {
		kexec_leave(b);
		phase_last(b->up, LAST_KEXEC);
	}
	ask_state(b, "kexec-failed", NULL, e.msg);
	give_up(b, e.msg);
}

/*
 * One answer to `next`. *done: the lease that it was told is over, then one
 * that is now, "" for none.
 */
static void act(struct box *b, const struct proto_words *w, struct crash *c,
		char done[33])
{
	struct err e = ERR_INIT;
	struct lease l = { 0 };
	char was[33];
	int64_t s;

	memcpy(was, done, sizeof(was));
	done[0] = '\0';
	if (w->n >= 2 && *was && !strcmp(w->v[0], "run") &&
	    !strcmp(w->v[1], was)) {
		/* what is over is not run again, whoever says so */
		kmsg_say("lease %s is over: asking again", was);
		memcpy(done, was, sizeof(was));
		idle(b, b->host.idle_s);
	} else if (w->n >= 1 && !strcmp(w->v[0], "run")) {
		if (run_lease(b, w, c, &l, &e))
			give_up(b, e.msg);
		memcpy(done, l.id, sizeof(l.id));
	} else if (w->n == 3 && !strcmp(w->v[0], "boot")) {
		boot(b, w);
	} else if (w->n == 2 && !strcmp(w->v[0], "idle") &&
		   !num_i64(w->v[1], 1, 86400, &s, NULL)) {
		idle(b, s);
	} else if (w->n == 1 && !strcmp(w->v[0], "reboot")) {
		courier_stop(b->courier);
		phase_last(b->up, LAST_REBOOT);
	} else if (w->n == 1 && !strcmp(w->v[0], "off")) {
		courier_stop(b->courier);
		phase_last(b->up, LAST_POWEROFF);
	} else {
		give_up(b, "next: an answer that is not understood");
	}
}

/*
 * One question. The controller may be unable to answer for a while, for a
 * mistake in a file that somebody is about to mend: asked again until *until.
 */
static bool ask_next(struct box *b, const char *done, struct proto_words *w,
		     int64_t *until)
{
	int64_t ms = box_ms(b->host.ship_deadline_s), now = io_monotonic_ns();
	struct err e = ERR_INIT;

	phase_set(b->up, "next", ms + NEXT_MS + MARGIN_MS);
	if (!ask_verb(b, ms + NEXT_MS, NULL, w, &e, "next %s%s%s", b->boot_id,
		      *done ? " " : "", done)) {
		*until = 0;
		return true;
	}
	if (!*until)
		*until = now + ms * 1000000;
	if (e.kind != ERR_PEER || now >= *until)
		give_up(b, e.msg);
	if (*until == now + ms * 1000000) /* the first time: it repeats itself */
		kmsg_say("%s", e.msg);
	idle(b, b->host.idle_s);
	return false;
}

static void loop(struct box *b, struct crash *c)
{
	char done[33] = "";
	struct err e = ERR_INIT;
	int64_t until = 0;

	switch (run_resume(b, done, &e)) {
	case -1:
		give_up(b, e.msg);
	case 0:
		done[0] = '\0';
	}
	while (!stop) {
		struct proto_words w;

		if (ask_next(b, done, &w, &until))
			act(b, &w, c, done);
	}
}

int session_run(const struct cmdline *c, int up)
{
	const struct sigaction term = { .sa_handler = on_term };
	struct box b = {
		.cmdline = c,
		.up = up,
		.net = NET_INIT,
		.stop = &stop,
		.kernel = cmdline_get(c, IMAGE_ARG_KERNEL),
	};
	struct crash crash = { 0 };
	struct err e = ERR_INIT;
	pid_t checker = 0;
	int check;

	sigaction(SIGTERM, &term, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (!b.kernel)
		b.kernel = "-";
	b.root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	b.kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	uname(&b.uts);
	if (boot_id(b.root, b.boot_id, &e))
		give_up(&b, e.msg);
	introduce(&b);
	kmsg_note("boot_id %s kernel %s", b.boot_id, b.kernel);
	load_modules(&b);
	open_watchdog(&b);
	check = check_start(&b, &checker);
	network(&b);
	say_when("ready"); /* what follows waits for the controller */
	reach_controller(&b);
	modload_say_firmware(b.root);
	check_end(&b, check, checker);
	tell_crash(&b, &crash);
	if (b.bad.n) {
		ask_state(&b, "bad-image", NULL, b.bad.v[0]);
		give_up(&b, "this box runs no jobs as it is");
	}
	loop(&b, &crash);
	kmsg_say("session stopped by signal %d", (int)stop);
	return 1;
}
