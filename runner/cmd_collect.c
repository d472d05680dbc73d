// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * `ironrig collect [--watch]`: passes over incoming/, once or whenever
 * something arrives, with a line for each result and, on a terminal, one that
 * says how far it is.
 */
#include "ab.h"
#include "cmd.h"
#include "collect.h"
#include "conf.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

static const char usage[] =
	"usage: ironrig collect [-q] [-w]\n"
	"\n"
	"Takes results from incoming/ into the store: verifies each, extracts\n"
	"its stats, indexes it. What is no result goes to quarantine/, with\n"
	"the reason in a file beside it.\n"
	"\n"
	"  -w, --watch  stay, and collect what arrives\n"
	"  -q, --quiet  say only what went wrong\n"
	"\n"
	"What cannot be read or moved now is left for the next pass.\n"
	"Then it takes the looks that are due at experiments of `ab --until\n"
	"decided', and says so.\n"
	"\n"
	"Exit status: 0, also when results were quarantined; 1 failed, or some\n"
	"were left; 2 usage.\n";

/* When what was left is tried again although nothing new arrives. */
enum { AGAIN_S = 30 };

struct progress {
	bool quiet, tty;
	unsigned long stored, quarantined;
	/* what the last pass left, and this one: said once, not at each */
	struct strlist was_left, left;
};

/* The progress line is the last one on a terminal and is written over. */
static void progress_line(const struct progress *p, bool wipe)
{
	if (!p->tty)
		return;
	if (wipe)
		fputs("\r\033[K", stdout);
	else
		printf("\r\033[Kcollected %lu, quarantined %lu, left %zu; "
		       "waiting",
		       p->stored, p->quarantined, p->left.n);
	fflush(stdout);
}

static void say_stored(const char *file, const struct store_read *s,
		       const char *how)
{
	printf("%s %s: %s, kernel %s, %s%s, %d iterations, %zu stats%s\n", how,
	       file, s->r.job, s->r.kernel ? s->r.kernel : "-",
	       outcome_name(s->r.outcome), s->r.stable ? "" : ", unstable",
	       s->completed, s->nstat,
	       *s->notes ? ", some not understood" : "");
}

static void say_left(struct progress *p, const char *box, const char *file,
		     const char *why)
{
	struct err e;
	char *line;

	if (asprintf(&line, "left %s/%s: %s", box, file, why) < 0)
		return;
	if (!strlist_has(&p->was_left, line))
		fprintf(stderr, "%s\n", line);
	if (strlist_add(&p->left, line, &e))
		fprintf(stderr, "collect: %s\n", e.msg);
	free(line);
}

static void on_event(void *arg, enum collect_event ev, const char *box,
		     const char *file, const struct store_read *s,
		     const char *what)
{
	struct progress *p = arg;

	progress_line(p, true);
	switch (ev) {
	case COLLECT_STORED:
	case COLLECT_INDEXED:
		p->stored++;
		if (!p->quiet)
			say_stored(file, s, ev == COLLECT_STORED ?
				   "collected" : "indexed");
		break;
	case COLLECT_DUPLICATE:
		if (!p->quiet)
			printf("dropped %s: the same is in the store\n", file);
		break;
	case COLLECT_QUARANTINED:
		p->quarantined++;
		fprintf(stderr, "quarantined %s/%s: %s\n", box, file, what);
		break;
	case COLLECT_UNREADABLE:
		fprintf(stderr, "store/%s/%s is no result: %s\n", box, file,
			what);
		break;
	case COLLECT_LEFT:
		say_left(p, box, file, what);
		break;
	}
	fflush(stdout);
}

/* An experiment that was looked at; also when it is quiet: it is no result. */
static void say_attended(void *arg, const char *line)
{
	progress_line(arg, true);
	puts(line);
	fflush(stdout);
}

static int pass(const struct collect *c, struct progress *p, bool all,
		struct err *e)
{
	int lock = collect_lock(c->home, e), rc;
	unsigned long stored = p->stored;

	if (lock < 0)
		return -1;
	strlist_free(&p->was_left);
	p->was_left = p->left;
	p->left = (struct strlist){ 0 };
	rc = all ? collect_pass(c, e) : collect_incoming(c, e);
	close(lock);
	if (!rc && (all || p->stored > stored))
		rc = ab_attend_all(c->home, say_attended, p, e);
	return rc;
}

/* ---- watching ---------------------------------------------------------------- */

