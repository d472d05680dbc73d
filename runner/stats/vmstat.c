// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What vmstat(8) shows of /proc/stat, named as lkp-tests does. r is without
 * the sampler itself, as vmstat leaves itself out. Not here: its memory and
 * io columns, see meminfo and proc-vmstat.
 */
#include "extractors.h"

#include <string.h>

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFT, STEAL, N };

static const struct {
	const char *label, *key;
} wanted[] = {
	{ "ctxt ", "cs" },
	{ "intr ", "in" },
	{ "processes ", "forks" },
	{ "procs_running ", "r" },
	{ "procs_blocked ", "b" },
};

static int add_row(struct series *s, struct sample *t, const char *key,
		   struct err *e)
{
	const char *label;
	double v;

	sample_word(t, &label);
	if (sample_u64(t, &v, e))
		return -1;
	return series_add(s, key, strlen(key), 0, v, e);
}

static int parse(struct series *s, struct sample *t, struct err *e)
{
	unsigned int found = 0;

	while (sample_line(t)) {
		const char *p;
		double v;

		if (sample_starts(t, "cpu ")) {
			sample_word(t, &p);
			for (unsigned int i = 0;
			     i < N && sample_maybe_u64(t, &v); i++)
				if (series_add(s, "cpu", 3, i, v, e))
					return -1;
			continue;
		}
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			if (sample_starts(t, wanted[i].label)) {
				if (add_row(s, t, wanted[i].key, e))
					return -1;
				found++;
			}
	}
	return found ? 0 : sample_bad(t, e, "not /proc/stat");
}

static int put_rate(const struct series *s, const char *key,
		    struct stat_out *o, struct err *e)
{
	const struct series_item *i = series_find(s, key, 0);
	double d, secs = series_seconds(s);

	if (!i || secs <= 0 || !series_delta(s, i, &d))
		return 0;
	return stat_put(o, "/s", STAT_NONE, d / secs, e, "vmstat.system.%s",
			key);
}

static int put_level(const struct series *s, const char *key, double less,
		     struct stat_out *o, struct err *e)
{
	const struct series_item *i = series_find(s, key, 0);
	double v;

	if (!i)
		return 0;
	v = i->sum / i->n - less;
	return stat_put(o, "tasks", STAT_NONE, v > 0 ? v : 0, e,
			"vmstat.procs.%s", key);
}

static int put_cpu(const struct series *s, struct stat_out *o, struct err *e)
{
	double d[N], all = 0;

	for (unsigned int f = 0; f < N; f++) {
		const struct series_item *i = series_find(s, "cpu", f);

		if (!i || !series_delta(s, i, &d[f]))
			return 0;
		all += d[f];
	}
	if (all <= 0)
		return 0;
	if (stat_put(o, "%", STAT_NONE, 100 * (d[USER] + d[NICE]) / all, e,
		     "vmstat.cpu.us") ||
	    stat_put(o, "%", STAT_NONE,
		     100 * (d[SYSTEM] + d[IRQ] + d[SOFT]) / all, e,
		     "vmstat.cpu.sy") ||
	    stat_put(o, "%", STAT_NONE, 100 * d[IDLE] / all, e,
		     "vmstat.cpu.id") ||
	    stat_put(o, "%", STAT_NONE, 100 * d[IOWAIT] / all, e,
		     "vmstat.cpu.wa") ||
	    stat_put(o, "%", STAT_NONE, 100 * d[STEAL] / all, e,
		     "vmstat.cpu.st"))
		return -1;
	return 0;
}

static int finish(const struct series *s, struct stat_out *o, struct err *e)
{
	if (put_rate(s, "cs", o, e) || put_rate(s, "in", o, e) ||
	    put_rate(s, "forks", o, e) || put_level(s, "r", 1, o, e) ||
	    put_level(s, "b", 0, o, e))
		return -1;
	return put_cpu(s, o, e);
}

const struct monitor vmstat_monitor = {
	.parse = parse,
	.finish = finish,
	.levels = true,
};
