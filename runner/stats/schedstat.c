// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * /proc/schedstat, versions 14 to 17: the CPU lines, summed over all CPUs;
 * Documentation/scheduler/sched-stats.rst. The domain lines, whose meaning
 * changes with the version, are left out.
 *
 * Most counters stand still unless the sysctl kernel.sched_schedstats is 1
 * (Debian's default is 0): where schedule() was never called in the window,
 * nobody counts, and they are missing.
 */
#include "extractors.h"

static const struct {
	const char *name; /* NULL: not used any more */
	double factor;
	const char *unit;
	bool always; /* counted whatever the sysctl says */
} column[] = {
	{ "yld_count", 1, "count", false },
	{ NULL, 0, NULL, false },
	{ "sched_count", 1, "count", false },
	{ "sched_goidle", 1, "count", false },
	{ "ttwu_count", 1, "count", false },
	{ "ttwu_local", 1, "count", false },
	{ "run_ms", 1e-6, "ms", true },
	{ "wait_ms", 1e-6, "ms", true },
	{ "pcount", 1, "count", true },
};
enum {
	SCHED_COUNT = 2,
	N = sizeof(column) / sizeof(column[0])
};

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
	const struct series_item *calls = series_find(s, "cpu", SCHED_COUNT);
	bool counts = calls && calls->last > calls->first;
	double d;

	for (size_t i = 0; !s->reshaped && i < s->n; i++) {
		unsigned int f = s->v[i].field;

		if (column[f].name && (counts || column[f].always) &&
		    series_delta(s, &s->v[i], &d) &&
		    stat_put(o, column[f].unit, STAT_NONE, d * column[f].factor,
			     e, "schedstat.%s", column[f].name))
			return -1;
	}
	return 0;
}

const struct monitor schedstat_monitor = { .parse = parse, .finish = finish };
