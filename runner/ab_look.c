// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What the results of an experiment say so far. The same code as the report's
 * does the comparing, so that the look that stops it and the table that comes
 * after it cannot disagree.
 */
#include "ab_compare.h"

#include <stdio.h>
#include <string.h>

int ab_compare(const struct home *h, const struct conf_experiment *x,
	       struct compare *c, struct err *e)
{
	const struct request ask = {
		.rule = COMPARE_RULE_DEFAULT,
		.experiment = x->name,
	};

	*c = (struct compare){ .ngroup = 0 };
	if (request_load(h->path, &ask, x->kernels.v, (int)x->kernels.n, c,
			 e)) {
		compare_free(c);
		return e->kind == ERR_NOTFOUND ? 0 : -1;
	}
	if (!request_evaluate(c, e))
		return 1;
	compare_free(c);
	return -1;
}

static bool settled(enum verdict_kind k)
{
	return k == VERDICT_REGRESSION || k == VERDICT_IMPROVEMENT ||
	       k == VERDICT_CHANGED || k == VERDICT_EQUIVALENT;
}

static void see(const struct compare_group *g, const struct compare_stat *s,
		struct ab_look *l)
{
	bool is = settled(s->verdict.kind);

	if (s->estimate.n_base < l->blocks)
		l->blocks = s->estimate.n_base;
	l->of++;
	l->settled += is;
	/* the first that is open; only when none is, the first settled one */
	if (!l->text[0] || (!is && l->settled == l->of - 1))
		snprintf(l->text, sizeof(l->text), "%.80s %.80s of %.40s: %s",
			 g->job, s->name, g->head.kernel,
			 verdict_name(s->verdict.kind));
}

int ab_look(const struct home *h, const struct conf_experiment *x,
	    struct ab_look *l, struct err *e)
{
	size_t pairs = 0, wanted = x->jobs.n * (x->kernels.n - 1);
	struct compare c;
	int rc = ab_compare(h, x, &c, e);

	*l = (struct ab_look){ .blocks = (size_t)-1 };
	for (size_t i = 0; rc > 0 && i < c.ngroup; i++) {
		const struct compare_group *g = &c.group[i];
		size_t before = l->of;

		for (size_t k = 0; k < g->nstat; k++)
			if (g->stat[k].primary)
				see(g, &g->stat[k], l);
		pairs += l->of > before;
	}
	/* a job that has no pair yet, or no primary among its stats */
	if (pairs < wanted) {
		l->of += wanted - pairs;
		l->blocks = 0;
		if (!l->text[0] || l->settled == l->of - (wanted - pairs))
			snprintf(l->text, sizeof(l->text),
				 "%zu of %zu comparisons have no pair of runs "
				 "with a primary stat yet",
				 wanted - pairs, wanted);
	}
	if (rc > 0)
		compare_free(&c);
	return rc < 0 ? -1 : 0;
}

/* ---- one number -------------------------------------------------------------------- */

/* By its full name, or the first of the job's own that is there. */
static const struct compare_stat *pick(const struct compare_group *g,
				       const char *stat)
{
	const struct compare_stat *best = NULL;

	for (size_t i = 0; i < g->nstat; i++) {
		const struct compare_stat *s = &g->stat[i];

		if (stat ? !strcmp(s->name, stat) :
			   s->primary &&
				   (!best || strcmp(s->name, best->name) < 0))
			best = s;
	}
	return best;
}

static int fill_effect(const struct compare_group *g,
		       const struct compare_stat *s, double confidence,
		       struct ab_effect *out, struct err *e)
{
	struct dist *d = dist_new(1); /* quantiles draw nothing */
	struct interval ci;

	if (!d)
		return err_set(e, ERR_LIMIT, "out of memory");
	ci = estimate_ci(d, &s->estimate, confidence);
	dist_free(d);
	*out = (struct ab_effect){
		.blocks = s->estimate.n_base,
		.diff = s->estimate.diff,
		/* no spread at all: it is what it is */
		.lo = s->estimate.exact ? s->estimate.diff : ci.lo,
		.hi = s->estimate.exact ? s->estimate.diff : ci.hi,
		.value = estimate_shown(&s->estimate, s->estimate.base),
		.linear = s->linear,
		.better = s->better == VERDICT_HIGHER ? 1 :
			  s->better == VERDICT_LOWER  ? -1 :
							0,
	};
	snprintf(out->stat, sizeof(out->stat), "%s", s->name);
	snprintf(out->unit, sizeof(out->unit), "%s", s->unit);
	for (size_t i = 0; i < g->nfailure; i++)
		out->failed |= compare_failure_on_head(&g->failure[i]);
	return 0;
}

int ab_effect(const struct home *h, const struct conf_experiment *x,
	      const char *job, const char *stat, double confidence,
	      struct ab_effect *out, struct err *e)
{
	struct compare c;
	int rc = ab_compare(h, x, &c, e);

	*out = (struct ab_effect){ .blocks = 0 };
	if (rc <= 0)
		return rc;
	rc = 0;
	for (size_t i = 0; !rc && i < c.ngroup; i++) {
		const struct compare_stat *s = pick(&c.group[i], stat);

		if (strcmp(c.group[i].job, job) != 0 ||
		    strcmp(c.group[i].head.kernel, x->kernels.v[1]) != 0)
			continue;
		if (s)
			rc = fill_effect(&c.group[i], s, confidence, out, e);
		else if (c.group[i].nstat)
			rc = err_set(e, ERR_NOTFOUND, "job %.64s has no %s",
				     job, stat ? stat : "primary stat");
	}
	compare_free(&c);
	return rc;
}
