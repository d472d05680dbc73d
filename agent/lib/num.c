// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Strict number parsing: whole string or error, no locale, no silent overflow.
 */
#include "num.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static bool digits(const char *s)
{
	return *s && strspn(s, "0123456789") == strlen(s);
}

int num_u64(const char *s, uint64_t max, uint64_t *out, struct err *e)
{
	unsigned long long v;

	if (!digits(s))
		return err_set(e, ERR_INPUT, "\"%.64s\" is not a whole number",
			       s);
	errno = 0;
	v = strtoull(s, NULL, 10);
	if (errno || v > max)
		return err_set(e, ERR_INPUT, "%.64s is above %llu", s,
			       (unsigned long long)max);
	*out = v;
	return 0;
}

int num_i64(const char *s, int64_t min, int64_t max, int64_t *out,
	    struct err *e)
{
	long long v;

	if (!digits(s + (*s == '-')))
		return err_set(e, ERR_INPUT, "\"%.64s\" is not a whole number",
			       s);
	errno = 0;
	v = strtoll(s, NULL, 10);
	if (errno || v < min || v > max)
		return err_set(e, ERR_INPUT, "%.64s is not in %lld..%lld", s,
			       (long long)min, (long long)max);
	*out = v;
	return 0;
}

/*
 * strtod itself follows the process's locale ("1,5"); the C locale object is
 * made once per call, which is dear (about 1 us) but has no global state.
 */
int num_double(const char *s, double *out, struct err *e)
{
	locale_t c;
	char *end;
	double v;

	if (!*s || strspn(s, "+-.0123456789eE") != strlen(s))
		return err_set(e, ERR_INPUT, "\"%.64s\" is not a number", s);
	c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (c == (locale_t)0)
		return err_sys(e, "C locale");
	errno = 0;
	v = strtod_l(s, &end, c);
	freelocale(c);
	if (*end || end == s)
		return err_set(e, ERR_INPUT, "\"%.64s\" is not a number", s);
	if (errno == ERANGE && (v > 1 || v < -1))
		return err_set(e, ERR_INPUT, "%.64s is out of range", s);
	*out = v;
	return 0;
}

int num_share(const char *s, double *out, bool *percent, struct err *e)
{
	size_t len = strlen(s);
	bool sign = len && s[len - 1] == '%';
	char *number = strndup(s, len - sign);
	double v = 0;
	int rc;

	if (!number)
		return err_set(e, ERR_LIMIT, "out of memory");
	rc = num_double(number, &v, e);
	free(number);
	if (rc)
		return -1;
	*percent = sign;
	*out = sign ? v / 100 : v;
	return 0;
}

struct unit {
	const char *name;
	uint64_t factor;
};

static int scaled(const char *s, const struct unit *unit, size_t n,
		  const char *what, uint64_t *out, struct err *e)
{
	size_t len = strspn(s, "0123456789");
	uint64_t v;

	for (size_t i = 0; len && i < n; i++) {
		if (strcmp(s + len, unit[i].name) != 0)
			continue;
		errno = 0;
		v = strtoull(s, NULL, 10);
		if (errno || v > (uint64_t)INT64_MAX / unit[i].factor)
			return err_set(e, ERR_INPUT, "%.64s is out of range",
				       s);
		*out = v * unit[i].factor;
		return 0;
	}
	return err_set(e, ERR_INPUT, "\"%.64s\" is not %s", s, what);
}

int num_size(const char *s, uint64_t *bytes, struct err *e)
{
	static const struct unit unit[] = {
		{ "", 1 },	     { "K", 1ULL << 10 }, { "M", 1ULL << 20 },
		{ "G", 1ULL << 30 }, { "T", 1ULL << 40 },
	};

	return scaled(s, unit, sizeof(unit) / sizeof(unit[0]),
		      "a size (such as 64M)", bytes, e);
}

int num_duration(const char *s, int64_t *ms, struct err *e)
{
	static const struct unit unit[] = {
		{ "", 1000 },	{ "s", 1000 },	  { "ms", 1 },
		{ "m", 60000 }, { "h", 3600000 }, { "d", 86400000 },
	};
	uint64_t v = 0;

	if (scaled(s, unit, sizeof(unit) / sizeof(unit[0]),
		   "a duration (such as 300s or 5m)", &v, e))
		return -1;
	*ms = (int64_t)v;
	return 0;
}

bool num_percent(const char *s, unsigned int *percent)
{
	size_t len = strspn(s, "0123456789");
	unsigned long v;

	if (!len || len > 4 || strcmp(s + len, "%") != 0)
		return false;
	v = strtoul(s, NULL, 10);
	if (!v || v > 1000)
		return false;
	*percent = (unsigned int)v;
	return true;
}
