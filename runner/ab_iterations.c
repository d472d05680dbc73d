// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * How many iterations a run should have: as many as give the narrowest
 * interval for the time, by the spread within and between boots and by what
 * boots and iterations take (variance.h). Chosen once, after the first blocks,
 * from what is blind to the difference between the kernels; blocks begun later
 * have it (runjob.c).
 */
#include "ab.h"
#include "ab_compare.h"
#include "runjob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	ITERATIONS_MOST = 100,
	RUN_BOOTS = 4,        /* a run as long as 4 boots: more gains < 10 % */
};

struct best {
	bool known;
	int own, n;
	double share; /* of the variance of one iteration: within boots */
	double boot_s, iteration_s;
};

static int job_at(const struct conf_experiment *x, const char *job)
{
	for (size_t i = 0; i < x->jobs.n; i++)
		if (!strcmp(x->jobs.v[i], job))
			return (int)i;
	return -1;
}

/* By one head's first primary; the largest over the heads stays in *b. */
static int add_group(const struct home *h, const struct conf_experiment *x,
		     const struct compare_group *g, const struct ab_cost *cost,
		     struct best *b, struct err *e)
{
	const struct compare_stat *s = g->stat;
	const struct variance *v = &s->variance;
	int at = job_at(x, g->job), n, most;
	struct conf_job j;
	char path[128];

	if (at < 0 || !g->nstat || !s->primary || s->per_run ||
	    s->estimate.n_base < AB_CHOOSE_BLOCKS || !cost->boot.seen ||
	    !cost->job[at].seen)
		return 0;
	snprintf(path, sizeof(path), "conf/jobs/%.64s.cfg", g->job);
	if (conf_job_load(h->fd, path, &j, NULL, e))
		return -1;
	b->own = j.iterations;
	b->boot_s = cost->boot.s;
	/* set-up and packing are in it: they are small beside a boot */
	b->iteration_s = cost->job[at].s / (j.iterations + j.warmup);
	if (b->iteration_s < 1)
		b->iteration_s = 1; /* the logs count in seconds */
	conf_job_free(&j);
	/* one iteration a boot tells nothing of the spread within one */
	if (!(v->iteration > 0))
		return 0;
	most = (int)(RUN_BOOTS * b->boot_s / b->iteration_s);
	if (most > ITERATIONS_MOST)
		most = ITERATIONS_MOST;
	if (most < b->own)
		most = b->own;
	n = (int)variance_best_iterations(v, b->boot_s, b->iteration_s,
					  (unsigned int)most);
	if (b->known && n <= b->n)
		return 0;
	b->known = true;
	b->n = n;
	b->share = v->iteration / (v->iteration + v->boot);
	return 0;
}

/* *b: one for each job; false in *all: a head has too few blocks yet. */
static int find(const struct home *h, const struct conf_experiment *x,
		struct best *b, bool *all, struct err *e)
{
	struct ab_cost cost = { .njob = 0 };
	size_t heads = 0;
	struct compare c;
	int rc = ab_compare(h, x, &c, e);

	*all = false;
	if (rc <= 0)
		return rc;
	rc = ab_cost(h, x, &cost, e);
	for (size_t i = 0; !rc && i < c.ngroup; i++) {
		const struct compare_group *g = &c.group[i];
		int at = job_at(x, g->job);

		if (at < 0)
			continue;
		heads += g->nstat && g->stat->primary &&
			 g->stat->estimate.n_base >= AB_CHOOSE_BLOCKS;
		rc = add_group(h, x, g, &cost, &b[at], e);
	}
	*all = heads >= x->jobs.n * (x->kernels.n - 1);
	ab_cost_free(&cost);
	compare_free(&c);
	return rc;
}

static struct best *best_new(const struct conf_experiment *x, struct err *e)
{
	struct best *b = calloc(x->jobs.n ? x->jobs.n : 1, sizeof(*b));

	if (!b)
		err_set(e, ERR_LIMIT, "out of memory");
	return b;
}

static void reason(const struct best *b, struct buf *out)
{
	buf_printf(out, "of the spread %.0f %% lies within boots, a boot takes "
			"%.0f s, an iteration %.0f s",
		   100 * b->share, b->boot_s, b->iteration_s);
}

/* ---- choosing ------------------------------------------------------------------- */

/*
 * A fixed number of blocks is there for their sake: never fewer iterations
 * than the job asks for. One that stops by looks takes more blocks instead.
 */
static int settle(const struct conf_experiment *x, const struct best *b)
{
	int least = x->until_decided && b->own > 1 ? 2 : b->own;

	return b->n > least ? b->n : least;
}

static int set(struct conf_experiment *x, const struct best *b, struct err *e)
{
	struct buf why = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < x->jobs.n; i++) {
		struct buf word = { 0 };
		int n = b[i].known ? settle(x, &b[i]) : 0;

		if (n && n != b[i].own) {
			buf_printf(&word, "%s %d", x->jobs.v[i], n);
			rc = buf_ok(&word, e);
			if (!rc)
				rc = strlist_add(&x->iterations, word.data, e);
		}
		if (n) {
			buf_printf(&why, "%s%s: %d iterations a run",
				   why.len ? "; " : "", x->jobs.v[i], n);
			if (n == b[i].own)
				buf_puts(&why, " stay");
			else
				buf_printf(&why, " from now on instead of %d",
					   b[i].own);
			buf_puts(&why, " (");
			reason(&b[i], &why);
			buf_puts(&why, ")");
		}
		buf_free(&word);
	}
	if (!rc)
		rc = buf_ok(&why, e);
	if (!rc) {
		free(x->iterations_why);
		x->iterations_why = strdup(why.len ? why.data :
					   "the jobs' own iterations stay");
		/* a block that begins in this moment is an earlier one */
		x->iterations_from = (int64_t)time(NULL) + 1;
		if (!x->iterations_why)
			rc = err_set(e, ERR_LIMIT, "out of memory");
	}
	buf_free(&why);
	return rc;
}

int ab_choose_iterations(const struct home *h, const char *name,
			 struct buf *why, struct err *e)
{
	struct conf_experiment x;
	struct best *b = NULL;
	bool all = false;
	int rc = ab_load(h, name, &x, e);

	if (rc)
		return -1;
	if (x.iterations_auto && !x.iterations_from) {
		b = best_new(&x, e);
		rc = b ? find(h, &x, b, &all, e) : -1;
		if (!rc && all)
			rc = set(&x, b, e);
		if (!rc && all)
			rc = ab_save(h, &x, e);
		if (!rc && all)
			buf_puts(why, x.iterations_why);
	}
	free(b);
	conf_experiment_free(&x);
	return rc;
}

/* ---- afterwards ----------------------------------------------------------------- */

int ab_advice(const struct home *h, const struct conf_experiment *x,
	      struct buf *out, struct err *e)
{
	struct best *b;
	bool all;
	int rc;

	if (x->iterations_why)
		buf_printf(out, "%s\n", x->iterations_why);
	if (x->iterations_why || x->iterations.n)
		return buf_ok(out, e);
	b = best_new(x, e);
	rc = b ? find(h, x, b, &all, e) : -1;
	for (size_t i = 0; !rc && i < x->jobs.n; i++)
		if (b[i].known) {
			buf_printf(out,
				   "%s: %d iterations a boot; for the same "
				   "time, %d would have given the narrowest "
				   "interval (",
				   x->jobs.v[i], b[i].own, b[i].n);
			reason(&b[i], out);
			buf_puts(out, ")\n");
		}
	free(b);
	return rc ? -1 : buf_ok(out, e);
}
