/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_DIST_H
#define IRONRIG_DIST_H

#include <stddef.h>
#include <stdint.h>

/*
 * Probability distributions and random numbers, all from the GNU Scientific
 * Library. A struct dist belongs to one thread: it holds a cache of quantiles
 * (a t quantile costs 1 to 5 us, and thousands of stats of one comparison
 * share their degrees of freedom) and a seeded Mersenne Twister, so that every
 * result of this folder is the same for the same input and seed.
 *
 * df may be fractional and must be > 0, p in 0 < p < 1; outside, the answer is
 * NAN.
 */
struct dist;

/* NULL when memory ran out. */
struct dist *dist_new(uint64_t seed);
void dist_free(struct dist *d);
/* Starts the random numbers again from this seed. */
void dist_seed(struct dist *d, uint64_t seed);

double dist_t_two_sided(double t, double df); /* P(|T| >= |t|) */
double dist_t_quantile(struct dist *d, double p, double df);
double dist_chisq_quantile(struct dist *d, double p, double df);
double dist_f_upper(double f, double df1, double df2); /* P(F >= f) */
/* P(k marked among t drawn from n1 marked and n2 others) */
double dist_hypergeometric(unsigned int k, unsigned int n1, unsigned int n2,
			   unsigned int t);

uint64_t dist_bits(struct dist *d); /* 32 random bits */
size_t dist_below(struct dist *d, size_t n); /* 0..n-1, n < 2^32 */
double dist_normal(struct dist *d, double sigma); /* mean 0 */
double dist_t(struct dist *d, double df); /* Student's t */

#endif