static int watch_box(const struct home *h, int ino, const char *box,
		     struct err *e)
{
	char *path;
	int rc = 0;

	if (asprintf(&path, "%s/incoming/%s", h->path, box) < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	/* put renames a file when it is whole; people copy and move */
	if (inotify_add_watch(ino, path, IN_MOVED_TO | IN_CLOSE_WRITE |
			      IN_ONLYDIR) < 0 &&
	    errno != ENOENT && errno != ENOTDIR)
		rc = err_sys(e, "inotify on %s", path);
	free(path);
	return rc;
}

/* Watches are by inode: adding one again changes nothing. */
static int watch_all(const struct home *h, int ino, struct err *e)
{
	struct strlist boxes;
	char *path;
	int rc = 0;

	if (asprintf(&path, "%s/incoming", h->path) < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	if (inotify_add_watch(ino, path, IN_CREATE | IN_MOVED_TO) < 0)
		rc = err_sys(e, "inotify on %s", path);
	free(path);
	if (rc || collect_names(h, "incoming", NULL, &boxes, e))
		return -1;
	for (size_t i = 0; !rc && i < boxes.n; i++)
		if (conf_name_ok(boxes.v[i]))
			rc = watch_box(h, ino, boxes.v[i], e);
	strlist_free(&boxes);
	return rc;
}

/* Waits until something happened, and takes all of it: a pass sees the rest. */
static int wait_events(int ino, bool again, const sigset_t *during,
		       struct err *e)
{
	const struct timespec soon = { .tv_sec = AGAIN_S };
	char events[4096];
	struct pollfd p = { .fd = ino, .events = POLLIN };

	if (ppoll(&p, 1, again ? &soon : NULL, during) < 0)
		return errno == EINTR ? 0 : err_sys(e, "poll");
	while (read(ino, events, sizeof(events)) > 0)
		;
	return 0;
}

static int watch(const struct collect *c, struct progress *p,
		 const sigset_t *during, struct err *e)
{
	int ino = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), rc = 0;
	bool all = true; /* what was left may be in the store by now */

	if (ino < 0)
		return err_sys(e, "inotify");
	/* watches first, then the pass: what arrives in between is an event */
	while (!rc && !cmd_stop) {
		rc = watch_all(c->home, ino, e);
		if (!rc)
			rc = pass(c, p, all, e);
		if (rc || cmd_stop)
			break;
		all = p->left.n > 0;
		progress_line(p, false);
		rc = wait_events(ino, all, during, e);
	}
	progress_line(p, true);
	close(ino);
	return rc;
}

static int run(const char *home, bool watching, struct progress *p,
	       struct err *e)
{
	struct home h = { .fd = -1 };
	struct collect c = { .home = &h, .event = on_event, .arg = p,
			     .stop = &cmd_stop };
	sigset_t block, old;
	int rc;

	if (home_open(home, &h, e))
		return -1;
	/* blocked but while waiting, so that none is lost before ppoll() */
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &old);
	cmd_stop_by_signals();
	rc = index_open(h.path, &c.x, e);
	if (!rc && watching) {
		rc = watch(&c, p, &old, e);
	} else if (!rc) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		rc = pass(&c, p, true, e);
	}
	index_close(c.x);
	home_close(&h);
	return rc;
}

int cmd_collect(const char *home, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "watch", no_argument, NULL, 'w' },
		{ NULL, 0, NULL, 0 },
	};
	struct progress p = { .quiet = false };
	struct err e = ERR_INIT;
	bool watching = false;
	int c, rc;

	while ((c = getopt_long(argc, argv, "hqw", options, NULL)) != -1)
		switch (c) {
		case 'h':
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		case 'q':
			p.quiet = true;
			break;
		case 'w':
			watching = true;
			break;
		default:
			return cmd_usage("collect", "see above");
		}
	if (optind < argc)
		return cmd_usage("collect", "it takes no arguments");
	p.tty = watching && !p.quiet && isatty(STDOUT_FILENO);
	rc = run(home, watching, &p, &e) ? cmd_fail("collect", &e) :
	     p.left.n			 ? CMD_FAILED :
					   EXIT_SUCCESS;
	if (e.kind == ERR_NONE && !p.quiet && !watching) {
		printf("collected %lu, quarantined %lu", p.stored,
		       p.quarantined);
		if (p.left.n)
			printf(", left %zu", p.left.n);
		putchar('\n');
	}
	strlist_free(&p.was_left);
	strlist_free(&p.left);
	return rc;
}
