/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_WORDS_H
#define IRONRIG_WORDS_H

#include "compare.h"
#include "show.h"

/*
 * The sentences of a report, appended without a newline. Numbers in them are
 * rounded to what their interval is worth.
 */

/* "changes beyond −0.9 … +2.2 % ruled out (95 %)", for any stat. */
void words_lead(const struct show *s, const struct compare_stat *st,
		struct buf *b);
/* Why this verdict, and what would settle it. */
void words_reason(const struct show *s, const struct compare *c,
		  const struct compare_group *g, const struct compare_stat *st,
		  struct buf *b);
/* "REGRESSION", "NEAR δ", "DIFFERS, drift not separable", … */
void words_verdict(const struct show *s, enum verdict_kind kind, struct buf *b);
/*
 * "2.0 %", with "rough" below 8 blocks unless the spread is pooled; "-" when
 * there is none.
 */
void words_mde(const struct show *s, const struct compare_stat *st,
	       struct buf *b);
/* The same as a sentence, with what it rests on; nothing when there is none. */
void words_seen(const struct compare_stat *st, struct buf *b);
/* "paired t", "Welch t", …: the method field of the JSON form. */
const char *words_method(const struct compare_group *g,
			 const struct compare_stat *st);
/* The change: "+0.6%", or in units; "pp" are percentage points. */
void words_change(const struct show *s, const struct compare_stat *st,
		  struct buf *b);
/*
 * The same where no interval follows: stats with zeros as a percentage too,
 * when their base is clear of zero (Fieller), else in units.
 */
void words_short_change(const struct show *s, const struct compare_stat *st,
			struct buf *b);
/* "[−0.9, +2.2] %" */
void words_interval(const struct show *s, const struct compare_stat *st,
		    struct buf *b);
/* Boots, iterations, pairing, drift, what was left out, builds, observer. */
void words_footer(const struct show *s, const struct compare *c,
		  const struct compare_group *g, struct buf *b);

#endif
