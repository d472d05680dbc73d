// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * hackbench(8): the time, and messages a second: each of half the file
 * descriptors of a group sends every message to the other half.
 */
#include "extractors.h"

#include <stdio.h>
#include <string.h>

struct shape {
	unsigned int groups, fds;
	double loops;
};

static int result(struct text *t, char *p, const struct shape *h,
		  struct stat_out *o, struct err *e)
{
	double v, messages = h->groups * (h->fds / 2.0) * (h->fds / 2.0) *
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
		const char *mode = strstr(t->line, " mode with ");
		char *p;

		if (mode && sscanf(mode, " mode with %u groups using %u file",
				   &h.groups, &h.fds) != 2)
			return text_bad(t, e, "not hackbench's first line");
		if ((p = text_after(t, "Each sender will pass")) &&
		    text_number(t, &p, &h.loops, e))
			return -1;
		if ((p = text_after(t, "Time:"))) {
			if (result(t, p, &h, o, e))
				return -1;
			h = (struct shape){ 0 };
		}
	}
	return o->run ? 0 : text_nothing(t, "time", e);
}
