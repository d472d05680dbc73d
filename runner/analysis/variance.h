/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_VARIANCE_H
#define IRONRIG_VARIANCE_H

#include "dist.h"
#include "sample.h"

/*
 * Where the noise comes from: one-way components of variance, boots and the
 * iterations within them (unequal numbers allowed), on the scale of y.
 */
struct variance {
	size_t boots; /* with at least one iteration */
	size_t iterations; /* in all */
	double boot; /* variance between boots; 0 when not above noise */
	double iteration; /* variance within a boot; NAN: one iteration each */
	double p; /* F test of no difference between boots */
};

struct variance variance_components(const struct sample_boot *b, size_t n,
				    bool linear);
/* Adds the sums of a second kernel's boots: pooled over both sides. */
struct variance variance_pooled(const struct sample_boot *base, size_t n_base,
				const struct sample_boot *head, size_t n_head,
				bool linear);
/*
 * The number of iterations per boot that gives the least variance for a given
 * time (Kalibera & Jones, "Rigorous benchmarking in reasonable time", ISMM
 * 2013): sqrt(boot_cost / iteration_cost * iteration / boot), rounded up, in
 * 1..max; max when boots do not differ. Costs in any one unit; max without
 * the components.
 */
unsigned int variance_best_iterations(const struct variance *v,
				      double boot_cost, double iteration_cost,
				      unsigned int max);

#endif
