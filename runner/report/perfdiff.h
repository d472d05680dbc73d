/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PERFDIFF_H
#define IRONRIG_PERFDIFF_H

#include "compare.h"
#include "show.h"

/*
 * The profile as `perf diff` shows it: baseline, delta, symbol. From the stats
 * perf-profile.self.EVENT.SYMBOL; a symbol that one side never shows counts as
 * 0 % there, since a profile lists what it saw.
 */
bool perfdiff_is_profile(const char *stat);
/* The symbol in a stat's name; NULL: none. */
const char *perfdiff_symbol(const char *stat);
/* Appends the symbols of the table below. */
int perfdiff_symbols(const struct compare_group *g, size_t most,
		     struct strlist *out, struct err *e) MUST_CHECK;
/* A table for each event: at most `most` symbols, by baseline and change. */
void perfdiff_text(const struct show *s, const struct compare_group *g,
		   size_t most, struct buf *b);

#endif
