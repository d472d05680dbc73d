// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Numbers with as many digits as they are worth, and text in columns. Layout
 * of whole tables is in table.c.
 */
#include "show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define VALUE_WIDTH 10

const char *show_sign(const struct show *s, enum show_sign sign)
{
	static const char *const text[][2] = {
		[SHOW_MINUS] = { "\u2212", "-" },
		[SHOW_PM] = { "\u00b1", "+-" },
		[SHOW_DOTS] = { "\u2026", "..." },
		[SHOW_DELTA] = { "\u03b4", "delta" },
		[SHOW_ATLEAST] = { "\u2265", ">=" },
	};

	return text[sign][s->ascii];
}

/* RFC 3629 */
size_t show_utf8(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = *s < 0x80		      ? 1
		   : *s >= 0xc2 && *s <= 0xdf ? 2
		   : *s >= 0xe0 && *s <= 0xef ? 3
		   : *s >= 0xf0 && *s <= 0xf4 ? 4
					      : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* overlong forms, surrogates, above U+10FFFF */
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

size_t show_width(const char *text)
{
	size_t n = 0;

	for (; *text; text++) {
		if (*text == '\033') {
			text += strcspn(text, "m");
			if (!*text)
				break;
		} else if (((unsigned char)*text & 0xc0) != 0x80) {
			n++;
		}
	}
	return n;
}

static void blanks(struct buf *b, size_t n)
{
	while (n--)
		buf_add(b, " ", 1);
}

void show_right(struct buf *b, const char *text, size_t width)
{
	size_t has = show_width(text);

	blanks(b, has < width ? width - has : 0);
	buf_puts(b, text);
}

void show_left(struct buf *b, const char *text, size_t width)
{
	size_t has = show_width(text);

	buf_puts(b, text);
	blanks(b, has < width ? width - has : 0);
}

/* Characters of the first n bytes. */
static size_t word_width(const char *word, size_t n)
{
	size_t width = 0;

	for (size_t i = 0; i < n; i++)
		width += ((unsigned char)word[i] & 0xc0) != 0x80;
	return width;
}

void show_wrap(const struct show *s, struct buf *b, unsigned int indent,
	       const char *text)
{
	size_t at = 0;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t bytes = strcspn(text, " ");
		size_t width;

		/* "95 %" stays together */
		while (!strncmp(text + bytes, " %", 2))
			bytes += 1 + strcspn(text + bytes + 1, " ");
		width = word_width(text, bytes);

		if (at && at + 1 + width > s->prose) {
			buf_puts(b, "\n");
			at = 0;
		}
		if (!at) {
			blanks(b, indent);
			at = indent;
		} else {
			buf_puts(b, " ");
			at++;
		}
		buf_add(b, text, bytes);
		at += width;
		text += bytes;
	}
	buf_puts(b, "\n");
}

int show_places(double uncertainty)
{
	double places;

	if (!(uncertainty > 0) || isinf(uncertainty))
		return 1;
	/* two digits of the uncertainty, one from 5 on */
	places = ceil(-log10(uncertainty / 5));
	return places < 0 ? 0 : places > 9 ? 9 : (int)places;
}

/* The sign of a number that rounds to zero says nothing. */
static bool is_minus(const char *digits)
{
	return *digits == '-' && strpbrk(digits, "123456789");
}

/* Places behind the point for four digits at least. */
static int four_digits(double size)
{
	if (size == 0)
		return 0;
	return 3 - (int)floor(log10(size));
}

void show_value(const struct show *s, struct buf *b, double x, double sd)
{
	double size = fabs(x);
	int places = sd > 0 ? show_places(sd) : 0, whole;
	char text[64];

	if (!isfinite(x)) {
		buf_puts(b, "-");
		return;
	}
	whole = size >= 1 ? (int)floor(log10(size)) + 1 : 1;
	if (places < four_digits(size))
		places = four_digits(size);
	/* a count is one, however it spreads */
	if (x == rint(x))
		places = 0;
	if (whole + places + (x < 0) + (places > 0) > VALUE_WIDTH)
		places = VALUE_WIDTH - 1 - whole - (x < 0);
	/* 10 digits need no point, 11 do not fit */
	if (whole + (x < 0) > VALUE_WIDTH || (size > 0 && size < 1e-6))
		snprintf(text, sizeof(text), "%.3e", x);
	else
		snprintf(text, sizeof(text), "%.*f", places > 0 ? places : 0,
			 x);
	if (is_minus(text))
		buf_puts(b, show_sign(s, SHOW_MINUS));
	buf_puts(b, text + (*text == '-'));
}

void show_change(const struct show *s, struct buf *b, double change, int places,
		 const char *unit)
{
	char text[400];

	if (isnan(change)) {
		buf_puts(b, "-");
		return;
	}
	snprintf(text, sizeof(text), fabs(change) < 1e7 ? "%.*f" : "%.*e",
		 places, change);
	if (is_minus(text))
		buf_puts(b, show_sign(s, SHOW_MINUS));
	else if (strpbrk(text, "123456789") || isinf(change))
		buf_puts(b, change < 0 ? show_sign(s, SHOW_MINUS) : "+");
	buf_puts(b, text + (*text == '-'));
	if (unit && *unit)
		buf_printf(b, " %s", unit);
}

void show_interval(const struct show *s, struct buf *b, struct interval ci,
		   int places, const char *unit)
{
	buf_puts(b, "[");
	show_change(s, b, ci.lo, places, NULL);
	buf_puts(b, ", ");
	show_change(s, b, ci.hi, places, NULL);
	buf_puts(b, "]");
	if (unit && *unit)
		buf_printf(b, " %s", unit);
}

/* Two, or as many as it takes to tell p from the usual levels. */
static int p_digits(double p)
{
	static const double level[] = { .001, .01, .05, .1 };
	int digits = 2;

	for (size_t i = 0; i < sizeof(level) / sizeof(level[0]); i++)
		while (digits < 9 && p != level[i] &&
		       fabs(p - level[i]) < .6 * level[i] * pow(10, 1 - digits))
			digits++;
	return digits;
}

void show_p(struct buf *b, double p)
{
	if (isnan(p))
		buf_puts(b, "-");
	else if (p >= .0001)
		buf_printf(b, "%.*g", p_digits(p), p);
	else if (p < 1e-300)
		buf_puts(b, "1e-300"); /* the tail is not that well known */
	else
		buf_printf(b, "%.0e", p);
}

void show_time(struct buf *b, int64_t unix_s)
{
	time_t t = (time_t)unix_s;
	struct tm tm;
	char text[64];

	if (gmtime_r(&t, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &tm))
		buf_puts(b, text);
}

const char *show_colour(const struct show *s, enum show_colour c)
{
	static const char *const code[] = {
		[SHOW_PLAIN] = "\033[0m",
		[SHOW_RED] = "\033[1;31m",
		[SHOW_GREEN] = "\033[32m",
		[SHOW_YELLOW] = "\033[33m",
	};

	return s->colour ? code[c] : "";
}
