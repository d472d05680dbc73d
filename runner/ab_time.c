// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * How long an experiment takes, before anybody waits for it: from what boots
 * and runs took before on its boxes. Where nothing is known, the limits in the
 * files stand in, and the text says so.
 */
#include "ab.h"
#include "lease.h"
#include "plan.h"
#include "runjob.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEEN_MAX = 200 }; /* the newest so many of each kind, a box */

/* ---- what was seen ---------------------------------------------------------- */

struct seen {
	double s[SEEN_MAX];
	int n; /* in all; s is a ring of the last */
};

static void see(struct seen *v, int64_t seconds)
{
	if (seconds >= 0)
		v->s[v->n++ % SEEN_MAX] = (double)seconds;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void median(struct seen *v, struct ab_part *part)
{
	size_t n = (size_t)(v->n < SEEN_MAX ? v->n : SEEN_MAX);

	if (!n)
		return;
	qsort(v->s, n, sizeof(v->s[0]), ascending);
	part->s = n % 2 ? v->s[n / 2] : (v->s[n / 2 - 1] + v->s[n / 2]) / 2;
	part->seen = (int)n;
}

/* Boots that were asked for and came about: from the answer to the hello. */
static void see_boots(const struct lease_log *l, const char *mode,
		      struct seen *boots)
{
	for (size_t i = 0; i + 1 < l->n; i++) {
		const struct lease_event *want = &l->v[i], *b = want + 1;

		if (want->kind == LEASE_WANT && b->kind == LEASE_BOOT &&
		    !strcmp(want->mode, mode) &&
		    !strcmp(want->kernel, b->kernel))
			see(boots, b->time_s - want->time_s);
	}
}

/* With other iterations than its own: only those of x since it has them. */
static bool alike(const struct conf_experiment *x, const char *job,
		  const struct lease_event *run)
{
	return !conf_experiment_iterations(x, job) ||
	       (!strcmp(run->experiment, x->name ? x->name : "") &&
		run->time_s > x->iterations_from);
}

static void see_runs(const struct lease_log *l,
		     const struct conf_experiment *x, const char *job,
		     struct seen *runs)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct lease_event *run = &l->v[i], *end;

		if (run->kind != LEASE_RUN || strcmp(run->job, job) != 0 ||
		    !alike(x, job, run))
			continue;
		end = lease_end(l, run->lease);
		if (end && !strcmp(end->how, outcome_name(OUTCOME_OK)))
			see(runs, end->time_s - run->time_s);
	}
}

/* ---- collecting it ------------------------------------------------------------ */

static int read_log(const struct home *h, const char *box, struct lease_log *l,
		    struct err *e)
{
	char path[128];
	int fd, rc;

	*l = (struct lease_log){ .fd = -1 };
	snprintf(path, sizeof(path), "store/%s", box);
	fd = openat(h->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* it never said hello */
	rc = lease_log_read(fd, l, e);
	close(fd);
	return rc;
}

static int limits(const struct home *h, const struct conf_experiment *x,
		  struct ab_cost *c, struct err *e)
{
	char path[128];

	for (size_t i = 0; i < x->boxes.n; i++) {
		struct conf_host host;

		snprintf(path, sizeof(path), "conf/hosts/%s.cfg",
			 x->boxes.v[i]);
		if (conf_host_load(h->fd, path, &host, NULL, e))
			return -1;
		if (host.boot_deadline_s > c->boot.s)
			c->boot.s = host.boot_deadline_s;
		conf_host_free(&host);
	}
	for (size_t i = 0; i < x->jobs.n; i++) {
		struct conf_job j;

		snprintf(path, sizeof(path), "conf/jobs/%s.cfg", x->jobs.v[i]);
		if (conf_job_load(h->fd, path, &j, NULL, e))
			return -1;
		if (conf_experiment_iterations(x, j.name))
			runjob_iterations(&j, conf_experiment_iterations(
						      x, j.name));
		c->job[i].s = (double)j.run_limit_ms / 1000;
		conf_job_free(&j);
	}
	return 0;
}

int ab_cost(const struct home *h, const struct conf_experiment *x,
	    struct ab_cost *c, struct err *e)
{
	const char *mode = x->boot == BOOT_KEXEC ? "kexec" : "firmware";
	struct seen *seen = calloc(x->jobs.n + 1, sizeof(*seen));
	int rc;

