// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A JSON writer. What the objects are is with their callers.
 */
#include "jsonout.h"
#include "show.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Whether a byte stands for itself in a JSON string: ASCII but for these. */
static bool plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Bytes that stand for themselves are taken at once: nearly always all. */
static void quoted(struct buf *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	buf_add(out, "\"", 1);
	while (*s) {
		size_t n = 0;

		while (plain(s[n]))
			n++;
		if (!n)
			n = show_utf8((const char *)s);
		if (n > 1 || plain(*s))
			buf_add(out, s, n);
		else if (*s == '"' || *s == '\\')
			buf_printf(out, "\\%c", *s);
		else if (*s < 0x20)
			buf_printf(out, "\\u%04x", *s);
		else
			buf_puts(out, "\ufffd");
		s += n ? n : 1;
	}
	buf_add(out, "\"", 1);
}

static void start(struct jsonout *j, const char *key)
{
	if (j->more)
		buf_add(j->out, ",", 1);
	if (key) {
		quoted(j->out, key);
		buf_add(j->out, ":", 1);
	}
	j->more = true;
}

void jsonout_open(struct jsonout *j, const char *key, char bracket)
{
	start(j, key);
	buf_add(j->out, &bracket, 1);
	j->more = false;
}

void jsonout_close(struct jsonout *j, char bracket)
{
	buf_add(j->out, &bracket, 1);
	j->more = true;
}

void jsonout_string(struct jsonout *j, const char *key, const char *value)
{
	start(j, key);
	quoted(j->out, value);
}

#define DIGITS 15

/*
 * Mantissa of x as 15 decimal digits and its power of ten, correctly rounded,
 * or false: printf() is then asked. A long double has 64 bits, so x times a
 * power that it holds exactly is off by 1e-4 of the last digit at most, and a
 * rest that is not close to a half is rounded as printf() would.
 */
static bool digits_of(double x, uint64_t *digits, int *power)
{
	static const long double ten[] = {
		1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
		1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
		1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
	};
	long double v, rest;
	int k;

	if (!(x >= 1e-4 && x < 1e14))
		return false;
	k = DIGITS - 1 - (int)floor(ilogb(x) * .30103);
	k = k > 19 ? 19 : k < 0 ? 0 : k;
	v = x * ten[k];
	if (v >= ten[DIGITS])
		v = x * ten[--k];
	*digits = (uint64_t)v;
	rest = v - (long double)*digits;
	if (fabsl(rest - .5L) < .001L)
		return false;
	*digits += rest > .5L;
	*power = DIGITS - 1 - k;
	return *digits >= 100000000000000 && *digits < 1000000000000000;
}

/* "%.15g" for a tenth of what it costs; out has room for 32. */
static size_t fast_g(double value, char *out)
{
	char d[DIGITS];
	uint64_t digits;
	int power, n = DIGITS;
	char *to = out;

	if (!digits_of(fabs(value), &digits, &power))
		return (size_t)snprintf(out, 32, "%.15g", value);
	for (int i = DIGITS - 1; i >= 0; i--, digits /= 10)
		d[i] = (char)('0' + digits % 10);
	while (n > 1 && d[n - 1] == '0')
		n--;
	if (value < 0)
		*to++ = '-';
	if (power < 0) {
		*to++ = '0';
		*to++ = '.';
		for (int i = -1; i > power; i--)
			*to++ = '0';
	}
	for (int i = 0; i < n || i <= power; i++) {
		if (i && i == power + 1)
			*to++ = '.';
		*to++ = i < n ? d[i] : '0';
	}
	return (size_t)(to - out);
}

void jsonout_number(struct jsonout *j, const char *key, double value)
{
	char text[32];

	start(j, key);
	if (isfinite(value))
		buf_add(j->out, text, fast_g(value, text));
	else
		buf_puts(j->out, "null");
}

void jsonout_integer(struct jsonout *j, const char *key, long long value)
{
	start(j, key);
	buf_printf(j->out, "%lld", value);
}

void jsonout_bool(struct jsonout *j, const char *key, bool value)
{
	start(j, key);
	buf_puts(j->out, value ? "true" : "false");
}

void jsonout_null(struct jsonout *j, const char *key)
{
	start(j, key);
	buf_puts(j->out, "null");
}
