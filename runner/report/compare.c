// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Puts the statistics of runner/analysis to work on all stats of a comparison:
 * which stats form a family, and what the report's exit status is. Reads and
 * prints nothing.
 */
#include "compare.h"
#include "../analysis/fisher.h"
#include "../analysis/multi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool compare_is_paired(const struct compare_group *g)
{
	return g->design == COMPARE_BLOCKS || g->design == COMPARE_PAIRS;
}

bool compare_failure_on_head(const struct compare_failure *f)
{
	return f->head && !f->base && !f->setup;
}

bool compare_same_image(const struct compare_group *g)
{
	return g->base.build_id && g->head.build_id && *g->base.build_id &&
	       !strcmp(g->base.build_id, g->head.build_id);
}

static void span(const struct sample_boot *b, size_t n, struct compare_stat *s)
{
	for (size_t i = 0; i < n; i++) {
		if (!b[i].n)
			continue;
		if (!s->iterations_min || b[i].n < s->iterations_min)
			s->iterations_min = b[i].n;
		if (b[i].n > s->iterations_max)
			s->iterations_max = b[i].n;
	}
}

bool compare_is_linear(const struct compare_rule *rule,
		       const struct compare_group *g,
		       const struct compare_stat *s)
{
	return rule->linear || sample_percent_unit(s->unit) ||
	       sample_not_positive(s->base, g->n_base) ||
	       sample_not_positive(s->head, g->n_head);
}

/* Scratch for one group's boots, so that a stat costs no allocation. */
struct scratch {
	struct sample_kept kept;
	signed char *order;
	unsigned int *build[2];
};

static void exact_test(struct dist *d, const struct compare_group *g,
		       const struct scratch *w, struct compare_stat *s)
{
	const struct sample_kept *k = &w->kept;

	if (s->estimate.exact || isnan(s->estimate.p))
		return;
	s->exact = compare_is_paired(g)
			   ? exact_signflip(d, k->base, k->head, k->n_base)
			   : exact_permutation(d, k->base, k->n_base, k->head,
					       k->n_head);
}

/* The interval of the effect of a boot's place in its block. */
static void position(struct dist *d, struct compare_stat *s)
{
	const struct estimate *e = &s->estimate;
	double t;

	if (!(e->position_se > 0))
		return;
	t = dist_t_quantile(d, .975, e->position_df) * e->position_se;
	s->position = (struct interval){ e->position - t, e->position + t };
}

static void estimate(struct dist *d, const struct compare_group *g,
		     const struct scratch *w, struct compare_stat *s)
{
	const struct sample_kept *k = &w->kept;

	if (!compare_is_paired(g)) {
		estimate_welch(k->base, k->n_base, k->head, k->n_head,
			       s->linear, &s->estimate);
		if (s->linear)
			s->fieller = fieller_welch(d, k->base, k->n_base,
						   k->head, k->n_head);
		return;
	}
	if (g->order)
		for (size_t j = 0; j < k->n_base; j++)
			w->order[j] = g->order[k->block[j]];
	estimate_paired(k->base, k->head,
			g->order && !g->sequential ? w->order : NULL, k->n_base,
			s->linear, &s->estimate);
	if (s->linear)
		s->fieller = fieller_paired(d, k->base, k->head, k->n_base);
	position(d, s);
}

/* What builds of one kernel differ by: the least that counts as a change. */
static struct power_floor layout_floor(struct dist *d,
				       const struct compare_group *g,
				       const struct scratch *w)
{
	const struct sample_kept *k = &w->kept;
	const size_t *head_at = compare_is_paired(g) ? k->block : k->head_block;
	const struct power_side side[2] = {
		{ k->base, w->build[0], k->n_base },
		{ k->head, w->build[1], k->n_head },
	};

	if (!g->base_build || !g->head_build)
		return (struct power_floor){ { 1, 1 }, NAN, NAN, NAN };
	for (size_t i = 0; i < k->n_base; i++)
		w->build[0][i] = g->base_build[k->block[i]];
	for (size_t i = 0; i < k->n_head; i++)
		w->build[1][i] = g->head_build[head_at[i]];
	return power_layout_floor(d, side);
}