	*c = (struct ab_cost){
		.job = calloc(x->jobs.n ? x->jobs.n : 1, sizeof(*c->job)),
		.njob = x->jobs.n,
	};
	if (!seen || !c->job) {
		free(seen);
		ab_cost_free(c);
		return err_set(e, ERR_LIMIT, "out of memory");
	}
	rc = limits(h, x, c, e);
	for (size_t i = 0; !rc && i < x->boxes.n; i++) {
		struct lease_log l;

		rc = read_log(h, x->boxes.v[i], &l, e);
		if (rc)
			break;
		see_boots(&l, mode, &seen[x->jobs.n]);
		for (size_t k = 0; k < x->jobs.n; k++)
			see_runs(&l, x, x->jobs.v[k], &seen[k]);
		lease_log_close(&l);
	}
	if (!rc)
		median(&seen[x->jobs.n], &c->boot);
	for (size_t k = 0; !rc && k < x->jobs.n; k++)
		median(&seen[k], &c->job[k]);
	free(seen);
	if (rc)
		ab_cost_free(c);
	return rc;
}

void ab_cost_free(struct ab_cost *c)
{
	free(c->job);
	*c = (struct ab_cost){ 0 };
}

/* ---- saying it ----------------------------------------------------------------- */

static void duration(double s, struct buf *b)
{
	long t = (long)(s + .5);

	if (t < 120)
		buf_printf(b, "%ld s", t);
	else if (t < 7200)
		buf_printf(b, "%ld min", (t + 30) / 60);
	else
		buf_printf(b, "%ld h %ld min", t / 3600, t % 3600 / 60);
}

static void part(const char *what, const struct ab_part *p, struct buf *b)
{
	buf_printf(b, "  %s: ", what);
	if (!p->seen)
		buf_puts(b, "never seen here; its limit is ");
	duration(p->s, b);
	if (p->seen)
		buf_printf(b, ", median of %d seen here", p->seen);
	buf_puts(b, "\n");
}

/* Limits stand in for something that was never seen. */
static bool has_limits(const struct ab_cost *c)
{
	bool limits = !c->boot.seen;

	for (size_t i = 0; i < c->njob; i++)
		limits |= !c->job[i].seen;
	return limits;
}

static int boots_of_block(const struct conf_experiment *x)
{
	return (int)(x->kernels.n * (x->jobs_share_boot ? 1 : x->jobs.n));
}

/* Blocks are shared by the boxes, each warms up for itself. */
static double blocks_s(const struct conf_experiment *x,
		       const struct ab_cost *c, int blocks, bool warmup)
{
	double block = boots_of_block(x) * c->boot.s;
	int nbox = (int)x->boxes.n, each = (blocks + nbox - 1) / nbox;

	for (size_t i = 0; i < c->njob; i++)
		block += (double)x->kernels.n * c->job[i].s;
	return block * (warmup + each);
}

static double runs_s(const struct conf_experiment *x, const struct ab_cost *c,
		     int runs)
{
	double all = 0;

	for (size_t i = 0; i < c->njob; i++)
		all += c->job[i].s + (x->jobs_share_boot ? 0 : c->boot.s);
	return c->njob ? all / (double)c->njob * runs : 0;
}

void ab_left_text(const struct conf_experiment *x, const struct ab_cost *c,
		  const struct plan_progress *p, struct buf *out)
{
	bool ab = !strcmp(x->kind, "ab");
	int left = p->wanted - p->done - (ab ? 0 : p->failed);

	if (p->end != PLAN_ACTIVE)
		return;
	/* the last block of those wanted may be kept while one is under way */
	if (left < 1)
		left = 1;
	buf_puts(out, has_limits(c) || x->until_decided ? "at most " :
							  "about ");
	duration(ab ? blocks_s(x, c, left, p->block == 0) :
		      runs_s(x, c, left), out);
	buf_puts(out, " left");
}

void ab_cost_text(const struct conf_experiment *x, const struct ab_cost *c,
		  int blocks, struct buf *out)
{
	int boots = boots_of_block(x), nbox = (int)x->boxes.n;
	bool limits = has_limits(c);

	buf_puts(out, limits ? "at most " : "about ");
	duration(blocks_s(x, c, blocks, true), out);
	buf_printf(out, ": %d blocks and a warm-up%s, %d boots each",
		   blocks, nbox > 1 ? " a box" : "", boots);
	if (nbox > 1)
		buf_printf(out, ", on %d boxes", nbox);
	buf_puts(out, limits ? " (limits stand in for what was never seen)\n" :
			       "\n");
	part(x->boot == BOOT_KEXEC ? "boot by kexec" : "boot by firmware",
	     &c->boot, out);
	for (size_t i = 0; i < c->njob; i++)
		part(x->jobs.v[i], &c->job[i], out);
}
