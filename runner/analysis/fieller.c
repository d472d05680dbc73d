// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * E. C. Fieller, "Some problems in interval estimation", JRSS B 16 (1954):
 * the ratios r for which head - r base is not significantly off zero.
 */
#include "fieller.h"
#include "sample.h"

#include <math.h>

/* vb, vh, c: variances of the two means, and their covariance */
static struct fieller solve(double base, double head, double vb, double vh,
			    double c, double t, double df)
{
	struct fieller f = {
		.percent = NAN, .ci = { NAN, NAN }, .df = df, .clear = false
	};
	double qa = base * base - t * t * vb;
	double qb = base * head - t * t * c;
	double qc = head * head - t * t * vh;
	double root = qb * qb - qa * qc, lo, hi;

	/* base within t of its SE of zero: the ratio can be anything */
	if (!(qa > 0) || !(root >= 0))
		return f;
	lo = (qb - sqrt(root)) / qa;
	hi = (qb + sqrt(root)) / qa;
	f.clear = true;
	f.percent = 100 * (head / base - 1);
	f.ci = (struct interval){ 100 * (lo - 1), 100 * (hi - 1) };
	return f;
}

struct fieller fieller_paired(struct dist *d, const double *base,
			      const double *head, size_t n)
{
	struct sample_moments b = sample_moments(base, NULL, n);
	struct sample_moments h = sample_moments(head, NULL, n);
	double count = (double)n, df = count - 1, c = 0;

	if (n < 2)
		return (struct fieller){ NAN, { NAN, NAN }, NAN, false };
	for (size_t j = 0; j < n; j++)
		c += (base[j] - b.mean) * (head[j] - h.mean);
	return solve(b.mean, h.mean, b.sd * b.sd / count, h.sd * h.sd / count,
		     c / df / count, dist_t_quantile(d, .975, df), df);
}

struct fieller fieller_welch(struct dist *d, const double *base, size_t n_base,
			     const double *head, size_t n_head)
{
	struct estimate w;
	double df;

	estimate_welch(base, n_base, head, n_head, true, &w);
	if (n_base < 2 || n_head < 2)
		return (struct fieller){ NAN, { NAN, NAN }, NAN, false };
	df = w.exact ? (double)(n_base + n_head - 2) : w.df;
	return solve(w.base, w.head, w.base_sd * w.base_sd / (double)n_base,
		     w.head_sd * w.head_sd / (double)n_head, 0,
		     dist_t_quantile(d, .975, df), df);
}
