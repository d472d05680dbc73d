// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Times on a command line. All are UTC, as everything that is printed.
 */
#include "when.h"
#include "num.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t seconds_of(char unit)
{
	switch (unit) {
	case 'm':
		return 60;
	case 'h':
		return 3600;
	case 'd':
		return 86400;
	case 'w':
		return 7 * 86400;
	default:
		return 0;
	}
}

/* "2d" ago. */
static int parse_ago(const char *text, int64_t now_s, int64_t *out)
{
	size_t n = strlen(text);
	int64_t unit = n > 1 ? seconds_of(text[n - 1]) : 0, count;
	char number[16];
	struct err e = ERR_INIT;

	if (!unit || n > sizeof(number))
		return -1;
	snprintf(number, sizeof(number), "%.*s", (int)(n - 1), text);
	if (num_i64(number, 0, 1000000, &count, &e))
		return -1;
	*out = now_s - count * unit;
	return 0;
}

int when_parse(const char *text, int64_t now_s, int64_t *out, struct err *e)
{
	static const char *const form[] = {
		"%Y-%m-%d",	     "%Y-%m-%d %H:%M",	  "%Y-%m-%dT%H:%M",
		"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ",
	};

	if (!parse_ago(text, now_s, out))
		return 0;
	for (size_t i = 0; i < sizeof(form) / sizeof(form[0]); i++) {
		struct tm tm = { .tm_mday = 1 };
		const char *end = strptime(text, form[i], &tm);
		int day = tm.tm_mday;
		time_t t;

		if (!end || *end)
			continue;
		/* timegm() makes the 3rd of March of February 31, in tm too */
		t = timegm(&tm);
		if (t < 0 || tm.tm_mday != day)
			break;
		*out = t;
		return 0;
	}
	return err_set(e, ERR_INPUT,
		       "\"%.40s\" is no time: 2026-12-01, \"2026-12-01 17:44\" "
		       "(UTC), or 90m, 12h, 2d, 3w ago",
		       text);
}
