// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig queue: asks a box for runs of jobs, lists what is asked for, stops
 * it. It writes experiment files; `receive' reads them when a box asks.
 */
#include "boxview.h"
#include "cmd.h"
#include "io.h"
#include "kernel.h"
#include "num.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { COUNT_MAX = 100000, SAME_SECOND_MAX = 1000 };

static const char folder[] = "conf/experiments";

struct options {
	const char *box, *kernel, *drop;
	struct strlist jobs;
	int64_t count;
	bool list, share;
};

static int help(void)
{
	puts("usage: ironrig queue BOX JOB... [--kernel NAME] [--count N]\n"
	     "                     [--share-boot]\n"
	     "       ironrig queue --list [BOX]\n"
	     "       ironrig queue --drop EXPERIMENT\n\n"
	     "Asks BOX for runs of each JOB, each in a fresh boot, in the\n"
	     "order in which they were queued.\n\n"
	     "  --kernel NAME  a registered kernel (the box's home kernel)\n"
	     "  --count N      runs of each job (1)\n"
	     "  --share-boot   all runs in one boot: quicker, and no sample of"
	     "\n                 what differs between boots\n"
	     "  --list         what is queued, and how far it is\n"
	     "  --drop NAME    no more runs of it; results stay");
	return EXIT_SUCCESS;
}

/* ---- adding -------------------------------------------------------------- */

static int check(const struct home *h, const struct options *o, struct err *e)
{
	struct buf word = { 0 };
	char path[128];
	int rc = 0;

	snprintf(path, sizeof(path), "conf/hosts/%.64s.cfg", o->box);
	if (!conf_name_ok(o->box) || faccessat(h->fd, path, F_OK, 0) < 0)
		return err_set(e, ERR_NOTFOUND, "no box \"%.64s\": `ironrig "
						"enroll' makes it known",
			       o->box);
	for (size_t i = 0; i < o->jobs.n; i++) {
		struct conf_job j;

		snprintf(path, sizeof(path), "conf/jobs/%.64s.cfg",
			 o->jobs.v[i]);
		if (!conf_name_ok(o->jobs.v[i]) ||
		    faccessat(h->fd, path, F_OK, 0) < 0)
			return err_set(e, ERR_NOTFOUND, "no job \"%.64s\"",
				       o->jobs.v[i]);
		if (conf_job_load(h->fd, path, &j, NULL, e))
			return -1;
		conf_job_free(&j);
	}
	if (o->kernel)
		rc = kernel_word(h, o->kernel, &word, e);
	buf_free(&word);
	return rc;
}

/* A name that no experiment has; the caller holds the folder's lock. */
static int new_name(const struct home *h, time_t now, char *name, size_t size,
		    struct err *e)
{
	char path[160], stamp[32];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "q%Y%m%d-%H%M%S", &tm);
	for (int i = 1; i < SAME_SECOND_MAX; i++) {
		if (i == 1)
			snprintf(name, size, "%s", stamp);
		else
			snprintf(name, size, "%s-%d", stamp, i);
		snprintf(path, sizeof(path), "%s/%s.cfg", folder, name);
		if (faccessat(h->fd, path, F_OK, 0) < 0)
			return 0;
	}
	return err_set(e, ERR_LIMIT, "too many experiments in one second");
}

static int write_experiment(const struct home *h,
			    const struct conf_experiment *x, struct err *e)
{
	struct buf b = { 0 };
	char path[160];
	int rc;

	snprintf(path, sizeof(path), "%s/%s.cfg", folder, x->name);
	rc = conf_experiment_write(x, &b, e);
	if (!rc)
		rc = io_replace_file(h->fd, path, b.data, b.len, 0644, e);
	buf_free(&b);
	return rc;
}

static int add(const struct home *h, const struct options *o, struct err *e)
{
	char name[LEASE_NAME], kind[] = "queue";
	struct conf_experiment x = {
		.name = name,
		.kind = kind,
		.jobs = o->jobs,
		.count = (int)o->count,
		.blocks = 10,
		.max_blocks = 40,
		.jobs_share_boot = o->share,
		.delta = 0.01,
		.alpha = 0.05,
		.attempts = 3,
		.created = time(NULL),
	};
	int lock, rc;

	if (check(h, o, e))
		return -1;
	lock = openat(h->fd, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock < 0 || flock(lock, LOCK_EX) < 0) {
		err_sys(e, "%s", folder);
		io_close(&lock);
		return -1;
	}
	rc = new_name(h, (time_t)x.created, name, sizeof(name), e);
	if (!rc)
		rc = strlist_add(&x.boxes, o->box, e);
	if (!rc && o->kernel)
		rc = strlist_add(&x.kernels, o->kernel, e);
	if (!rc)
		rc = write_experiment(h, &x, e);
	strlist_free(&x.boxes);
	strlist_free(&x.kernels);
	close(lock);
	if (!rc)
		printf("%s\n", name);
	return rc;
}

