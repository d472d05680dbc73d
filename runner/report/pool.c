// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Finds earlier experiments of a group's kind and takes the spread out of them.
 * Whether it may be pooled is decided in runner/analysis/power.c.
 */
#include "pool.h"
#include "conf.h"
#include "match.h"

#include <string.h>
#include <unistd.h>

/* A file that is gone says nothing, and most experiments have no looks. */
static bool was_looked_at(const struct home *h, const char *experiment)
{
	struct conf_experiment x;
	struct buf path = { 0 };
	struct err e = ERR_INIT;
	bool looks = false;

	buf_printf(&path, "conf/experiments/%s.cfg", experiment);
	if (!faccessat(h->fd, buf_str(&path), R_OK, 0) &&
	    !conf_experiment_load(h->fd, buf_str(&path), &x, NULL, &e)) {
		looks = x.until_decided;
		conf_experiment_free(&x);
	}
	buf_free(&path);
	return looks;
}

static size_t pairs(const struct compare_group *g,
		    const struct compare_stat *st)
{
	size_t n = 0;

	for (size_t j = 0; j < g->n_base; j++)
		n += st->base[j].n && st->head[j].n;
	return n;
}

static bool needs_it(const struct compare_group *g,
		     const struct compare_stat *st)
{
	return st->primary && compare_is_paired(g) && !g->sequential &&
	       pairs(g, st) < COMPARE_ROUGH;
}

/* The spread of one stat in blocks of two kernels that were judged. */
static void take(const struct compare *old, const struct compare_group *g,
		 const struct compare_rule *rule, struct compare_stat *st)
{
	for (size_t i = 0; i < old->ngroup; i++) {
		const struct compare_group *o = &old->group[i];

		if (strcmp(o->name, g->name) != 0 ||
		    strcmp(o->boot_mode, g->boot_mode) != 0 ||
		    !compare_is_paired(o))
			continue;
		for (size_t k = 0; k < o->nstat; k++)
			if (!strcmp(o->stat[k].name, st->name) &&
			    o->stat[k].linear == compare_is_linear(rule, g, st))
				power_pool_add(&st->pool,
					       o->stat[k].estimate.sd,
					       o->stat[k].estimate.df);
	}
}

static int one_stat(struct index *x, const struct compare_rule *rule,
		    const struct compare_group *g, const char *experiment,
		    const struct strlist *kernels, struct compare_stat *st,
		    struct dist *d, struct err *e)
{
	const char *head = kernels->v[1];
	const struct match_query q = {
		.base = kernels->v[0],
		.head = &head,
		.nhead = 1,
		.job = g->job,
		.experiment = experiment,
		.stat = st->name,
		.only_stat = true,
	};
	struct compare old = { .rule = *rule };
	int rc = match_load(x, &q, &old, e);

	/* estimates alone: an exact test takes 10 ms, and there is no verdict
	 */
	for (size_t i = 0; i < old.ngroup; i++)
		for (size_t k = 0; k < old.group[i].nstat; k++)
			old.group[i].stat[k].primary = false;
	if (!rc)
		rc = compare_evaluate(&old, d, e);
	if (!rc)
		take(&old, g, rule, st);
	else if (e->kind == ERR_NOTFOUND || e->kind == ERR_INPUT)
		rc = 0; /* nothing to compare there */
	compare_free(&old);
	return rc;
}

static int one_experiment(struct index *x, const struct compare *c,
			  struct compare_group *g,
			  const struct index_kind *kind, const char *experiment,
			  struct dist *d, struct err *e)
{
	struct strlist kernels = { 0 };
	int rc = index_experiment_kernels(x, kind, experiment, &kernels, e);

	for (size_t i = 0; !rc && kernels.n > 1 && i < g->nstat; i++)
		if (needs_it(g, &g->stat[i]))
			rc = one_stat(x, &c->rule, g, experiment, &kernels,
				      &g->stat[i], d, e);
	strlist_free(&kernels);
	return rc;
}

static bool any_needs_it(const struct compare_group *g)
{
	for (size_t i = 0; i < g->nstat; i++)
		if (needs_it(g, &g->stat[i]))
			return true;
	return false;
}

static int one_group(const struct home *h, struct index *x, struct compare *c,
		     struct compare_group *g, struct dist *d, struct err *e)
{
	int64_t first = g->base.first_s < g->head.first_s ? g->base.first_s
							  : g->head.first_s;
	const struct index_kind kind = { g->name, g->job, g->boot_mode, first };
	struct strlist found = { 0 };
	int rc = 0;

	if (any_needs_it(g))
		rc = index_experiments(x, &kind, POOL_EXPERIMENTS, &found, e);
	for (size_t i = 0; !rc && i < found.n; i++)
		if (!strlist_has(&g->experiments, found.v[i]) &&
		    !was_looked_at(h, found.v[i]))
			rc = one_experiment(x, c, g, &kind, found.v[i], d, e);
	strlist_free(&found);
	return rc;
}

int pool_load(const struct home *h, struct index *x, struct compare *c,
	      struct err *e)
{
	struct dist *d = dist_new(1); /* for exact tests nobody reads */
	int rc = 0;

	if (!d)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (size_t i = 0; !rc && i < c->ngroup; i++)
		rc = one_group(h, x, c, &c->group[i], d, e);
	dist_free(d);
	return rc;
}