/* What a primary's verdict rests on, for those who want to see it. */
static int keep(struct compare_group *g, const struct sample_kept *k,
		struct compare_stat *s, struct err *e)
{
	double *y = compare_room(g, k->n_base + k->n_head + 1, e);

	if (!y)
		return -1;
	s->kept = (struct sample_kept){ .base = y,
					.head = y + k->n_base,
					.n_base = k->n_base,
					.n_head = k->n_head,
					.dropped = k->dropped };
	memcpy(s->kept.base, k->base, k->n_base * sizeof(*y));
	memcpy(s->kept.head, k->head, k->n_head * sizeof(*y));
	return 0;
}

static int evaluate_stat(struct dist *d, const struct compare_rule *rule,
			 struct compare_group *g, struct scratch *w,
			 struct compare_stat *s, struct err *e)
{
	size_t planned = s->per_run ? 1 : g->planned;

	if (sample_check(s->base, g->n_base, "base", e) ||
	    sample_check(s->head, g->n_head, "head", e))
		return err_prefix(e, "%s", s->name);
	span(s->base, g->n_base, s);
	span(s->head, g->n_head, s);
	if (!planned)
		planned = s->iterations_max;
	s->linear = compare_is_linear(rule, g, s);
	if (compare_is_paired(g))
		sample_paired(s->base, s->head, g->n_base, planned, s->linear,
			      &w->kept);
	else
		sample_unpaired(s->base, g->n_base, s->head, g->n_head, planned,
				s->linear, &w->kept);
	s->dropped = w->kept.dropped;
	s->fieller = (struct fieller){ NAN, { NAN, NAN }, NAN, false };
	s->exact = (struct exact){ 0, 0, NAN };
	s->position = (struct interval){ NAN, NAN };
	estimate(d, g, w, s);
	if (!s->primary)
		return 0;
	exact_test(d, g, w, s);
	s->variance = variance_pooled(s->base, g->n_base, s->head, g->n_head,
				      s->linear);
	s->layout = layout_floor(d, g, w);
	return keep(g, &w->kept, s, e);
}

static int evaluate_group(struct dist *d, const struct compare_rule *rule,
			  struct compare_group *g, struct err *e)
{
	size_t n = g->n_base > g->n_head ? g->n_base : g->n_head;
	struct scratch w = { .kept = { 0 } };
	int rc = -1;

	n = n ? n : 1;
	w.kept.base = calloc(n, sizeof(*w.kept.base));
	w.kept.head = calloc(n, sizeof(*w.kept.head));
	w.kept.block = calloc(n, sizeof(*w.kept.block));
	w.kept.head_block = calloc(n, sizeof(*w.kept.head_block));
	w.order = calloc(n, sizeof(*w.order));
	w.build[0] = calloc(2 * n, sizeof(*w.build[0]));
	w.build[1] = w.build[0] ? w.build[0] + n : NULL;
	if (!w.kept.base || !w.kept.head || !w.kept.block ||
	    !w.kept.head_block || !w.order || !w.build[0]) {
		err_set(e, ERR_LIMIT, "out of memory for %zu boots", n);
		goto out;
	}
	for (size_t i = 0; i < g->nstat; i++)
		if (evaluate_stat(d, rule, g, &w, &g->stat[i], e))
			goto out;
	for (size_t i = 0; i < g->nfailure; i++)
		g->failure[i].p = fisher_exact(g->failure[i].base, g->base.runs,
					       g->failure[i].head,
					       g->head.runs);
	rc = 0;
out:
	free(w.kept.base);
	free(w.kept.head);
	free(w.kept.block);
	free(w.kept.head_block);
	free(w.order);
	free(w.build[0]);
	return rc;
}

/* Primaries of all these groups, or all the other stats, are one family. */
static int adjust(struct compare_group *g, size_t ngroup, bool primary,
		  struct err *e)
{
	size_t n = 0, at = 0;
	double *p;
	int rc;

