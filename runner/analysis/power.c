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

double power_mde(struct dist *d, const struct estimate *s, double delta,
		 double alpha, size_t k)
{
	double seen, size;

	if (!(s->se > 0))
		return NAN;
	seen = dist_t_quantile(d, .80, s->df) * s->se;
	size = dist_t_quantile(d, 1 - alpha / 2 / (double)k, s->df) * s->se +
	       seen;
	if (!isnan(delta))
		size = fmax(size, delta + seen);
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
				 double delta)
{
	struct power_blocks b = { 0, 0, false };

	if (!(s->sd > 0) || !(s->df > 0) || !(delta > 0))
		return b;
	b.known = true;
	b.lo = smallest(
		d, s, s->sd * sqrt(s->df / dist_chisq_quantile(d, .975, s->df)),
		delta);
	b.hi = smallest(
		d, s, s->sd * sqrt(s->df / dist_chisq_quantile(d, .025, s->df)),
		delta);
	return b;
}

double power_layout_floor(struct dist *d, const double *y, size_t m)
{
	if (m < 3)
		return NAN;
	return dist_t_quantile(d, .975, (double)(m - 1)) * sqrt(2) *
	       sample_moments(y, NULL, m).sd;
}

double power_hidden_mode(size_t n)
{
	return n ? 1 - pow(.05, 1 / (double)n) : 1;
}
