/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SHOW_H
#define IRONRIG_SHOW_H

#include "../analysis/estimate.h"
#include "buf.h"

#include <stdint.h>

/*
 * How numbers and prose look. Everything is appended to a buffer as UTF-8, or
 * as plain ASCII; widths are in characters.
 */
struct show {
	bool ascii;
	bool colour;
	unsigned int width; /* of tables: 80 or more */
	unsigned int prose; /* of paragraphs: 72 in a mail */
};

enum show_sign {
	SHOW_MINUS, /* − */
	SHOW_PM, /* ± */
	SHOW_DOTS, /* … */
	SHOW_DELTA, /* δ */
	SHOW_ATLEAST, /* ≥ */
};
const char *show_sign(const struct show *s, enum show_sign sign);

/* Bytes of the UTF-8 character that text begins with; 0 when it is none. */
size_t show_utf8(const char *text);
/* Characters of a UTF-8 text, without colour sequences. */
size_t show_width(const char *text);
/* text, to at least that width: blanks before it, or after it. */
void show_right(struct buf *b, const char *text, size_t width);
void show_left(struct buf *b, const char *text, size_t width);
/*
 * A paragraph broken at blanks, every line of it within s->prose and after
 * `indent` blanks; a longer word stands alone. Ends with a newline.
 */
void show_wrap(const struct show *s, struct buf *b, unsigned int indent,
	       const char *text);

/*
 * A mean in at most 10 characters with as many digits as its standard
 * deviation (NAN: unknown) leaves meaning, four at least; whole numbers have
 * no point.
 */
void show_value(const struct show *s, struct buf *b, double x, double sd);
/* Places behind the point that a number with this uncertainty is worth. */
int show_places(double uncertainty);
/* "+0.6 %", "−3.1 %"; with unit NULL the bare number; places as above. */
void show_change(const struct show *s, struct buf *b, double change, int places,
		 const char *unit);
/* "[−0.9, +2.2] %" */
void show_interval(const struct show *s, struct buf *b, struct interval ci,
		   int places, const char *unit);
/* "0.0028", "1e-07" */
void show_p(struct buf *b, double p);
/* "2026-11-30 17:44 UTC" */
void show_time(struct buf *b, int64_t unix_s);

enum show_colour {
	SHOW_PLAIN,
	SHOW_RED,
	SHOW_GREEN,
	SHOW_YELLOW
};
/* "" when there is no colour. */
const char *show_colour(const struct show *s, enum show_colour c);

#endif
