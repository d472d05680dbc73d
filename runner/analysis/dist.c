// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The only user of GSL. Arguments are checked here, because GSL's default
 * answer to a bad one is abort(); what a number means is for the callers.
 */
#include "dist.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Direct-mapped: a paired comparison needs about four quantiles of one df, an
 * unpaired one as many for each stat. 512 entries are 16 KiB.
 */
#define CACHE_SIZE 512

enum family {
	FAMILY_NONE,
	FAMILY_T,
	FAMILY_CHISQ
};

struct entry {
	enum family family;
	double p, df, q;
};

struct dist {
	gsl_rng *rng;
	struct entry cache[CACHE_SIZE];
};

struct dist *dist_new(uint64_t seed)
{
	struct dist *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	/* a failed inversion gives NAN to the caller instead of abort() */
	gsl_set_error_handler_off();
	d->rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!d->rng) {
		free(d);
		return NULL;
	}
	dist_seed(d, seed);
	return d;
}

void dist_free(struct dist *d)
{
	if (!d)
		return;
	gsl_rng_free(d->rng);
	free(d);
}

void dist_seed(struct dist *d, uint64_t seed)
{
	/* mt19937 takes 32 bits and reads 0 as its default seed 4357 */
	gsl_rng_set(d->rng, (unsigned long)((seed ^ seed >> 32) & 0xffffffff));
}

double dist_t_two_sided(double t, double df)
{
	if (!(df > 0) || isnan(t))
		return NAN;
	return 2 * gsl_cdf_tdist_Q(fabs(t), df);
}

/*
 * GSL's t inversion stops at a relative error near 1e-9 in the tails; two
 * Newton steps on its own, more exact, distribution function bring the rest.
 */
static double t_quantile(double p, double df)
{
	double q = gsl_cdf_tdist_Pinv(p, df), density, step;

	for (int i = 0; i < 2 && isfinite(q); i++) {
		density = gsl_ran_tdist_pdf(q, df);
		step = p < .5 ? gsl_cdf_tdist_P(q, df) - p
			      : 1 - p - gsl_cdf_tdist_Q(q, df);
		if (!(density > 0) || !isfinite(step / density))
			break;
		q -= step / density;
	}
	return q;
}

static struct entry *slot(struct dist *d, enum family family, double p,
			  double df)
{
	uint64_t a, b;

	memcpy(&a, &p, sizeof(a));
	memcpy(&b, &df, sizeof(b));
	a = (a ^ b * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
	return &d->cache[(a >> 40 ^ (uint64_t)family) % CACHE_SIZE];
}

static double quantile(struct dist *d, enum family family, double p, double df)
{
	struct entry *c;

	if (!(df > 0) || !(p > 0) || !(p < 1))
		return NAN;
	c = slot(d, family, p, df);
	if (c->family != family || c->p != p || c->df != df) {
		c->family = family;
		c->p = p;
		c->df = df;
		c->q = family == FAMILY_T ? t_quantile(p, df)
					  : gsl_cdf_chisq_Pinv(p, df);
	}
	return c->q;
}

double dist_t_quantile(struct dist *d, double p, double df)
{
	return quantile(d, FAMILY_T, p, df);
}

double dist_chisq_quantile(struct dist *d, double p, double df)
{
	return quantile(d, FAMILY_CHISQ, p, df);
}

double dist_f_upper(double f, double df1, double df2)
{
	if (!(df1 > 0) || !(df2 > 0) || isnan(f))
		return NAN;
	return f > 0 ? gsl_cdf_fdist_Q(f, df1, df2) : 1;
}

double dist_hypergeometric(unsigned int k, unsigned int n1, unsigned int n2,
			   unsigned int t)
{
	return gsl_ran_hypergeometric_pdf(k, n1, n2, t);
}

uint64_t dist_bits(struct dist *d)
{
	return gsl_rng_get(d->rng);
}

size_t dist_below(struct dist *d, size_t n)
{
	return gsl_rng_uniform_int(d->rng, n);
}

double dist_normal(struct dist *d, double sigma)
{
	return gsl_ran_gaussian_ziggurat(d->rng, sigma);
}

double dist_t(struct dist *d, double df)
{
	return gsl_ran_tdist(d->rng, df);
}
