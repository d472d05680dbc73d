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
	TABLE_SHORT, /* the same, at most 40 that differ */
	TABLE_ALL, /* every stat */
};
#define TABLE_WIDE 120

void table_text(const struct show *s, const struct compare *c,
		enum table_rows rows, struct buf *b);
/* The parts of it, for the mail: one group's rows, with head and footer. */
void table_group(const struct show *s, const struct compare *c,
		 const struct compare_group *g, enum table_rows rows,
		 struct buf *b);

/* ---- for other renderings of the same (html.c) -----------------------------
 */

#define TABLE_PROFILE_ROWS 20
enum table_part {
	TABLE_OF_PRIMARIES,
	TABLE_OF_COMPANIONS, /* CPU use: beside the primaries in any case */
	TABLE_OF_PROFILE, /* perfdiff.h */
	TABLE_OF_OTHERS,
};
enum table_part table_part_of(const struct compare_stat *st);
/* What a primary's verdict says: what is ruled out leads. */
void table_sentence(const struct show *s, const struct compare *c,
		    const struct compare_group *g,
		    const struct compare_stat *st, struct buf *b);
/* A side's mean, and " ±  8%" where that says something. */
void table_mean(const struct show *s, const struct compare_stat *st, bool head,
		struct buf *mean, struct buf *deviation);
/* Adjusted p, or "exact". */
void table_p(const struct compare_stat *st, struct buf *b);
/* By its adjusted p, or exactly. */
bool table_differs(const struct compare_stat *st);
/* The fail:runs rows, as text; nothing without failures. */
void table_failures(const struct show *s, const struct compare_group *g,
		    struct buf *b);

/* Which of the other stats are shown: the first `shown` that it has. */
struct table_others {
	size_t all, differing, shown, most;
	bool same_too;
};
struct table_others table_others(const struct compare_group *g,
				 enum table_rows rows);
bool table_others_has(const struct table_others *o,
		      const struct compare_stat *st);
/* "21 of 289 other stats differ (...)" */
void table_others_sum(const struct table_others *o, struct buf *b);

#endif
