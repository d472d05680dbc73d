// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * /proc/schedstat, versions 14 to 17: the CPU lines, summed over all CPUs;
 * Documentation/scheduler/sched-stats.rst. The domain lines, whose meaning
 * changes with the version, are left out.
 */
#include "extractors.h"

static const struct {
	const char *name; /* NULL: not used any more */
	double factor;
	const char *unit;
} column[] = {
	{ "yld_count", 1, "count" },	{ NULL, 0, NULL },
	{ "sched_count", 1, "count" },	{ "sched_goidle", 1, "count" },
	{ "ttwu_count", 1, "count" },	{ "ttwu_local", 1, "count" },
	{ "run_ms", 1e-6, "ms" },	{ "wait_ms", 1e-6, "ms" },
	{ "pcount", 1, "count" },
};
enum { N = sizeof(column) / sizeof(column[0]) };

static int parse(struct series *s, struct sample *t, struct err *e)
{
	double version = 0, v;
	double sum[N] = { 0 };
	bool cpus = false;

	while (sample_line(t)) {
		const char *p;
		size_t n = sample_word(t, &p);

		if (n == 7 && *p == 'v' && sample_u64(t, &version, e))
			return -1;
		if (n < 4 || *p != 'c')
			continue;
		if (version < 14 || version > 17)
			return sample_bad(t, e, "of an unknown version");
		for (unsigned int i = 0; i < N; i++) {
			if (sample_u64(t, &v, e))
				return -1;
			sum[i] += v;
		}
		for (size_t i = 0; i < n; i++)
			s->shape = s->shape * 31 + (unsigned char)p[i];
		cpus = true;
	}
	if (!cpus)
		return sample_bad(t, e, "no CPU in it");
	for (unsigned int i = 0; i < N; i++)
		if (series_add(s, "cpu", 3, i, sum[i], e))
			return -1;
	return 0;
}

static int finish(const struct series *s, struct stat_out *o, struct err *e)
{
	double d;

	for (size_t i = 0; !s->reshaped && i < s->n; i++) {
		unsigned int f = s->v[i].field;

		if (column[f].name && series_delta(s, &s->v[i], &d) &&
		    stat_put(o, column[f].unit, STAT_NONE,
			     d * column[f].factor, e, "schedstat.%s",
			     column[f].name))
			return -1;
	}
	return 0;
}

const struct monitor schedstat_monitor = { .parse = parse, .finish = finish };
