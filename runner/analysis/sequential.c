// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The rule by which `ab --until decided` stops. Which blocks are kept, and
 * what follows from the answer, is the caller's.
 */
#include "sequential.h"
#include "power.h"

#include <math.h>

#define PRIOR_WEIGHT 1.0

double sequential_e(double t, size_t n)
{
	double count = (double)n, nu = count - 1,
	       wide = 1 + count * PRIOR_WEIGHT;

	if (n < 2 || isnan(t))
		return NAN;
	if (isinf(t))
		return exp(.5 * (count - 1) * log(wide));
	return exp(.5 *
		   (count * (log1p(t * t / nu) - log1p(t * t / (wide * nu))) -
		    log(wide)));
}

double sequential_t(size_t n, double alpha)
{
	double count = (double)n, nu = count - 1,
	       wide = 1 + count * PRIOR_WEIGHT;
	double a;

	if (n < 2)
		return INFINITY;
	a = pow(sqrt(wide) / alpha, 2 / count);
	return a >= wide ? INFINITY : sqrt(nu * (a - 1) / (1 - a / wide));
}

static bool inside(const struct estimate *s, struct interval y, double delta)
{
	struct interval shown = estimate_percents(s, y);
	double bound = s->linear ? delta : 100 * delta;

	return shown.lo > -bound && shown.hi < bound;
}

struct sequential sequential_decide(const double *base, const double *head,
				    size_t n, bool linear, double delta,
				    double alpha, size_t k)
{
	struct sequential q = { .state = SEQUENTIAL_CONTINUE };
	double size;

	estimate_paired(base, head, NULL, n, linear, &q.estimate);
	q.e = sequential_e(!q.estimate.exact	  ? q.estimate.t
			   : q.estimate.diff == 0 ? 0
						  : INFINITY,
			   n);
	q.ci = estimate_reach(&q.estimate, sequential_t(n, alpha / (double)k));
	q.equivalent = estimate_reach(&q.estimate, sequential_t(n, .10));
	size = fabs(estimate_percent(&q.estimate, q.estimate.diff));
	if ((q.ci.lo > 0 || q.ci.hi < 0) &&
	    (isnan(delta) || size >= (linear ? delta : 100 * delta)))
		q.state = SEQUENTIAL_CHANGE;
	else if (!isnan(delta) && n >= POWER_EQUIVALENT_MIN &&
		 inside(&q.estimate, q.equivalent, delta))
		q.state = SEQUENTIAL_EQUIVALENT;
	return q;
}
