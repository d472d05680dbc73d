// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Numbers with the digits they are worth, widths, wrapping, JSON strings.
 */
#include "report/jsonout.h"
#include "report/show.h"
#include "tap.h"

static const struct show UTF8 = { .ascii = false, .width = 80, .prose = 20 };
static const struct show ASCII = { .ascii = true, .width = 80, .prose = 20 };

static void value(double x, double sd, const char *want)
{
	struct buf b = { 0 };

	show_value(&ASCII, &b, x, sd);
	is_str(buf_str(&b), want, "%g with sd %g", x, sd);
	ok(b.len <= 10, "in 10 characters");
	buf_free(&b);
}

static void change(double x, int places, const char *want)
{
	struct buf b = { 0 };

	show_change(&ASCII, &b, x, places, "%");
	is_str(buf_str(&b), want, "change of %g", x);
	buf_free(&b);
}

static void values(void)
{
	value(62.514, NAN, "62.51");
	value(15998, 200, "15998");
	value(2325538.003, 16628, "2325538");
	value(62.51412, .001, "62.5141");
	value(0, 0, "0");
	value(0, NAN, "0");
	value(.00123456, NAN, "0.001235");
	value(1e-9, 0, "1.000e-09");
	value(1e12, 10, "1.000e+12");
	value(-1e12, 10, "-1.000e+12");
	value(1234567890, 1, "1234567890");
	value(-123456789, 1, "-123456789");
	value(NAN, NAN, "-");
	value(INFINITY, 1, "-");
	value(-4.5, 1, "-4.500");
	change(.635781, 1, "+0.6 %");
	change(-.04, 1, "0.0 %");
	change(.04, 1, "0.0 %");
	change(-17.46, 2, "-17.46 %");
	change(NAN, 1, "-");
	change(INFINITY, 1, "+inf %");
	is_int(show_places(1.6), 1, "one place for 1.6");
	is_int(show_places(.5), 1, "one for .5");
	is_int(show_places(.05), 2, "two for .05");
	is_int(show_places(7), 0, "none for 7");
	is_int(show_places(NAN), 1, "one when not known");
}

static void texts(void)
{
	struct buf b = { 0 };

	is_int(show_width("\u2212\u03b4x"), 3, "width in characters");
	is_int(show_width("\033[1;31mRED\033[0m"), 3, "colour has none");
	show_right(&b, "\u00b1", 3);
	show_left(&b, "\u00b1", 3);
	is_str(buf_str(&b), "  \u00b1\u00b1  ", "padding");
	buf_reset(&b);
	show_wrap(&UTF8, &b, 2,
		  "one two three four aVeryLongWordThatCannotFit x");
	is_str(buf_str(&b),
	       "  one two three four\n  aVeryLongWordThatCannotFit\n  x\n",
	       "wrapped");
	buf_reset(&b);
	show_wrap(&UTF8, &b, 0, "one two three fo 95 %) x");
	is_str(buf_str(&b), "one two three fo\n95 %) x\n",
	       "a number keeps its percent sign");
	buf_reset(&b);
	show_interval(&UTF8, &b, (struct interval){ -1, 2 }, 1, "%");
	is_str(buf_str(&b), "[\u22121.0, +2.0] %", "an interval");
	buf_reset(&b);
	show_time(&b, 1764524700);
	is_str(buf_str(&b), "2025-11-30 17:45 UTC", "time");
	buf_reset(&b);
	show_p(&b, .00283);
	show_p(&b, 1e-9);
	is_str(buf_str(&b), "0.00281e-09", "p");
	buf_reset(&b);
	show_p(&b, .049997);
	buf_puts(&b, " ");
	show_p(&b, .0500001);
	buf_puts(&b, " ");
	show_p(&b, .05);
	is_str(buf_str(&b), "0.049997 0.0500001 0.05",
	       "p beside a level has the digits that tell on which side");
	buf_reset(&b);
	show_p(&b, 0);
	is_str(buf_str(&b), "1e-300", "p that vanished is not called zero");
	buf_free(&b);
}

static void json(void)
{
	struct buf b = { 0 };
	struct jsonout j = { .out = &b, .more = false };

	jsonout_open(&j, NULL, '{');
	jsonout_string(&j, "a\"b", "\\ \n \xff \xc0\x80 \xed\xa0\x80 \u03b4");
	jsonout_number(&j, "n", NAN);
	jsonout_open(&j, "v", '[');
	jsonout_number(&j, NULL, .1);
	jsonout_integer(&j, NULL, -3);
	jsonout_close(&j, ']');
	jsonout_open(&j, "e", '[');
	jsonout_close(&j, ']');
	jsonout_bool(&j, "t", true);
	jsonout_null(&j, "z");
	jsonout_close(&j, '}');
	is_str(buf_str(&b),
	       "{\"a\\\"b\":\"\\\\ \\u000a \ufffd \ufffd\ufffd "
	       "\ufffd\ufffd\ufffd \u03b4\",\"n\":null,\"v\":[0.1,-3],"
	       "\"e\":[],\"t\":true,\"z\":null}",
	       "escapes, wrong UTF-8, commas");
	buf_free(&b);
}

/* JSON's numbers, by their fast form, are printf's to the last digit. */
static void numbers(void)
{
	static const double odd[] = {
		0,
		-0.,
		1,
		-1,
		.1,
		1e-4,
		9.99999999999999e-5,
		9.999999999999999e-5,
		1e14,
		1e15,
		123456789012345.,
		99999999999999.5,
		999999999999999.,
		.000123456789012345,
		1 / 3.,
		2 / 3e4,
		1e-300,
		1e300,
		4e-320,
		1000000,
		100,
		10.5,
		1e13 + .5,
		9999999999999.995,
		1.5e-4,
		0.1 + 0.2,
		1 - 1e-16,
		1 + 3e-16,
		0x1p-13,
		0x1.fffffffffffffp46,
	};
	struct buf b = { 0 };
	uint64_t state = 1;
	size_t wrong = 0;

	for (size_t i = 0; i < 300000; i++) {
		struct jsonout j = { .out = &b, .more = false };
		double x = i < sizeof(odd) / sizeof(odd[0]) ? odd[i] : 0;
		char want[64];

		state = state * 6364136223846793005u + 1442695040888963407u;
		if (i >= sizeof(odd) / sizeof(odd[0]))
			x = ldexp((double)(int64_t)state,
				  (int)(state >> 7) % 60 - 90);
		/* few digits: halves and trailing zeros */
		if (i % 3 == 0 && i > 100)
			x = round(x * 1e4) / 1e4;
		snprintf(want, sizeof(want), "%.15g", x);
		buf_reset(&b);
		jsonout_number(&j, NULL, x);
		if (strcmp(buf_str(&b), want) != 0 && !wrong++)
			is_str(buf_str(&b), want, "number %zu", i);
	}
	is_int(wrong, 0, "numbers are printf's");
	buf_free(&b);
}

int main(void)
{
	numbers();
	values();
	texts();
	json();
	return done_testing();
}
