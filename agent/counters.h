/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_COUNTERS_H
#define IRONRIG_COUNTERS_H

#include "buf.h"

/*
 * Hardware and software counters of every online CPU by perf_event_open(2),
 * free-running from counters_open() on. Reading interrupts each CPU once an
 * event: for a window's start and end, not for every second.
 */
struct counters; /* opaque, heap */

/* NULL in *out, with a line in *notes, when the kernel gives none at all. */
int counters_open(int root, struct counters **out, struct buf *notes,
		  struct err *e) MUST_CHECK;
/* Text as in monitor.h; bytes written, at most room. */
size_t counters_read(const struct counters *c, char *to, size_t room);
void counters_free(struct counters *c);

#endif