	for (size_t i = 0; i < ngroup; i++)
		n += g[i].nstat;
	p = calloc(n ? n : 1, sizeof(*p));
	if (!p)
		return err_set(e, ERR_LIMIT, "out of memory for %zu stats", n);
	for (size_t i = 0; i < ngroup; i++)
		for (size_t k = 0; k < g[i].nstat; k++) {
			const struct compare_stat *s = &g[i].stat[k];
			bool in = s->primary == primary;

			/* an exact p counts arrangements: not for BH */
			if (!primary && s->estimate.exact)
				in = false;
			p[at++] = in ? s->estimate.p : NAN;
		}
	rc = primary ? multi_holm(p, n, p, e) : multi_bh(p, n, p, e);
	at = 0;
	for (size_t i = 0; !rc && i < ngroup; i++)
		for (size_t k = 0; k < g[i].nstat; k++, at++)
			if (g[i].stat[k].primary == primary)
				g[i].stat[k].p_adjusted = p[at];
	free(p);
	return rc;
}

/* The least p that the exact test can give with these boots. */
static double least_exact(const struct compare_stat *s)
{
	double p = 2;

	if (s->estimate.method != ESTIMATE_WELCH)
		return ldexp(1, 1 - (int)s->estimate.n_base);
	for (size_t i = 1; i <= s->estimate.n_base; i++)
		p *= (double)i / (double)(s->estimate.n_head + i);
	return p;
}

/* The floor given by hand is for ratios; else that of the builds. */
static double floor_of(const struct compare_rule *rule,
		       const struct compare_stat *s)
{
	if (!s->linear && !isnan(rule->floor))
		return log1p(rule->floor);
	return s->primary ? s->layout.floor : NAN;
}

static void judge(struct dist *d, const struct compare *c,
		  const struct compare_group *g, struct compare_stat *s)
{
	const struct verdict_rule rule = {
		.alpha = c->rule.alpha,
		.delta = s->linear ? c->rule.delta_units : c->rule.delta,
		.floor = floor_of(&c->rule, s),
		.k = c->primaries ? c->primaries : 1,
		.better = s->better,
		.vouched = g->design != COMPARE_UNBLOCKED,
		.sequential = g->sequential,
		.pool = &s->pool,
	};

	if (s->primary) {
		s->verdict = verdict_decide(d, &s->estimate, &rule,
					    s->p_adjusted, s->exact.p,
					    least_exact(s));
		return;
	}
	s->verdict = (struct verdict){
		.delta = NAN,
		.p = s->estimate.p,
		.p_adjusted = s->p_adjusted,
		.e = NAN,
		.ci = estimate_ci(d, &s->estimate, .95),
		.mde = NAN,
	};
}

int compare_evaluate(struct compare *c, struct dist *d, struct err *e)
{
	c->primaries = 0;
	for (size_t i = 0; i < c->ngroup; i++) {
		struct compare_group *g = &c->group[i];

		if (evaluate_group(d, &c->rule, g, e))
			return err_prefix(e, "%s", g->name);
		if (adjust(g, 1, false, e))
			return -1;
		for (size_t k = 0; k < g->nstat; k++)
			c->primaries += g->stat[k].primary;
	}
	if (adjust(c->group, c->ngroup, true, e))
		return -1;
	for (size_t i = 0; i < c->ngroup; i++) {
		struct compare_group *g = &c->group[i];

		for (size_t k = 0; k < g->nstat; k++)
			judge(d, c, g, &g->stat[k]);
	}
	compare_sort(c);
	return 0;
}

static int worse(int status, const struct compare_stat *s)
{
	if (!s->primary || status == COMPARE_REGRESSION)
		return status;
	switch (s->verdict.kind) {
	case VERDICT_REGRESSION:
		return COMPARE_REGRESSION;
	case VERDICT_NONE:
	case VERDICT_NEAR:
	case VERDICT_DIFFERS:
	case VERDICT_INCONCLUSIVE:
		return COMPARE_UNSETTLED;
	case VERDICT_IMPROVEMENT:
	case VERDICT_CHANGED:
	case VERDICT_EQUIVALENT:
		break;
	}
	return status;
}

int compare_exit_status(const struct compare *c)
{
	int status = c->primaries ? 0 : COMPARE_UNSETTLED;

	for (size_t i = 0; i < c->ngroup; i++) {
		for (size_t k = 0; k < c->group[i].nfailure; k++)
			if (compare_failure_on_head(&c->group[i].failure[k]))
				return COMPARE_REGRESSION;
		for (size_t k = 0; k < c->group[i].nstat; k++)
			status = worse(status, &c->group[i].stat[k]);
	}
	return status;
}
