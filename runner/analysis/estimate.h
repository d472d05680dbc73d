/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_ESTIMATE_H
#define IRONRIG_ESTIMATE_H

#include "dist.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The change of one stat between two kernels, from one y a boot (sample.h).
 * Everything in here is on the scale of y (ln x, or x when linear) until
 * estimate_percent() turns it into what people read.
 */
enum estimate_method {
	ESTIMATE_PAIRED, /* t over the differences within blocks */
	ESTIMATE_ORDERED, /* the same, less the effect of the place in a block
			   */
	ESTIMATE_WELCH, /* unpaired, unequal variances */
};

struct estimate {
	enum estimate_method method;
	bool linear;
	size_t n_base, n_head; /* boots; equal when paired */
	double base, head; /* means of y; NAN without boots */
	double base_sd, head_sd; /* of y over boots; NAN below two */
	double diff; /* head minus base */
	double sd; /* of one difference; unpaired: of two boots */
	double se, df, t, p; /* NAN where they do not exist */
	bool exact; /* no spread at all: p counts arrangements, no interval */
	/* second boot of a block minus the first; NAN when unknown */
	double position, position_se, position_df, position_p;
};

/* A range; both NAN when there is none. */
struct interval {
	double lo, hi;
};

/*
 * n blocks. order[j] is +1 where head booted second, -1 where it booted first;
 * NULL when unknown. A position effect with p < .001 makes the method
 * ESTIMATE_ORDERED (n - 2 df).
 */
void estimate_paired(const double *base, const double *head,
		     const signed char *order, size_t n, bool linear,
		     struct estimate *out);
void estimate_welch(const double *base, size_t n_base, const double *head,
		    size_t n_head, bool linear, struct estimate *out);

/*
 * Two-sided interval of diff with that confidence (.95), on the scale of y;
 * NAN when exact or without SE.
 */
struct interval estimate_ci(struct dist *d, const struct estimate *s,
			    double confidence);
/*
 * diff -+ factor * se; infinite ends when factor is INFINITY, and diff itself
 * when exact.
 */
struct interval estimate_reach(const struct estimate *s, double factor);
/* A difference on the scale of y: in percent, or as it is when linear. */
double estimate_percent(const struct estimate *s, double diff);
struct interval estimate_percents(const struct estimate *s, struct interval y);
/* The mean that a table shows: exp(y), or y. */
double estimate_shown(const struct estimate *s, double y);
/* Standard deviation in the stat's unit for a shown mean. */
double estimate_shown_sd(const struct estimate *s, double y, double sd);

#endif
