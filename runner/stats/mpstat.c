// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Shares of CPU time from /proc/stat, named as lkp-tests does, with the
 * meaning of mpstat(1): usr and nice are without guests. Summed over the CPUs
 * that were there at both ends: the "cpu" line also counts those that went
 * or came in between.
 */
#include "extractors.h"

#include <string.h>

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFT, STEAL, GUEST, GNICE, N };

/*
 * idle and iowait may go back a little: the tickless kernel's estimate is
 * corrected later (proc_stat(5)). An offline CPU's go back by much.
 */
enum { QUIRK_TICKS = 10 };

static int parse(struct series *s, struct sample *t, struct err *e)
{
	unsigned int cpus = 0;

	while (sample_line(t) && sample_starts(t, "cpu")) {
		const char *p;
		size_t n = sample_word(t, &p);
		unsigned int i;
		double v;

		if (n == 3)
			continue;
		for (i = 0; i < N && sample_maybe_u64(t, &v); i++)
			if (series_add(s, p, n, i, v, e))
				return -1;
		if (i <= IDLE)
			return sample_bad(t, e, "not a CPU's times");
		cpus++;
	}
	return cpus ? 0 : sample_bad(t, e, "no CPU in it");
}

/* Adds a CPU's deltas to ticks; false when they cannot be used. */
static bool cpu_delta(const struct series *s, const struct series_item *i,
		      unsigned int n, double *ticks)
{
	double d[N] = { 0 };

	for (unsigned int f = 0; f < n; f++) {
		if (!i[f].at_first || i[f].last_at != s->samples)
			return false;
		d[f] = i[f].last - i[f].first;
		if (d[f] < 0 && d[f] >= -QUIRK_TICKS &&
		    (f == IDLE || f == IOWAIT))
			d[f] = 0;
		if (d[f] < 0)
			return false;
	}
	for (unsigned int f = 0; f < n; f++)
		ticks[f] += d[f];
	return true;
}

static int put(struct stat_out *o, const double *ticks, unsigned int n,
	       struct err *e)
{
	static const char *const name[N] = {
		"usr",	"nice", "sys",	 "idle",  "iowait",
		"irq", "soft", "steal", "guest", "gnice",
	};
	double all = 0, v[N];

	for (unsigned int f = 0; f < N; f++) {
		v[f] = ticks[f];
		if (f < GUEST) /* guests are part of user and nice */
			all += ticks[f];
	}
	v[USER] -= v[GUEST];
	v[NICE] -= v[GNICE];
	if (all <= 0)
		return 0;
	for (unsigned int f = 0; f < n; f++)
		if (stat_put(o, "%", STAT_NONE, 100 * v[f] / all, e,
			     "mpstat.cpu.all.%s%%", name[f]))
			return -1;
	return 0;
}

static int finish(const struct series *s, struct stat_out *o, struct err *e)
{
	double ticks[N] = { 0 };
	unsigned int least = N;
	bool any = false;

	if (s->samples < 2)
		return 0;
	for (size_t i = 0; i < s->n;) {
		unsigned int n = 1;

		while (i + n < s->n && s->v[i + n].field == n)
			n++;
		if (cpu_delta(s, &s->v[i], n, ticks)) {
			any = true;
			least = n < least ? n : least;
		}
		i += n;
	}
	return any ? put(o, ticks, least, e) : 0;
}

const struct monitor mpstat_monitor = { .parse = parse, .finish = finish };
