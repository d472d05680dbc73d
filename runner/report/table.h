/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_TABLE_H
#define IRONRIG_TABLE_H

#include "compare.h"
#include "show.h"

/*
 * The comparison as people of the kernel lists read it: base mean, change,
 * head mean, stat, "± stddev" where it is 3 % or more; then what they lack:
 * interval, verdict, detectable effect. In s->width columns; from 120 on, all
 * of it in one row a stat.
 */
enum table_rows {
	TABLE_PRIMARY, /* primaries, failures, and what differs */
	TABLE_SHORT,   /* the same, at most 40 that differ */
	TABLE_ALL,     /* every stat */
};
#define TABLE_WIDE 120

void table_text(const struct show *s, const struct compare *c,
		enum table_rows rows, struct buf *b);
/* The parts of it, for the mail: one group's rows, with head and footer. */
void table_group(const struct show *s, const struct compare *c,
		 const struct compare_group *g, enum table_rows rows,
		 struct buf *b);

#endif
