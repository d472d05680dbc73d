/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_VALUES_H
#define IRONRIG_VALUES_H

#include "../analysis/sample.h"

/*
 * Numbers from a text file, from anyone's data: one boot a line, its
 * iterations separated by blanks or commas. '#' begins a comment, blank lines
 * are skipped, CRLF is accepted. A line "NA" is a boot without values, which
 * keeps the place of its pair.
 */
struct values {
	double *v; /* all of them, owned */
	struct sample_boot *boot; /* owned; points into v */
	size_t n;
};

/*
 * "-" is standard input. ERR_INPUT names file and line of what is no finite
 * number, or the file when it holds no boot; at most 16 MiB. *out is zeroed on
 * failure.
 */
int values_load(const char *path, struct values *out, struct err *e) MUST_CHECK;
void values_free(struct values *v);

#endif
