// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The verdict: first match of five rules. Estimates, adjusted p and the exact
 * p are made elsewhere and only weighed here.
 */
#include "verdict.h"
#include "sequential.h"

#include <math.h>

#define BOOTS_MIN	 3
#define EXACT_ALPHA	 .05
#define EQUIVALENT_LEVEL .10

/* Bounds of +-delta as shown: percent, or units. */
static double shown_delta(const struct estimate *s, double delta)
{
	return s->linear ? delta : 100 * delta;
}

static double with_floor(const struct estimate *s,
			 const struct verdict_rule *rule)
{
	double floor = s->linear ? rule->floor : expm1(rule->floor);

	/* fmax() takes the other one when one is NAN */
	return fmax(rule->delta, floor);
}

static bool is_inside(const struct estimate *s, struct interval y, double delta)
{
	struct interval shown = estimate_percents(s, y);
	double bound = shown_delta(s, delta);

	return shown.lo > -bound && shown.hi < bound;
}

static enum verdict_kind direction(const struct estimate *s,
				   enum verdict_better better)
{
	if (better == VERDICT_NEITHER)
		return VERDICT_CHANGED;
	return (s->diff > 0) == (better == VERDICT_HIGHER) ? VERDICT_IMPROVEMENT
							   : VERDICT_REGRESSION;
}

static struct interval equivalence(struct dist *d, const struct estimate *s,
				   bool sequential)
{
	if (sequential)
		return estimate_reach(s, sequential_t(s->n_base,
						      EQUIVALENT_LEVEL));
	if (s->exact)
		return estimate_reach(s, 0);
	return estimate_ci(d, s, 1 - EQUIVALENT_LEVEL);
}

static enum verdict_kind decide(struct dist *d, const struct estimate *s,
				const struct verdict_rule *rule, bool real,
				double delta)
{
	size_t n = s->n_base < s->n_head ? s->n_base : s->n_head;
	double size = fabs(estimate_percent(s, s->diff));

	if (n < BOOTS_MIN)
		return VERDICT_NONE;
	if (s->method == ESTIMATE_WELCH && !rule->vouched)
		return real ? VERDICT_DIFFERS : VERDICT_INCONCLUSIVE;
	if (real && (isnan(delta) || size >= shown_delta(s, delta)))
		return direction(s, rule->better);
	if (!isnan(delta) && n >= POWER_EQUIVALENT_MIN &&
	    is_inside(s, equivalence(d, s, rule->sequential), delta))
		return VERDICT_EQUIVALENT;
	return real ? VERDICT_NEAR : VERDICT_INCONCLUSIVE;
}

static enum verdict_note compare_exact(const struct estimate *s, double p_exact,
				       double least_exact)
{
	bool t = s->p < EXACT_ALPHA, exact = p_exact < EXACT_ALPHA;

	/* too few boots for the exact test to speak at all */
	if (isnan(p_exact) || s->exact || least_exact >= EXACT_ALPHA ||
	    t == exact)
		return VERDICT_AGREE;
	return exact ? VERDICT_ODD_BOOTS : VERDICT_FEW_BOOTS;
}

/* Excluding 0 by the anytime interval is what p < alpha is elsewhere. */
static bool is_real(const struct verdict_rule *rule, const struct verdict *v)
{
	if (!rule->sequential)
		return v->p_adjusted < rule->alpha;
	return v->ci.lo > 0 || v->ci.hi < 0;
}

static double evidence(const struct estimate *s)
{
	if (s->method != ESTIMATE_PAIRED)
		return NAN;
	if (s->exact)
		return sequential_e(s->diff == 0 ? 0 : INFINITY, s->n_base);
	return sequential_e(s->t, s->n_base);
}

struct verdict verdict_decide(struct dist *d, const struct estimate *s,
			      const struct verdict_rule *rule,
			      double p_adjusted, double p_exact,
			      double least_exact)
{
	struct verdict v = {
		.delta = with_floor(s, rule),
		.p = s->p,
		.p_adjusted = p_adjusted,
		.note = compare_exact(s, p_exact, least_exact),
	};
	struct power_spread spread = power_spread(s, rule->pool);
	double seen;
	bool real;

	v.e = evidence(s);
	seen = rule->sequential
		       ? sequential_t(s->n_base, rule->alpha / (double)rule->k)
		       : dist_t_quantile(d,
					 1 - rule->alpha / 2 / (double)rule->k,
					 s->df);
	v.ci = rule->sequential ? estimate_reach(s, seen)
				: estimate_ci(d, s, .95);
	v.mde = power_mde(d, s, &spread, power_delta(v.delta, s->linear), seen);
	v.pooled = spread.experiments;
	real = is_real(rule, &v);
	v.kind = decide(d, s, rule, real, v.delta);
	if (v.kind == VERDICT_INCONCLUSIVE)
		v.blocks = power_blocks(d, s, &spread,
					power_delta(v.delta, s->linear));
	v.below_delta = v.kind == VERDICT_EQUIVALENT && real;
	if (rule->sequential)
		v.p = v.p_adjusted = NAN;
	return v;
}

const char *verdict_name(enum verdict_kind kind)
{
	static const char *const name[] = {
		[VERDICT_NONE] = "NO VERDICT",
		[VERDICT_REGRESSION] = "REGRESSION",
		[VERDICT_IMPROVEMENT] = "IMPROVEMENT",
		[VERDICT_CHANGED] = "CHANGED",
		[VERDICT_EQUIVALENT] = "EQUIVALENT",
		[VERDICT_NEAR] = "NEAR DELTA",
		[VERDICT_DIFFERS] = "DIFFERS",
		[VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
	};

	return name[kind];
}
