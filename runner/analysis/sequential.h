/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SEQUENTIAL_H
#define IRONRIG_SEQUENTIAL_H

#include "estimate.h"

/*
 * Stopping at any block: an e-value for the paired t statistic with a normal
 * prior of weight g = 1 on the standardised effect (scale invariant, so the
 * unknown variance drops out), and the interval that inverts it. The chance
 * that the interval ever misses the truth is at most alpha, over all looks.
 */

/* e for n blocks; NAN for n < 2. Above 1/alpha is evidence at alpha. */
double sequential_e(double t, size_t n);
/* Half width in SE at level alpha; INFINITY while n cannot decide. */
double sequential_t(size_t n, double alpha);

enum sequential_state {
	SEQUENTIAL_CONTINUE,
	SEQUENTIAL_CHANGE, /* excludes 0, and at least delta */
	SEQUENTIAL_EQUIVALENT, /* inside +-delta */
};

struct sequential {
	enum sequential_state state;
	struct estimate estimate;
	double e;
	struct interval ci; /* at alpha / k, on the scale of y */
	struct interval equivalent; /* at .10 */
};

/*
 * The look after n kept blocks (sample_paired). delta as a fraction, or in
 * units when linear, NAN: none; k stats share alpha. EQUIVALENT needs
 * POWER_EQUIVALENT_MIN blocks, as in the verdict. The order of boots is left
 * to its balance: no adjustment.
 */
struct sequential sequential_decide(const double *base, const double *head,
				    size_t n, bool linear, double delta,
				    double alpha, size_t k);

#endif
