/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_FIELLER_H
#define IRONRIG_FIELLER_H

#include "estimate.h"

/*
 * Fieller's interval for the ratio of two arithmetic means: a percentage for
 * stats that have zeros, where no logarithm exists. From linear boot means.
 */
struct fieller {
	double percent; /* 100 (head / base - 1); NAN when unknown */
	struct interval ci; /* 95 %, in percent */
	double df;
	bool clear; /* base is clear of zero; false: print units only */
};

struct fieller fieller_paired(struct dist *d, const double *base,
			      const double *head, size_t n);
/* df by Welch, for the difference of the means. */
struct fieller fieller_welch(struct dist *d, const double *base, size_t n_base,
			     const double *head, size_t n_head);

#endif
