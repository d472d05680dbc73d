/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_STABLE_H
#define IRONRIG_STABLE_H

#include "result.h"

/*
 * Proof that a machine was quiet and itself over the measured windows: counts
 * as the sum of their deltas inside of windows, states as unchanged from the
 * first window's start to the last one's end. Knows nothing of the metric.
 * What a machine does not tell is recorded as unknown.
 *
 *   thermal_throttle  cpuN/thermal_throttle/{core,package}_throttle_count
 *   mce               MCE, THR and DFR of /proc/interrupts
 *   clocksource       current_clocksource
 *   online            the list of online CPUs
 *   governor          of every online CPU
 *   turbo             intel_pstate/no_turbo or cpufreq/boost
 *   steal             share of all CPU time; over 1 % is not ok
 *   clock             APERF/MPERF, MSRs 0xe8 and 0xe7: the busy clock over the
 *                     nominal one, lowest CPU; below 0.97 is not ok where turbo
 *                     is off and every governor is "performance"
 */
struct stable; /* opaque, heap */

struct stable *stable_new(int root, struct err *e);
/* Outside of the window, by some milliseconds on a wide machine. */
void stable_window_begin(struct stable *s);
void stable_window_end(struct stable *s);
/* Appends to r->proof and sets r->stable: all that is known is ok. */
int stable_finish(const struct stable *s, struct result *r,
		  struct err *e) MUST_CHECK;
void stable_free(struct stable *s);

#endif
