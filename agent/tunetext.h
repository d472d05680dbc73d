/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_TUNETEXT_H
#define IRONRIG_TUNETEXT_H

#include "tune.h"

/*
 * Appends rows to r->knob: CPUs with the same story share one. The cpus of
 * "irq_affinity" are interrupts: "irq 0-1,24".
 */
int tunetext_rows(const struct tune *t, struct result *r,
		  struct err *e) MUST_CHECK;
/* One line a row and one a trouble, for meta/tuning and agent.log. */
void tunetext_write(const struct tune *t, struct buf *out);

#endif
