// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The agent's performance counters: "CPU0,COUNT,EVENT,ENABLED_NS,RUNNING_NS",
 * or "CPU0,<not supported>,EVENT". Rates over all CPUs, and the ratios that
 * perf-stat(1) shows. A counter that shared the PMU is scaled by enabled :
 * running, as perf does; one that never ran on some CPU is missing.
 */
#include "extractors.h"

#include <string.h>

enum { COUNT, ENABLED, RUNNING, FIELDS };
enum { EVENTS_MAX = 64 };

/* The text up to the next comma or the line's end. */
static size_t part(struct sample *t, const char **p)
{
	const char *comma = memchr(t->line, ',', (size_t)(t->eol - t->line));
	const char *end = comma ? comma : t->eol;

	*p = t->line;
	t->line = comma ? comma + 1 : t->eol;
	return (size_t)(end - *p);
}

static int number(const struct sample *t, const char *p, size_t n, double *v,
		  struct err *e)
{
	struct sample word = { .line = p, .eol = p + n };

	if (n && sample_maybe_u64(&word, v) && word.line == word.eol)
		return 0;
	return sample_bad(t, e, "not a counter");
}

static int parse(struct series *s, struct sample *t, struct err *e)
{
	while (sample_line(t)) {
		const char *cpu, *count, *event, *p;
		size_t ncpu = part(t, &cpu), ncount = part(t, &count);
		size_t nevent = part(t, &event), n;
		unsigned int base = 0;
		double v;

		if (ncpu < 4 || memcmp(cpu, "CPU", 3) != 0 || !nevent)
			return sample_bad(t, e, "not a counter");
		if (ncount && *count == '<')
			continue;
		if (number(t, cpu + 3, ncpu - 3, &v, e))
			return -1;
		if (v > 65535)
			return sample_bad(t, e, "not a CPU");
		base = (unsigned int)v * FIELDS;
		if (number(t, count, ncount, &v, e) ||
		    series_add(s, event, nevent, base + COUNT, v, e))
			return -1;
		for (unsigned int f = ENABLED; f <= RUNNING; f++) {
			n = part(t, &p);
			if (number(t, p, n, &v, e) ||
			    series_add(s, event, nevent, base + f, v, e))
				return -1;
		}
	}
	return 0;
}

struct total {
	const char *event;
	double count;
	bool missing;
};

struct totals {
	struct total v[EVENTS_MAX];
	size_t n;
};

static struct total *total_of(struct totals *t, const char *event)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->v[i].event, event))
			return &t->v[i];
	if (t->n == EVENTS_MAX)
		return NULL;
	t->v[t->n] = (struct total){ .event = event };
	return &t->v[t->n++];
}

static void sum(const struct series *s, struct totals *t)
{
	for (size_t i = 0; i + FIELDS <= s->n; i += FIELDS) {
		const struct series_item *it = &s->v[i];
		struct total *to = total_of(t, series_key(s, it));
		double d[FIELDS];

		if (!to || !it->n)
			continue;
		for (int f = 0; f < FIELDS; f++)
			if (!series_delta(s, &it[f], &d[f]))
				d[RUNNING] = 0;
		if (d[RUNNING] <= 0)
			to->missing = true;
		else
			to->count += d[COUNT] * (d[ENABLED] / d[RUNNING]);
	}
}

static const struct total *have(const struct totals *t, const char *event)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->v[i].event, event))
			return t->v[i].missing ? NULL : &t->v[i];
	return NULL;
}

static int put_ratio(const struct totals *t, const char *of, const char *to,
		     double factor, const char *unit, enum stat_better better,
		     const char *name, struct stat_out *o, struct err *e)
{
	const struct total *a = have(t, of), *b = have(t, to);

	if (!a || !b || b->count <= 0)
		return 0;
	return stat_put(o, unit, better, factor * a->count / b->count, e,
			"perf-stat.overall.%s", name);
}

static int finish(const struct series *s, struct stat_out *o, struct err *e)
{
	double secs = series_seconds(s);
	struct totals t = { .n = 0 };

	if (secs <= 0)
		return 0;
	sum(s, &t);
	for (size_t i = 0; i < t.n; i++)
		if (!t.v[i].missing &&
		    stat_put(o, "/s", STAT_NONE, t.v[i].count / secs, e,
			     "perf-stat.ps.%s", t.v[i].event))
			return -1;
	if (put_ratio(&t, "instructions", "cycles", 1, "", STAT_HIGHER, "ipc",
		      o, e) ||
	    put_ratio(&t, "branch-misses", "branches", 100, "%", STAT_LOWER,
		      "branch-miss-rate%", o, e) ||
	    put_ratio(&t, "cache-misses", "instructions", 1000, "/kinst",
		      STAT_LOWER, "MPKI", o, e))
		return -1;
	return 0;
}

const struct monitor perfstat_monitor = { .parse = parse, .finish = finish };
