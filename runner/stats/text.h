/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_TEXT_H
#define IRONRIG_TEXT_H

#include "buf.h"
#include "stats.h"

/*
 * A text line by line, for extractors of what tools print. The text must be
 * NUL-terminated; it is changed in place (line ends become NULs).
 */
struct text {
	const char *name;  /* for messages */
	char *at, *end;	   /* the rest */
	char *line;	   /* the current one, without CR and LF */
	unsigned int no;   /* its number, from 1 */
};

void text_init(struct text *t, const char *name, char *p, size_t n);
/* The next line; false at the end. A zero byte in a line ends it early. */
bool text_next(struct text *t);
/* ERR_FORMAT "NAME:LINE: what: "the line"". Returns -1. */
int text_bad(const struct text *t, struct err *e, const char *what);
/* The rest of the line behind label and blanks; NULL: another line. */
char *text_after(const struct text *t, const char *label);
/*
 * A decimal number at *p, leading blanks skipped; *p moves behind it. What
 * follows must not be part of a number ("1,5" and "1.2.3" are refused).
 */
int text_number(const struct text *t, char **p, double *v, struct err *e)
	MUST_CHECK;
/* Up to max numbers, separated by blanks, from p on; how many, or -1. */
int text_numbers(const struct text *t, char *p, double *v, int max,
		 struct err *e) MUST_CHECK;
/* Whether a line or a rest of one starts with a digit, blanks skipped. */
bool text_is_number(const char *p);
/* Cuts the word at *p off (blanks skipped) and moves behind it; "": none. */
char *text_word(char **p);

/* A stat whose number stands behind a label on a line of its own. */
struct text_label {
	const char *label;
	const char *name;
	const char *unit;
	enum stat_better better;
};

/*
 * Puts the stat of the row whose label the current line starts with. 1: done;
 * 0: no such row; -1.
 */
int text_labelled(struct text *t, const struct text_label *row, size_t n,
		  const char *prefix, struct stat_out *o, struct err *e)
	MUST_CHECK;

/* When nothing usable was found: names the last line. Returns -1. */
int text_nothing(const struct text *t, const char *what, struct err *e);

#endif
