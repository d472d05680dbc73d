// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * hackbench(8): the time, and messages a second: each of half the file
 * descriptors of a group sends every message to the other half.
 */
#include "extractors.h"

#include <string.h>

struct shape {
	double groups, fds, loops;
};

/* "... mode with 2 groups using 40 file descriptors each (== 80 tasks)" */
static int first_line(struct text *t, char *mode, struct shape *h,
		      struct err *e)
{
	char *p = mode + strlen(" mode with"), *q = strstr(p, " using ");

	if (text_number(t, &p, &h->groups, e))
		return -1;
	if (!q)
		return text_bad(t, e, "not hackbench's first line");
	q += strlen(" using");
	return text_number(t, &q, &h->fds, e);
}

static int result(struct text *t, char *p, const struct shape *h,
		  struct stat_out *o, struct err *e)
{
	double v, messages = h->groups * (h->fds / 2) * (h->fds / 2) *
			     h->loops;

	if (text_number(t, &p, &v, e))
		return -1;
	if (v <= 0)
		return text_bad(t, e, "not a time");
	o->run++;
	if (stat_put(o, "s", STAT_LOWER, v, e, "hackbench.time"))
		return -1;
	if (messages <= 0)
		return 0;
	if (stat_put(o, "messages", STAT_NONE, messages, e, STAT_OPS))
		return -1;
	return stat_put(o, "messages/s", STAT_HIGHER, messages / v, e,
			"hackbench.throughput");
}

int hackbench_text(struct text *t, struct stat_out *o, struct err *e)
{
	struct shape h = { 0 };

	while (text_next(t)) {
		char *mode = strstr(t->line, " mode with ");
		char *p;

		if (mode && first_line(t, mode, &h, e))
			return -1;
		if ((p = text_after(t, "Each sender will pass")) &&
		    text_number(t, &p, &h.loops, e))
			return -1;
		/* it was stopped, or lacked memory or processes: a time all
		 * the same, and not of these messages */
		if (strstr(t->line, "longjmp"))
			return text_bad(t, e, "hackbench was interrupted");
		if ((p = text_after(t, "Time:"))) {
			if (result(t, p, &h, o, e))
				return -1;
			h = (struct shape){ 0 };
		}
	}
	return o->run ? 0 : text_nothing(t, "time", e);
}
