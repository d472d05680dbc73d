// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Pressure stall information (Documentation/accounting/psi.rst) and the load
 * average. Of the former the totals, as share of the window: the averages of
 * the file itself reach back before it.
 */
#include "extractors.h"

#include <string.h>

static int parse(struct series *s, struct sample *t, struct err *e)
{
	while (sample_line(t)) {
		const char *kind, *p;
		size_t nkind = sample_word(t, &kind), n;
		double v;

		do
			n = sample_word(t, &p);
		while (n && (n < 6 || memcmp(p, "total=", 6) != 0));
		if (!n)
			return sample_bad(t, e, "no total=");
		t->line = p + 6;
		if (sample_u64(t, &v, e) ||
		    series_add(s, kind, nkind, 0, v, e))
			return -1;
	}
	return 0;
}

static int put(const struct series *s, struct stat_out *o, const char *what,
	       struct err *e)
{
	double secs = series_seconds(s), d;

	for (size_t i = 0; secs > 0 && i < s->n; i++)
		if (series_delta(s, &s->v[i], &d) &&
		    stat_put(o, "%", STAT_LOWER, d / 1e4 / secs, e,
			     "pressure.%s.%s%%", what,
			     series_key(s, &s->v[i])))
			return -1;
	return 0;
}

static int finish_cpu(const struct series *s, struct stat_out *o,
		      struct err *e)
{
	return put(s, o, "cpu", e);
}

static int finish_io(const struct series *s, struct stat_out *o,
		     struct err *e)
{
	return put(s, o, "io", e);
}

static int finish_memory(const struct series *s, struct stat_out *o,
			 struct err *e)
{
	return put(s, o, "memory", e);
}

const struct monitor pressure_cpu_monitor = { .parse = parse,
					      .finish = finish_cpu };
const struct monitor pressure_io_monitor = { .parse = parse,
					     .finish = finish_io };
const struct monitor pressure_memory_monitor = { .parse = parse,
						 .finish = finish_memory };

static int parse_load(struct series *s, struct sample *t, struct err *e)
{
	double v;

	if (!sample_line(t))
		return err_set(e, ERR_FORMAT, "an empty sample");
	if (sample_double(t, &v, e))
		return -1;
	return series_add(s, "1min", 4, 0, v, e);
}

static int finish_load(const struct series *s, struct stat_out *o,
		       struct err *e)
{
	const struct series_item *i = series_find(s, "1min", 0);

	return i ? stat_put(o, "tasks", STAT_NONE, i->sum / i->n, e,
			    "loadavg.1min") : 0;
}

const struct monitor loadavg_monitor = {
	.parse = parse_load,
	.finish = finish_load,
	.levels = true,
};
