/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_TOJSON_H
#define IRONRIG_TOJSON_H

#include "compare.h"
#include "evidence.h"

/*
 * The comparison as one JSON object, stable: keys are only ever added. A
 * number that does not exist is null.
 *
 *   version      1
 *   exit_status  0, 10, 11 as compare's exit status
 *   alpha        of the verdicts
 *   delta        fraction, for stats compared by ratio
 *   delta_units  for stats compared linearly; null: none
 *   comparisons  one a stat, in the order of the text report:
 *     group      "testcase/params/box-group"; "" for value files
 *     base, head names of the kernels (of the files)
 *     box        of the boots; "" for value files
 *     stat, unit
 *     better     "higher", "lower" or null
 *     primary    whether the stat gets a verdict
 *     scale      "ratio" (means of logarithms) or "linear"
 *     method     "paired t", "paired t, adjusted for boot order", "Welch t",
 *                "sequential t" (paired; the interval holds at any look)
 *     n_base, n_head      boots kept (paired: blocks)
 *     dropped             blocks or boots left out
 *     iterations          [least, most] a boot
 *     base_mean, head_mean  geometric means for "ratio"; in unit
 *     base_sd, head_sd      of boot means, in unit
 *     change     of head against base, in change_unit
 *     change_unit  "%" for "ratio", else the stat's unit
 *     ci95       [lo, hi] of change
 *     t, df, p   of the test; p is null when sequential
 *     p_adjusted Holm over all primaries; Benjamini-Hochberg among the others
 *                of the group
 *     p_exact    sign-flip or permutation; primaries only
 *     e_value    anytime-valid, plain paired only
 *     mde        change that would have been found with 80 % chance
 *     mde_experiments  earlier ones whose spread is in it; 0: none
 *     sd_boot, sd_iteration  of boots and of the iterations of one, in
 *                change_unit; primaries only
 *     builds     [base, head] builds of a side, null: one each
 *     layout_floor  what their layouts alone may make, in change_unit; null
 *                below 3 builds on both sides
 *     blocks_needed  [lo, hi] blocks (boots a side) in all until EQUIVALENT
 *                can be expected; null in place of an end above 200
 *     percent, percent_ci95  linear stats: Fieller's ratio of the means
 *     position, position_ci95  second boot of a block minus the first, in
 *                change_unit
 *     verdict    "NO VERDICT", "REGRESSION", "IMPROVEMENT", "CHANGED",
 *                "EQUIVALENT", "NEAR DELTA", "DIFFERS", "INCONCLUSIVE";
 *                null for stats that are not primary
 *     reason     the same in words; null likewise
 *   failures     one a kind and group: group, base, head, what,
 *                base_failed, base_runs, head_failed, head_runs,
 *                p (Fisher), crash, head_alone, reason, result (a run that
 *                shows it, path below the store)
 */
void tojson_compare(const struct compare *c, struct buf *out);

/*
 * The same object with the evidence of a report:
 *
 *   evidence     one a group: group, machine, memory_kb, cpus, parameters
 *                (an object), unstable runs, config_diff ("CONFIG_X=y -> n",
 *                null: not known), and for base and head: kernel,
 *                commit, title, build_id, release, compiler, result (path
 *                below the store); null where not known
 */
void tojson_report(const struct compare *c, const struct evidence *ev,
		   struct buf *out);

#endif
