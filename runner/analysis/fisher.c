// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Two by two tables. What counts as a failure is the caller's.
 */
#include "fisher.h"
#include "dist.h"

#include <math.h>

/* Equal tables differ by rounding; R's tolerance. */
#define SAME (1 + 1e-7)

double fisher_exact(unsigned int base_failed, unsigned int base_runs,
		    unsigned int head_failed, unsigned int head_runs)
{
	unsigned int failed = base_failed + head_failed;
	unsigned int passed = base_runs + head_runs - failed;
	unsigned int first = base_runs > passed ? base_runs - passed : 0;
	unsigned int last = failed < base_runs ? failed : base_runs;
	double seen =
		dist_hypergeometric(base_failed, failed, passed, base_runs);
	double p = 0;

	if (!base_runs || !head_runs)
		return 1;
	for (unsigned int k = first; k <= last; k++) {
		double one = dist_hypergeometric(k, failed, passed, base_runs);

		if (one <= seen * SAME)
			p += one;
	}
	return fmin(p, 1);
}
