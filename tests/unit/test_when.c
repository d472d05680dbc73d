// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Times as people type them.
 */
#include "tap.h"
#include "when.h"

#define NOW 1796097488 /* 2026-12-01T03:58:08Z */

static void is_when(const char *text, int64_t want)
{
	int64_t got = -1;
	struct err e = ERR_INIT;

	ok(!when_parse(text, NOW, &got, &e) && got == want, "%s: %lld", text,
	   (long long)got);
}

static void no_time(const char *text)
{
	int64_t got = 7;
	struct err e = ERR_INIT;

	ok(when_parse(text, NOW, &got, &e) && e.kind == ERR_INPUT && got == 7,
	   "\"%s\" is none", text);
}

int main(void)
{
	is_when("90m", NOW - 5400);
	is_when("12h", NOW - 43200);
	is_when("2d", NOW - 172800);
	is_when("1w", NOW - 604800);
	is_when("0m", NOW);
	is_when("2026-12-01", 1796083200);
	is_when("2026-12-01 03:58", 1796097480);
	is_when("2026-12-01T03:58:08Z", NOW);
	is_when("2024-02-29", 1709164800);
	no_time("");
	no_time("d");
	no_time("-2d");
	no_time("2 d");
	no_time("2y");
	no_time("9999999999d");
	no_time("2026-12-32");
	no_time("2026-02-29");
	no_time("2026-12-01x");
	no_time("yesterday");
	return done_testing();
}
