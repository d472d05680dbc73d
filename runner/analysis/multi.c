// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Step-down and step-up adjustment of p values. Which tests form a family is
 * the caller's to say.
 */
#include "multi.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct ranked {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

/* The tests that exist, by ascending p; *n becomes their number. */
static struct ranked *rank(const double *p, size_t *n, struct err *e)
{
	struct ranked *r = calloc(*n ? *n : 1, sizeof(*r));
	size_t m = 0;

	if (!r) {
		err_set(e, ERR_LIMIT, "out of memory for %zu tests", *n);
		return NULL;
	}
	for (size_t i = 0; i < *n; i++)
		if (!isnan(p[i]))
			r[m++] = (struct ranked){ p[i], i };
	qsort(r, m, sizeof(*r), by_p);
	*n = m;
	return r;
}

static void carry_nan(const double *p, size_t n, double *adjusted)
{
	for (size_t i = 0; i < n; i++)
		if (isnan(p[i]))
			adjusted[i] = NAN;
}

int multi_holm(const double *p, size_t n, double *adjusted, struct err *e)
{
	size_t m = n;
	struct ranked *r = rank(p, &m, e);
	double most = 0;

	if (!r)
		return -1;
	carry_nan(p, n, adjusted);
	for (size_t i = 0; i < m; i++) {
		most = fmax(most, fmin(1, (double)(m - i) * r[i].p));
		adjusted[r[i].at] = most;
	}
	free(r);
	return 0;
}

int multi_bh(const double *p, size_t n, double *adjusted, struct err *e)
{
	size_t m = n;
	struct ranked *r = rank(p, &m, e);
	double least = 1;

	if (!r)
		return -1;
	carry_nan(p, n, adjusted);
	for (size_t i = m; i-- > 0;) {
		least = fmin(least, (double)m / (double)(i + 1) * r[i].p);
		adjusted[r[i].at] = least;
	}
	free(r);
	return 0;
}
