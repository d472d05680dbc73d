// SPDX-License-Identifier: GPL-3.0-or-later
#include "cpulist.h"
#include "tap.h"

static const char *round_trip(const char *s)
{
	static struct buf b;
	struct cpulist c;
	struct err e;

	buf_reset(&b);
	if (cpulist_parse(s, &c, &e))
		return "error";
	cpulist_format(&c, &b);
	return buf_str(&b);
}

int main(void)
{
	static const char *const bad[] = { "a", "3-1", "1,", ",1", "1--2",
					   "8192", "1 2", "1\n2" };
	struct cpulist c;
	struct err e;

	is_str(round_trip("0-287\n"), "0-287", "288 CPUs are one range");
	is_str(round_trip("0,1,2,5,7-8"), "0-2,5,7-8", "ranges are joined");
	is_str(round_trip("\n"), "", "empty set");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_str(round_trip(bad[i]), "error", "bad list %zu", i);
	ok(!cpulist_parse("63-65", &c, &e) && cpulist_count(&c) == 3 &&
		   cpulist_next(&c, 0) == 63 && cpulist_next(&c, 66) == -1,
	   "across a word's edge");
	is_int(cpulist_percent(288, 100), 288, "100%% of 288");
	is_int(cpulist_percent(4, 10), 1, "never 0");
	is_int(cpulist_percent(3, 50), 2, "rounded to nearest");
	return done_testing();
}
