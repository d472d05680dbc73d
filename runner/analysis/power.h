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
 * What earlier experiments of the same kind (box group, job, stat) say of the
 * spread of one block's difference: sums of squares over sums of df. A verdict
 * never uses it; what could have been seen, and what it takes, is better known
 * with it, as the spread of 3 blocks is known to within a factor of 5.
 */
struct power_pool {
	double squares, df; /* sum of df sd^2, and of df */
	unsigned int experiments; /* 0: nothing to pool */
};
void power_pool_add(struct power_pool *p, double sd, double df);

/* The spread to plan with: this experiment's, or pooled. */
struct power_spread {
	double sd, df;
	unsigned int experiments; /* earlier ones in it */
};
/*
 * Pools only paired estimates, and only when both spreads may be the same (F
 * test at POWER_POOL_ALPHA): noise that has changed is no help. pool may be
 * NULL.
 */
#define POWER_POOL_ALPHA .01
struct power_spread power_spread(const struct estimate *s,
				 const struct power_pool *pool);

/*
 * The effect found with a chance of 80 %: the larger of (seen + t(.80)) SE and
 * delta + t(.80) SE, in percent or units, where the rule calls a change real
 * beyond `seen` SE: t(1 - alpha/2k), or the anytime factor. NAN when SE does
 * not exist or no change would be called real.
 */
double power_mde(struct dist *d, const struct estimate *s,
		 const struct power_spread *spread, double delta, double seen);

/*
 * Blocks (boots a side) in all after which EQUIVALENT can be expected to be
 * decided with a chance of 90 %, for the lower and upper end of the 95 %
 * interval of the spread; never below POWER_EQUIVALENT_MIN. An end above
 * POWER_BLOCKS_MAX is 0: raise delta or lower the noise.
 */
#define POWER_EQUIVALENT_MIN 6
#define POWER_BLOCKS_MAX     200
struct power_blocks {
	unsigned int lo, hi;
	bool known; /* false without sd or delta */
};
struct power_blocks power_blocks(struct dist *d, const struct estimate *s,
				 const struct power_spread *spread,
				 double delta);

/*
 * The smallest difference of two means that can be told from the luck of code
 * layout, when the boots of a side are of several builds of one commit: build
 * means are the sample then, and the floor is t(.975, df) times the standard
 * error of the difference of their means,
 *
 *   s_build sqrt(sum of w^2 over base's builds + the same of head's),
 *
 * w being a build's share of the side's boots: 1/m each when all have as many.
 * s_build is pooled over the sides, df the sum of builds - 1. No number of
 * boots lowers it below the layouts' own spread; more builds do.
 */
#define POWER_BUILDS_MAX 64
#define POWER_BUILDS_MIN 3 /* on one side, for a floor */
struct power_side {
	const double *y; /* of each boot */
	const unsigned int *build; /* of each boot, < POWER_BUILDS_MAX */
	size_t n;
};
struct power_floor {
	size_t builds[2]; /* of base and head, with boots */
	double sd, df; /* of build means */
	double floor; /* on the scale of y; NAN below POWER_BUILDS_MIN */
};
struct power_floor power_layout_floor(struct dist *d,
				      const struct power_side side[2]);

/* Share of boots in a slow mode that n boots would have missed: 1 - .05^(1/n)
 */
double power_hidden_mode(size_t n);

#endif
