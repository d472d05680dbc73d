/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CFGSCAN_H
#define IRONRIG_CFGSCAN_H

#include "conf.h"

/*
 * A look at the words of a libconfig file before libconfig reads it. It finds
 * what libconfig 1.5 passes over (a number cut to 32 bits), reads (@include of
 * any file), grows without bound on (nesting, groups searched linearly), leaks
 * memory on (strings before a syntax error), or reports without saying what
 * was meant. What passes here is libconfig's language, but not all of it.
 */
struct cfg_limits {
	size_t bytes; /* of the whole text */
	size_t depth; /* groups and lists within each other */
	size_t group; /* settings in one group */
	size_t list; /* elements of one list */
};

/*
 * Checks n bytes of text (NUL-terminated behind them). *line and *nline get a
 * heap array with the line of every number, string and truth value that stands
 * in a list, in the order of the text: libconfig gives that of the following
 * word. -1 with the first problem in *bad; *line is NULL then.
 */
int cfgscan_check(const char *text, size_t n, const struct cfg_limits *lim,
		  unsigned int **line, size_t *nline,
		  struct conf_problem *bad) MUST_CHECK;

#endif
