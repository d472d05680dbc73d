/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SAMPLE_H
#define IRONRIG_SAMPLE_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * From measured values to samples. The sample is the boot: iterations of one
 * boot share its memory layout and its luck, so they are averaged, never
 * counted. Values are positive and compared by ratio (mean of ln x), or
 * "linear": the plain mean, differences in the stat's own unit.
 */
struct sample_boot {
	const double *v; /* iterations in the order run; not owned */
	size_t n; /* completed ones; 0: the boot failed */
	size_t planned; /* asked for; 0: as many as of the others */
};

/* What is left of the measured boots; arrays are the caller's. */
struct sample_kept {
	double *base, *head; /* y of each kept boot */
	size_t *block; /* index of each base, paired: of each pair; or NULL */
	size_t *head_block; /* unpaired: of each head; or NULL */
	size_t n_base, n_head;
	size_t dropped; /* blocks (paired) or boots (unpaired) left out */
};

/*
 * Sizes that can be compared: sums of squares of larger or smaller ones leave
 * what a double holds, and the spread would come out as none or infinite.
 */
#define SAMPLE_LEAST 1e-150
#define SAMPLE_MOST  1e150
bool sample_usable(double x); /* 0 is */
/* ERR_INPUT when a value is not usable; names boot and iteration. */
int sample_check(const struct sample_boot *b, size_t n, const char *side,
		 struct err *e) MUST_CHECK;
/*
 * Whether values have to be compared linearly: the unit is a percentage
 * ("%", or a name ending in '%' or "percent"), or any value is <= 0.
 */
bool sample_percent_unit(const char *unit);
bool sample_not_positive(const struct sample_boot *b, size_t n);
/* The most iterations that any of these boots completed: those planned. */
size_t sample_planned(const struct sample_boot *b, size_t n);
/* Mean over the first m iterations, of ln x or of x. m >= 1. */
double sample_mean(const struct sample_boot *b, size_t m, bool linear);
/*
 * Blocks j = 0..n-1 of one boot a side: y over the iterations 1..m that both
 * completed; fewer than half of planned on either side drops the block. m may
 * differ between blocks: that changes how far a difference may lie from its
 * mean, not the mean, and the t test of normal differences with unequal
 * variances errs to the safe side up to alpha = .083 (Bakirov & Szekely 2005;
 * Ibragimov & Mueller 2010). Where a boot has no planned, the argument holds.
 */
void sample_paired(const struct sample_boot *base,
		   const struct sample_boot *head, size_t n, size_t planned,
		   bool linear, struct sample_kept *out);
/* Each boot by itself; fewer than half of planned drops the boot. */
void sample_unpaired(const struct sample_boot *base, size_t n_base,
		     const struct sample_boot *head, size_t n_head,
		     size_t planned, bool linear, struct sample_kept *out);

struct sample_moments {
	size_t n;
	double mean; /* NAN when n is 0 */
	double sd; /* n - 1 in the denominator; NAN when n < 2 */
};
/*
 * Of y, or of y - minus when minus is not NULL. Stable for values of any size:
 * taken about the first value, in two passes.
 */
struct sample_moments sample_moments(const double *y, const double *minus,
				     size_t n);

#endif
