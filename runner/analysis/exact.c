// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Sign-flip and permutation tests. All arrangements are walked in Gray code
 * order, one addition each; drift of the running sum is below 1e-10 of the
 * sum of sizes after 2^20 of them, within the tolerance for ties.
 */
#include "exact.h"

#include <math.h>
#include <string.h>

#define TIE 1e-9

static struct exact share(unsigned long extreme, unsigned long total)
{
	return (struct exact){ extreme, total,
			       (double)extreme / (double)total };
}

/* By symmetry the first sign can stay: half the arrangements are enough. */
static struct exact all_signs(const double *diff, size_t n, double limit,
			      double sum)
{
	unsigned long total = 1UL << (n - 1), extreme = 1;
	bool negative[EXACT_ALL] = { false };

	for (unsigned long i = 1; i < total; i++) {
		size_t flip = (size_t)__builtin_ctzl(i) + 1;

		negative[flip] = !negative[flip];
		sum += negative[flip] ? -2 * diff[flip] : 2 * diff[flip];
		if (fabs(sum) >= limit)
			extreme++;
	}
	return share(2 * extreme, 2 * total);
}

static struct exact random_signs(struct dist *d, const double *base,
				 const double *head, size_t n, double limit)
{
	unsigned long extreme = 0;

	for (unsigned long i = 0; i < EXACT_DRAWS; i++) {
		uint64_t bits = 0;
		double sum = 0;

		for (size_t j = 0; j < n; j++) {
			bits = j % 32 ? bits >> 1 : dist_bits(d);
			sum += bits & 1 ? head[j] - base[j] : base[j] - head[j];
		}
		if (fabs(sum) >= limit)
			extreme++;
	}
	return share(extreme + 1, EXACT_DRAWS + 1);
}

struct exact exact_signflip(struct dist *d, const double *base,
			    const double *head, size_t n)
{
	double diff[EXACT_ALL], sum = 0, size = 0, limit;

	if (!n)
		return share(1, 1);
	if (n > EXACT_BOOTS)
		return (struct exact){ 0, 0, NAN };
	for (size_t j = 0; j < n; j++) {
		sum += head[j] - base[j];
		size += fabs(head[j] - base[j]);
	}
	limit = fabs(sum) - TIE * size;
	if (n > EXACT_ALL)
		return random_signs(d, base, head, n, limit);
	for (size_t j = 0; j < n; j++)
		diff[j] = head[j] - base[j];
	return all_signs(diff, n, limit, sum);
}

/*
 * y holds the values less their mean, so that the difference of the means of
 * a chosen side of k and the rest is proportional to the chosen sum: extreme
 * is |sum| >= limit, whichever side was chosen.
 */
static struct exact all_choices(const double *y, size_t n, size_t k,
				double limit)
{
	unsigned long total = 0, extreme = 0;
	bool in[EXACT_ALL] = { false };
	size_t chosen = 0;
	double sum = 0;

	for (unsigned long i = 1; i < 1UL << n; i++) {
		size_t flip = (size_t)__builtin_ctzl(i);

		in[flip] = !in[flip];
		sum += in[flip] ? y[flip] : -y[flip];
		chosen += in[flip] ? 1 : (size_t)-1;
		if (chosen != k)
			continue;
		total++;
		if (fabs(sum) >= limit)
			extreme++;
	}
	return share(extreme, total);
}

/* The first k places of a Fisher-Yates shuffle are a random choice. */
static struct exact random_choices(struct dist *d, double *y, size_t n,
				   size_t k, double limit)
{
	unsigned long extreme = 0;

	for (unsigned long i = 0; i < EXACT_DRAWS; i++) {
		double sum = 0;

		for (size_t j = 0; j < k; j++) {
			size_t with = j + dist_below(d, n - j);
			double swap = y[j];

			y[j] = y[with];
			y[with] = swap;
			sum += y[j];
		}
		if (fabs(sum) >= limit)
			extreme++;
	}
	return share(extreme + 1, EXACT_DRAWS + 1);
}

struct exact exact_permutation(struct dist *d, const double *base,
			       size_t n_base, const double *head, size_t n_head)
{
	double y[EXACT_BOOTS], mean = 0, sum = 0, size = 0, limit;
	size_t n = n_base + n_head;

	if (!n_base || !n_head)
		return share(1, 1);
	if (n > EXACT_BOOTS)
		return (struct exact){ 0, 0, NAN };
	memcpy(y, base, n_base * sizeof(*y));
	memcpy(y + n_base, head, n_head * sizeof(*y));
	for (size_t i = 1; i < n; i++)
		mean += (y[i] - y[0]) / (double)n;
	mean += y[0];
	for (size_t i = 0; i < n; i++) {
		y[i] -= mean;
		size += fabs(y[i]);
		sum += i < n_base ? y[i] : 0;
	}
	limit = fabs(sum) - TIE * size;
	return n > EXACT_ALL ? random_choices(d, y, n, n_base, limit)
			     : all_choices(y, n, n_base, limit);
}