/* ---- stopping and listing ------------------------------------------------ */

static int drop(const struct home *h, const char *name, struct err *e)
{
	struct conf_experiment x;
	char path[160];
	int rc;

	snprintf(path, sizeof(path), "%s/%.64s.cfg", folder, name);
	if (!conf_name_ok(name) || faccessat(h->fd, path, F_OK, 0) < 0)
		return err_set(e, ERR_NOTFOUND, "no experiment \"%.64s\"",
			       name);
	if (conf_experiment_load(h->fd, path, &x, NULL, e))
		return -1;
	x.stopped = true;
	rc = write_experiment(h, &x, e);
	conf_experiment_free(&x);
	return rc;
}

static void print_words(const struct strlist *l, const char *none)
{
	for (size_t i = 0; i < l->n; i++)
		printf("%s%s", i ? "," : " ", l->v[i]);
	if (!l->n)
		printf(" %s", none);
}

static void print_box(const struct boxview *v)
{
	for (size_t i = 0; i < v->plan.n; i++) {
		const struct conf_experiment *x = v->plan.v[i].x;
		struct plan_progress p;

		plan_progress(&v->plan.in, &v->plan.v[i], &p);
		printf("%-20s %-6s %-16s %3d/%-3d %-9s", x->name, x->kind,
		       v->host.box, p.done, p.wanted, boxview_end_name(p.end));
		print_words(&x->jobs, "-");
		print_words(&x->kernels, "(home kernel)");
		putchar('\n');
	}
	for (size_t i = 0; i < v->plan.problems.n; i++)
		fprintf(stderr, "ironrig queue: %s\n", v->plan.problems.v[i]);
}

static int list(const struct home *h, const char *only, struct err *e)
{
	struct strlist boxes = { 0 };
	int64_t now_s = time(NULL);
	int rc;

	rc = only ? strlist_add(&boxes, only, e) : boxview_list(h, &boxes, e);
	if (!rc)
		printf("%-20s %-6s %-16s %7s %-9s %s\n", "EXPERIMENT", "KIND",
		       "BOX", "DONE", "STATE", "JOBS KERNELS");
	for (size_t i = 0; !rc && i < boxes.n; i++) {
		struct boxview v;

		rc = boxview_load(h, boxes.v[i], now_s, &v, e);
		if (!rc) {
			print_box(&v);
			boxview_free(&v);
		}
	}
	strlist_free(&boxes);
	return rc;
}

/* ---- the command line ---------------------------------------------------- */

static int parse_word(struct options *o, const char *word)
{
	struct err e = ERR_INIT;

	if (word[0] == '-')
		return cmd_usage("queue", "what is \"%s\"?", word);
	if (!o->box)
		o->box = word;
	else if (strlist_add(&o->jobs, word, &e))
		return cmd_fail("queue", &e);
	return 0;
}

static int parse(int argc, char **argv, struct options *o)
{
	struct err e = ERR_INIT;
	int rc = 0;

	for (int i = 1; !rc && i < argc; i++) {
		bool more = i + 1 < argc;

		if (!strcmp(argv[i], "--list"))
			o->list = true;
		else if (!strcmp(argv[i], "--share-boot"))
			o->share = true;
		else if (more && !strcmp(argv[i], "--kernel"))
			o->kernel = argv[++i];
		else if (more && !strcmp(argv[i], "--drop"))
			o->drop = argv[++i];
		else if (!more || strcmp(argv[i], "--count") != 0)
			rc = parse_word(o, argv[i]);
		else if (num_i64(argv[++i], 1, COUNT_MAX, &o->count, &e))
			rc = cmd_usage("queue", "--count: %s", e.msg);
	}
	if (!rc && !o->list && !o->drop && (!o->box || !o->jobs.n))
		rc = cmd_usage("queue", "which box, which job?");
	if (!rc && (o->list || o->drop) && (o->jobs.n || o->kernel))
		rc = cmd_usage("queue", "--list and --drop take no job");
	return rc;
}

int cmd_queue(const char *home, int argc, char **argv)
{
	struct options o = { .count = 1 };
	struct err e = ERR_INIT;
	struct home h;
	int rc;

	if (cmd_asks_help(argc, argv))
		return help();
	rc = parse(argc, argv, &o);
	if (!rc && home_open(home, &h, &e)) {
		rc = cmd_fail("queue", &e);
	} else if (!rc) {
		rc = o.list ? list(&h, o.box, &e) :
		     o.drop ? drop(&h, o.drop, &e) :
			      add(&h, &o, &e);
		if (rc)
			rc = cmd_fail("queue", &e);
		home_close(&h);
	}
	strlist_free(&o.jobs);
	return rc;
}
