/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_EXACT_H
#define IRONRIG_EXACT_H

#include "dist.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Exact two-sided tests that assume no distribution: the cross-check of a
 * primary stat. Arrangements as extreme as the observed one count (ties too,
 * to a relative 1e-9, so that rounding of logarithms does not split them).
 * Up to EXACT_ALL boots (differences, or both sides together) every
 * arrangement is looked at, about 10 ms at most; beyond, EXACT_DRAWS seeded
 * random ones, p = (b + 1) / (EXACT_DRAWS + 1).
 */
#define EXACT_ALL   20
#define EXACT_DRAWS 99999

struct exact {
	unsigned long extreme, total; /* arrangements */
	double p; /* 1 when there is nothing to arrange */
};

/*
 * More boots than these, of both sides together or of blocks, would take
 * seconds to minutes and tell nothing that t does not: p is NAN.
 */
#define EXACT_BOOTS 4096

/* Sign-flip of the differences head - base of n blocks, on |their sum|. */
struct exact exact_signflip(struct dist *d, const double *base,
			    const double *head, size_t n);
/* Permutation of boots between the sides, on |difference of the means|. */
struct exact exact_permutation(struct dist *d, const double *base,
			       size_t n_base, const double *head,
			       size_t n_head);

#endif
