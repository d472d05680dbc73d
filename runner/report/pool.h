/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_POOL_H
#define IRONRIG_POOL_H

#include "../home.h"
#include "../index.h"
#include "compare.h"

/*
 * What earlier experiments say of the spread of a primary stat's block
 * differences, for comparisons whose own boots are too few to know it (below
 * COMPARE_ROUGH): of the same testcase, parameters, box group, job and way of
 * booting, and the same stat on the same scale; the newest POOL_EXPERIMENTS
 * that ended before this one began. Two kernels of each, its blocks judged by
 * the very rules that judge the comparison. Left out are experiments that were
 * stopped by looks: they stop sooner when their spread happens to be small.
 *
 * Fills the stats' pool, for what could have been seen and what it would take
 * to see more; estimates and verdicts never use it (power.h).
 */
#define POOL_EXPERIMENTS 16
int pool_load(const struct home *h, struct index *x, struct compare *c,
	      struct err *e) MUST_CHECK;

#endif
