// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Minimum detectable effect, blocks still needed, layout floor. Arithmetic on
 * an estimate; the verdict itself is in verdict.c.
 */
#include "power.h"
#include "sample.h"

#include <math.h>

double power_delta(double delta, bool linear)
{
	return linear ? delta : log1p(delta);
}

void power_pool_add(struct power_pool *p, double sd, double df)
{
	if (!(sd > 0) || !(df > 0))
		return;
	p->squares += df * sd * sd;
	p->df += df;
	p->experiments++;
}

/* Two-sided: the larger variance over the smaller one. */
static bool may_be_equal(double sd1, double df1, double sd2, double df2)
{
	double f = sd1 * sd1 / (sd2 * sd2);
	double p = f > 1 ? dist_f_upper(f, df1, df2)
			 : dist_f_upper(1 / f, df2, df1);

	return 2 * p >= POWER_POOL_ALPHA;
}

struct power_spread power_spread(const struct estimate *s,
				 const struct power_pool *pool)
{
	struct power_spread own = { s->sd, s->df, 0 };
	double earlier;

	if (!pool || !pool->experiments || s->method == ESTIMATE_WELCH ||
	    !(s->sd > 0) || !(s->df > 0))
		return own;
	earlier = sqrt(pool->squares / pool->df);
	if (!may_be_equal(s->sd, s->df, earlier, pool->df))
		return own;
	return (struct power_spread){
		.sd = sqrt((pool->squares + s->df * s->sd * s->sd) /
			   (pool->df + s->df)),
		.df = pool->df + s->df,
		.experiments = pool->experiments,
	};
}

double power_mde(struct dist *d, const struct estimate *s,
		 const struct power_spread *spread, double delta, double seen)
{
	double se, chance, size;

	if (!(s->se > 0) || isinf(seen))
		return NAN;
	/* unpaired spreads are not pooled: their SE is no sd over a root */
	se = spread->experiments ? s->se * spread->sd / s->sd : s->se;
	/* the test's own df: it will not know more than its own boots */
	chance = dist_t_quantile(d, .80, s->df) * se;
	size = seen * se + chance;
	if (!isnan(delta))
		size = fmax(size, delta + chance);
	return estimate_percent(s, size);
}

/* df and SE of an experiment like s with n blocks, or n boots a side. */
static double planned_df(const struct estimate *s, unsigned int n)
{
	double vb = s->base_sd * s->base_sd, vh = s->head_sd * s->head_sd;

	switch (s->method) {
	case ESTIMATE_PAIRED:
		return n - 1.0;
	case ESTIMATE_ORDERED:
		return n - 2.0;
	case ESTIMATE_WELCH:
		break;
	}
	return (n - 1.0) * (vb + vh) * (vb + vh) / (vb * vb + vh * vh);
}

static bool enough(struct dist *d, const struct estimate *s, unsigned int n,
		   double sd, double delta)
{
	double df = planned_df(s, n);

	return (dist_t_quantile(d, .95, df) + dist_t_quantile(d, .90, df)) *
		       sd / sqrt(n) <=
	       delta;
}

/* More blocks never hurt: bisection, as a quantile costs microseconds. */
static unsigned int smallest(struct dist *d, const struct estimate *s,
			     double sd, double delta)
{
	unsigned int lo = POWER_EQUIVALENT_MIN, hi = POWER_BLOCKS_MAX + 1;

	while (lo < hi) {
		unsigned int n = (lo + hi) / 2;

		if (enough(d, s, n, sd, delta))
			hi = n;
		else
			lo = n + 1;
	}
	return lo > POWER_BLOCKS_MAX ? 0 : lo;
}

struct power_blocks power_blocks(struct dist *d, const struct estimate *s,
				 const struct power_spread *spread,
				 double delta)
{
	struct power_blocks b = { 0, 0, false };
	double sd = spread->sd, df = spread->df;

	if (!(sd > 0) || !(df > 0) || !(delta > 0))
		return b;
	b.known = true;
	b.lo = smallest(d, s, sd * sqrt(df / dist_chisq_quantile(d, .975, df)),
			delta);
	b.hi = smallest(d, s, sd * sqrt(df / dist_chisq_quantile(d, .025, df)),
			delta);
	return b;
}

/* Builds with boots; adds to the sums of squares and of weights. */
static size_t add_builds(const struct power_side *side, double *squares,
			 double *weights)
{
	double mean[POWER_BUILDS_MAX] = { 0 }, boots[POWER_BUILDS_MAX] = { 0 };
	double kept[POWER_BUILDS_MAX];
	size_t builds = 0;
	struct sample_moments m;

	for (size_t i = 0; i < side->n; i++) {
		mean[side->build[i]] += side->y[i];
		boots[side->build[i]]++;
	}
	for (size_t k = 0; k < POWER_BUILDS_MAX; k++) {
		double w = boots[k] / (double)side->n;

		if (!(boots[k] > 0))
			continue;
		kept[builds++] = mean[k] / boots[k];
		*weights += w * w;
	}
	m = sample_moments(kept, NULL, builds);
	if (builds > 1)
		*squares += m.sd * m.sd * (double)(builds - 1);
	return builds;
}

struct power_floor power_layout_floor(struct dist *d,
				      const struct power_side side[2])
{
	struct power_floor f = { { 0, 0 }, NAN, NAN, NAN };
	double squares = 0, weights = 0;

	if (!side[0].n || !side[1].n)
		return f;
	for (int i = 0; i < 2; i++)
		f.builds[i] = add_builds(&side[i], &squares, &weights);
	if (f.builds[0] < POWER_BUILDS_MIN && f.builds[1] < POWER_BUILDS_MIN)
		return f;
	f.df = (double)(f.builds[0] + f.builds[1] - 2);
	f.sd = sqrt(squares / f.df);
	f.floor = dist_t_quantile(d, .975, f.df) * f.sd * sqrt(weights);
	return f;
}

double power_hidden_mode(size_t n)
{
	return n ? 1 - pow(.05, 1 / (double)n) : 1;
}
