// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Good, bad, or neither, from an interval and a middle; and names near to
 * mistyped ones.
 */
#include "bisect.h"
#include "near.h"
#include "tap.h"

#include <math.h>
#include <string.h>

static enum bisect_answer judge(double lo, double diff, double hi,
				double middle)
{
	const struct ab_effect f = { .blocks = 5, .lo = lo, .diff = diff,
				     .hi = hi };

	return bisect_judge(&f, middle);
}

static void judging(void)
{
	ok(judge(-.02, 0, .02, -.05) == BISECT_GOOD, "nothing: good");
	ok(judge(-.12, -.10, -.08, -.05) == BISECT_BAD, "all of it: bad");
	ok(judge(-.06, -.05, -.04, -.05) == BISECT_SKIP, "the middle");
	ok(judge(-.10, -.06, -.05, -.05) == BISECT_SKIP, "an end on it");
	ok(judge(-.09, -.07, -.051, -.05) == BISECT_BAD, "just beyond it");
	ok(judge(-.049, -.03, -.01, -.05) == BISECT_GOOD, "just short of it");
	ok(judge(.01, .02, .03, -.05) == BISECT_GOOD,
	   "better than good is good");
	/* a stat that gets worse by growing */
	ok(judge(.08, .10, .12, .05) == BISECT_BAD, "latency: all of it");
	ok(judge(-.02, 0, .02, .05) == BISECT_GOOD, "latency: nothing");
	ok(judge(-.12, -.10, -.08, .05) == BISECT_GOOD, "latency: less");
	ok(judge(NAN, -.10, NAN, -.05) == BISECT_SKIP, "no interval: skip");
	ok(judge(-.10, -.10, -.10, -.05) == BISECT_BAD, "no spread at all");
	ok(judge(-INFINITY, -.10, INFINITY, -.05) == BISECT_SKIP, "no bounds");
}

static void near_is(const char *what, const char *wanted)
{
	static char a[] = "v6.1", b[] = "v6.1-patch", c[] = "slow", d[] = "x";
	char *v[] = { a, b, c, d };
	const struct strlist have = { v, 4 };
	struct buf out = { 0 };

	near_names(&have, what, &out);
	is_str(buf_str(&out), wanted, "near %s", what);
	buf_free(&out);
}

static void names(void)
{
	static char one[] = "a";
	char *v[] = { one, one, one, one, one, one, one, one, one };
	const struct strlist none = { NULL, 0 }, many = { v, 9 };
	struct buf out = { 0 };
	char longest[200];

	near_is("v6.2", ", near: v6.1");
	near_is("v6.1-patched", ", near: v6.1, v6.1-patch");
	near_is("v6.1-ptach", ", near: v6.1, v6.1-patch");
	near_is("slwo", ", near: slow");
	near_is("nothing-like-it", ", there is: v6.1, v6.1-patch, slow, x");
	near_is("", ", there is: v6.1, v6.1-patch, slow, x");
	near_names(&none, "v6.1", &out);
	is_str(buf_str(&out), "", "nothing to be near to");
	near_names(&many, "zzzzzz", &out);
	is_str(buf_str(&out), ", there is: a, a, a, a, a, a, a, a, ...",
	       "a long list is cut");
	memset(longest, 'v', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	buf_reset(&out);
	near_names(&many, longest, &out);
	ok(out.len > 0, "a name longer than any");
	buf_free(&out);
}

int main(void)
{
	judging();
	names();
	return done_testing();
}
