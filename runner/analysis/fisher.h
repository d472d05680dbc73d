/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_FISHER_H
#define IRONRIG_FISHER_H

/*
 * Fisher's exact test, two-sided, for failures: the tables with the same
 * margins that are no likelier than the observed one (as R's fisher.test).
 * 1 when a side has no runs. failed <= runs < 2^31.
 */
double fisher_exact(unsigned int base_failed, unsigned int base_runs,
		    unsigned int head_failed, unsigned int head_runs);

#endif
