// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Names, truth values, numbers, strings and comments of libconfig text, as
 * libconfig 1.5's scanner splits them, except that what it would split in two
 * is bad.
 */
#include "cfgword.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NAME_CHARS                                                             \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-*"

const char *cfgword_string_end(const char *p)
{
	for (p++; *p && *p != '"'; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : NULL;
}

const char *cfgword_comment_end(const char *p)
{
	const char *end;

	if (p[0] == '#' || p[1] == '/')
		return p + strcspn(p, "\n");
	end = strstr(p + 2, "*/");
	return end ? end + 2 : NULL;
}

size_t cfgword_length(const char *p)
{
	return strspn(p, NAME_CHARS "+.");
}

static enum cfg_word bad(const char **why, const char *text)
{
	*why = text;
	return WORD_BAD;
}

static enum cfg_word floating(const char *word, const char **why)
{
	char *end;
	double v = strtod(word, &end);

	if (*end || end == word)
		return bad(why, "is not a number; text needs quotes");
	if (!isfinite(v))
		return bad(why, "is out of range");
	return WORD_FLOAT;
}

static enum cfg_word number(const char *word, const char **why)
{
	bool hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	size_t suffix;
	char *end;
	long long v;

	errno = 0;
	v = strtoll(word, &end, hex ? 16 : 10);
	if (!hex && *end && strchr(".eE", *end))
		return floating(word, why);
	suffix = strspn(end, "L");
	if (end == word || end[suffix] || suffix > 2)
		return bad(why, "is not a number; text needs quotes");
	if (errno)
		return bad(why, "does not fit 64 bits");
	if (!suffix && (v > INT32_MAX || v < INT32_MIN))
		return bad(why, "does not fit 32 bits: put L behind it");
	return suffix ? WORD_INT64 : WORD_INT;
}

enum cfg_word cfgword_kind(const char *p, size_t n, const char **why)
{
	char word[64];

	if (!strchr("0123456789+-.", *p)) {
		if ((n == 4 && !strncasecmp(p, "true", 4)) ||
		    (n == 5 && !strncasecmp(p, "false", 5)))
			return WORD_BOOL;
		if (*p != '_' && strspn(p, NAME_CHARS) >= n)
			return WORD_NAME;
		return bad(why, memchr(p, '.', n)
					? "is not the name of a key; write a.b "
					  "= 1 as a = { b = 1; }"
					: "is not the name of a key");
	}
	if (n >= sizeof(word))
		return bad(why, "is too long for a number");
	memcpy(word, p, n);
	word[n] = '\0';
	return number(word, why);
}
