/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SVG_H
#define IRONRIG_SVG_H

#include "compare.h"
#include "show.h"

/*
 * Figures of a primary stat as inline SVG, without scripts, fonts or colours
 * of their own: the page's style knows the classes base, head, pair, mean,
 * axis, band and ci. Sides differ in shape too. At most about 100 KB each.
 */

/*
 * What the verdict rests on: the mean of every kept boot, by block (unpaired:
 * by boot), the two boots of a block joined.
 */
void svg_boots(const struct show *s, const struct compare_group *g,
	       const struct compare_stat *st, struct buf *b);
/* The change and its interval against 0 and +-delta. */
void svg_interval(const struct show *s, const struct compare_stat *st,
		  struct buf *b);

#endif
