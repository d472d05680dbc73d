// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * perf-bench(1) in its default format; "simple" says no unit and is refused.
 * Stats are named by the benchmark: perf-bench-sched-pipe.ops_per_sec.
 */
#include "extractors.h"

#include <string.h>

enum { BENCH_LEN = 48 };

struct bench {
	char name[BENCH_LEN];	  /* "sched-pipe" */
	char function[BENCH_LEN]; /* mem benchmarks: "default" */
	double count;		  /* operations, when it says them */
};

/* Copies up to the end character, slashes as dashes. */
static void name_of(const char *p, char end, char *out)
{
	size_t n = 0;

	for (; *p && *p != end && n < BENCH_LEN - 1; p++)
		out[n++] = *p == '/' ? '-' : *p;
	out[n] = '\0';
}

/*
 * "# Running 'sched/pipe' benchmark:", or, of several ("all"),
 * "# Running sched/pipe benchmark..."
 */
static bool starts(struct text *t, struct bench *b)
{
	const char *p = text_after(t, "# Running ");

	if (!p || !strstr(p, " benchmark"))
		return false;
	*b = (struct bench){ .name = "" };
	name_of(*p == '\'' ? p + 1 : p, *p == '\'' ? '\'' : ' ', b->name);
	return true;
}

static const struct {
	const char *unit_text; /* behind the number */
	const char *name, *unit;
	enum stat_better better;
} figure[] = {
	{ "usecs/op", "usecs_per_op", "us", STAT_LOWER },
	{ "operations/sec", "ops_per_sec", "ops/s", STAT_HIGHER },
	{ "ops/sec", "ops_per_sec", "ops/s", STAT_HIGHER },
	{ "[sec]", "total_time", "s", STAT_LOWER },
	{ "GB/sec", "GBps", "GB/s", STAT_HIGHER },
	{ "MB/sec", "MBps", "MB/s", STAT_HIGHER },
	{ "KB/sec", "KBps", "KB/s", STAT_HIGHER },
	{ "B/sec", "Bps", "B/s", STAT_HIGHER },
	{ "ADD operations", "add_ops", "ops", STAT_HIGHER },
	{ "MOD operations", "mod_ops", "ops", STAT_HIGHER },
	{ "DEL operations", "del_ops", "ops", STAT_HIGHER },
};

/* "Requeued 2 of 2 threads in 0.0065 ms (+-28.39%)", behind its [Run N]s */
static const struct {
	const char *label, *name;
} took[] = {
	{ "Wokeup", "wakeup_ms" },
	{ "Requeued", "requeue_ms" },
	{ "Avg per-thread latency", "latency_ms" },
};

/* "NUMBER UNIT" at p. 1: a stat. 0: no such thing. */
static int put_figure(struct text *t, char *p, const struct bench *b,
		      struct stat_out *o, struct err *e)
{
	double v;

	if (!text_is_number(p))
		return 0;
	if (text_number(t, &p, &v, e))
		return -1;
	p += strspn(p, " \t");
	for (size_t i = 0; i < sizeof(figure) / sizeof(figure[0]); i++) {
		size_t n = strlen(figure[i].unit_text);

		if (strncmp(p, figure[i].unit_text, n) != 0 ||
		    (p[n] && p[n] != ' '))
			continue;
		return stat_put(o, figure[i].unit, figure[i].better, v, e,
				"perf-bench-%s.%s%s%s", b->name, b->function,
				*b->function ? "." : "", figure[i].name) ?
			       -1 : 1;
	}
	return 0;
}

static int put_took(struct text *t, const char *name, const struct bench *b,
		    struct stat_out *o, struct err *e)
{
	char *p = strstr(t->line, " in ");
	double v;

	if (!p)
		return text_bad(t, e, "no time in it");
	p += strlen(" in ");
	if (text_number(t, &p, &v, e))
		return -1;
	if (strncmp(p, " ms", 3) != 0)
		return text_bad(t, e, "not in ms");
	return stat_put(o, "ms", STAT_LOWER, v, e, "perf-bench-%s.%s", b->name,
			name) ? -1 : 1;
}

/* "main,   1.825, GB/sec,   total-speed" of numa */
static int put_numa(struct text *t, char *p, const struct bench *b,
		    struct stat_out *o, struct err *e)
{
	char *unit = strstr(p, ", "), *name;
	double v;

	if (!unit || !(name = strstr(unit + 2, ", ")))
		return text_bad(t, e, "not a figure of numa");
	if (text_number(t, &p, &v, e))
		return -1;
	unit += 2;
	*name = '\0';
	name += 2 + strspn(name + 2, " ");
	return stat_put(o, unit,
			!strcmp(unit, "GB/sec") ? STAT_HIGHER : STAT_NONE, v, e,
			"perf-bench-%s.%s", b->name, name) ? -1 : 1;
}

static int line(struct text *t, struct bench *b, struct stat_out *o,
		struct err *e)
{
	char *p;

	if (text_after(t, "# function")) {
		p = strchr(t->line, '\'');
		name_of(p ? p + 1 : "", '\'', b->function);
		return 0;
	}
	if ((p = text_after(t, "# Executed")))
		return text_number(t, &p, &b->count, e) ||
		       stat_put(o, "ops", STAT_NONE, b->count, e, STAT_OPS) ?
			       -1 : 0;
	if (*t->line == '#' || *t->line == '[')
		return 0;
	if ((p = text_after(t, "Total time:")) ||
	    (p = text_after(t, "Averaged")))
		return put_figure(t, p, b, o, e);
	for (size_t i = 0; i < sizeof(took) / sizeof(took[0]); i++)
		if (text_after(t, took[i].label))
			return put_took(t, took[i].name, b, o, e);
	if ((p = text_after(t, "main,")))
		return put_numa(t, p, b, o, e);
	return put_figure(t, t->line, b, o, e);
}

int perfbench_text(struct text *t, struct stat_out *o, struct err *e)
{
	struct bench b = { .name = "" };
	unsigned int found = 0;

	while (text_next(t)) {
		int rc;

		if (starts(t, &b)) {
			if (o->run && !found)
				return text_bad(t, e, "the benchmark before "
						"it printed no figures");
			o->run++;
			found = 0;
			continue;
		}
		if (!o->run)
			continue;
		rc = line(t, &b, o, e);
		if (rc < 0)
			return -1;
		found += (unsigned int)rc;
	}
	return found ? 0 : text_nothing(t, "figures of a benchmark", e);
}
