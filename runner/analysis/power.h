/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_POWER_H
#define IRONRIG_POWER_H

#include "estimate.h"

/*
 * What an experiment could have seen, and what it would take to see more.
 * delta is on the scale of y: ln(1 + fraction), or units when linear; NAN when
 * there is none.
 */

/* The scale of y for a delta that people gave as a fraction or in units. */
double power_delta(double delta, bool linear);
/*
 * The effect found with a chance of 80 %, by the verdict's rule over k
 * primary stats: the larger of (t(1 - alpha/2k) + t(.80)) SE and
 * delta + t(.80) SE, in percent or units. NAN when SE does not exist.
 */
double power_mde(struct dist *d, const struct estimate *s, double delta,
		 double alpha, size_t k);

/*
 * Blocks (boots a side) in all after which EQUIVALENT can be expected to be
 * decided with a chance of 90 %, for the lower and upper end of the 95 %
 * interval of sd; never below POWER_EQUIVALENT_MIN. An end above
 * POWER_BLOCKS_MAX is 0: raise delta or lower the noise.
 */
#define POWER_EQUIVALENT_MIN 6
#define POWER_BLOCKS_MAX     200
struct power_blocks {
	unsigned int lo, hi;
	bool known; /* false without sd or delta */
};
struct power_blocks power_blocks(struct dist *d, const struct estimate *s,
				 double delta);

/*
 * The smallest effect that can be told from the luck of code layout: m builds
 * of one commit, y[i] the mean of build i: t(.975, m - 1) sqrt(2) s_build, on
 * the scale of y. NAN for m < 3.
 */
double power_layout_floor(struct dist *d, const double *y, size_t m);

/* Share of boots in a slow mode that n boots would have missed: 1 - .05^(1/n)
 */
double power_hidden_mode(size_t n);

#endif
