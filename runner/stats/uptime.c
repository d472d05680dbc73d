// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * /proc/uptime: how long the box had been up at the window's end, and how long
 * its CPUs were idle in it, all of them together. The second column is that
 * sum since boot (and on a few kernels goes backwards, then it is missing).
 */
#include "extractors.h"

static const char key[] = "uptime";

enum { UP, IDLE, FIELDS };

static int parse(struct series *s, struct sample *t, struct err *e)
{
	if (!sample_line(t))
		return err_set(e, ERR_FORMAT, "an empty sample");
	for (unsigned int i = UP; i < FIELDS; i++) {
		double v;

		if (sample_double(t, &v, e) ||
		    series_add(s, key, sizeof(key) - 1, i, v, e))
			return -1;
	}
	return 0;
}

static int finish(const struct series *s, struct stat_out *o, struct err *e)
{
	const struct series_item *up = series_find(s, key, UP);
	const struct series_item *idle = series_find(s, key, IDLE);
	double d;

	if (up && stat_put(o, "s", STAT_NONE, up->last, e, "uptime.boot"))
		return -1;
	if (!idle || !series_delta(s, idle, &d))
		return 0;
	return stat_put(o, "s", STAT_NONE, d, e, "uptime.idle");
}

const struct monitor uptime_monitor = { .parse = parse, .finish = finish };
