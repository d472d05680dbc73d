/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_TUNE_H
#define IRONRIG_TUNE_H

#include "conf.h"
#include "result.h"

/*
 * Makes a machine quiet and takes it back. Each knob that the configuration
 * gives is read, written where it differs, and read back, per CPU; nothing else
 * is touched. Sources: Documentation/admin-guide/pm/{cpufreq,intel_pstate,
 * intel_epb}.rst, sysctl/{kernel,vm}.rst, power/pm_qos_interface.rst.
 */
struct tune; /* opaque, heap: what was asked, found and got */

/*
 * root is the folder of "/" or of a fixture. 0: every knob that `require`
 * names holds. -1: one does not (ERR_UNSUPPORTED, with the reason), or memory
 * ran out. *out is set in every case but the last; what was changed stays
 * changed until tune_restore().
 */
int tune_apply(int root, const struct conf_tune *want, struct tune **out,
	       struct err *e) MUST_CHECK;
/*
 * Reads every knob again, at the end of a run. -1 (ERR_CONFLICT) names the
 * first one that held and no longer does.
 */
int tune_verify(struct tune *t, struct err *e) MUST_CHECK;
/*
 * Writes back what was found, in reverse order, and lets go of the latency
 * request. -1 names the first knob that could not be put back; the others are.
 */
int tune_restore(struct tune *t, struct err *e) MUST_CHECK;
void tune_free(struct tune *t); /* does not restore */

#endif
