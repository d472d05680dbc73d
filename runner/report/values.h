/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_VALUES_H
#define IRONRIG_VALUES_H

#include "compare.h"

/*
 * Numbers from a text file, from anyone's data: one boot a line, its
 * iterations separated by blanks. A comma before a blank is ignored; inside a
 * number it would be a decimal or a thousands mark, and is an error. '#' begins
 * a comment, blank lines are skipped, CRLF is accepted. A line "NA" is a boot
 * without values, which keeps the place of its pair.
 */
/*
 * Adds a group with one primary stat, "value", from two files; "-" is standard
 * input. paired: line k of both is one block, and unequal numbers of lines are
 * an error. ERR_INPUT names file and line of what is no number that can be
 * compared (sample_usable(), and not rounded to 0), or the file when it holds no boot; at most 16 MiB a file.
 */
int values_load(const char *base, const char *head, bool paired,
		enum verdict_better better, struct compare *c,
		struct err *e) MUST_CHECK;

#endif
