// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Method of moments from the two mean squares; with unequal iterations the
 * usual n0 (Searle, Casella & McCulloch, "Variance Components", 3.6).
 */
#include "variance.h"

#include <math.h>

struct sums {
	size_t boots, groups, iterations;
	double within, between, n0_sum;
};

static double value(double x, bool linear)
{
	return linear ? x : log(x);
}

static void add_side(struct sums *s, const struct sample_boot *b, size_t n,
		     bool linear)
{
	double total = 0, count = 0, squares = 0, grand;

	for (size_t j = 0; j < n; j++) {
		if (!b[j].n)
			continue;
		total += (double)b[j].n * sample_mean(&b[j], b[j].n, linear);
		count += (double)b[j].n;
		squares += (double)b[j].n * (double)b[j].n;
		s->boots++;
		s->iterations += b[j].n;
	}
	if (!(count > 0))
		return;
	s->groups++;
	s->n0_sum += count - squares / count;
	grand = total / count;
	for (size_t j = 0; j < n; j++) {
		double mean;

		if (!b[j].n)
			continue;
		mean = sample_mean(&b[j], b[j].n, linear);
		s->between += (double)b[j].n * (mean - grand) * (mean - grand);
		for (size_t k = 0; k < b[j].n; k++) {
			double r = value(b[j].v[k], linear) - mean;

			s->within += r * r;
		}
	}
}

static struct variance solve(const struct sums *s)
{
	struct variance v = { s->boots, s->iterations, NAN, NAN, NAN };
	double df_between, df_within, ms_between, ms_within;

	if (s->boots <= s->groups)
		return v;
	df_between = (double)(s->boots - s->groups);
	df_within = (double)(s->iterations - s->boots);
	ms_between = s->between / df_between;
	if (!(df_within > 0)) {
		v.boot = ms_between;
		return v;
	}
	ms_within = s->within / df_within;
	v.iteration = ms_within;
	v.boot = fmax(0, (ms_between - ms_within) * df_between / s->n0_sum);
	v.p = ms_within > 0 ? dist_f_upper(ms_between / ms_within, df_between,
					   df_within)
			    : (ms_between > 0 ? 0 : 1);
	return v;
}

struct variance variance_components(const struct sample_boot *b, size_t n,
				    bool linear)
{
	struct sums s = { 0 };

	add_side(&s, b, n, linear);
	return solve(&s);
}

struct variance variance_pooled(const struct sample_boot *base, size_t n_base,
				const struct sample_boot *head, size_t n_head,
				bool linear)
{
	struct sums s = { 0 };

	add_side(&s, base, n_base, linear);
	add_side(&s, head, n_head, linear);
	return solve(&s);
}

unsigned int variance_best_iterations(const struct variance *v,
				      double boot_cost, double iteration_cost,
				      unsigned int max)
{
	double best;

	if (!(v->iteration >= 0) || !(v->boot > 0))
		return max;
	best = ceil(sqrt(boot_cost / iteration_cost * v->iteration / v->boot));
	return best < 1 ? 1 : best > max ? max : (unsigned int)best;
}
