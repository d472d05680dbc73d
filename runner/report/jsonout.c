// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A JSON writer. What the objects are is with their callers.
 */
#include "jsonout.h"

#include <math.h>
#include <string.h>

/* Bytes of the UTF-8 character at s, 0 when it is none (RFC 3629). */
static size_t utf8(const unsigned char *s)
{
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

static void quoted(struct buf *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	buf_puts(out, "\"");
	while (*s) {
		size_t n = utf8(s);

		if (*s == '"' || *s == '\\')
			buf_printf(out, "\\%c", *s);
		else if (*s < 0x20)
			buf_printf(out, "\\u%04x", *s);
		else if (n)
			buf_add(out, s, n);
		else
			buf_puts(out, "\ufffd");
		s += n ? n : 1;
	}
	buf_puts(out, "\"");
}

static void start(struct jsonout *j, const char *key)
{
	if (j->more)
		buf_puts(j->out, ",");
	if (key) {
		quoted(j->out, key);
		buf_puts(j->out, ":");
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

void jsonout_number(struct jsonout *j, const char *key, double value)
{
	start(j, key);
	if (isfinite(value))
		buf_printf(j->out, "%.15g", value);
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
