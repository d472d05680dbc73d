// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * /proc/diskstats as iostat(1) shows it: rates, mean waits and utilisation in
 * the window. Devices that never did anything since boot are left out.
 */
#include "extractors.h"

enum { READS, RMERGED, RSECTORS, RMS, WRITES, WMERGED, WSECTORS, WMS, INFLIGHT,
       IOMS, WEIGHTED, N };

static int parse(struct series *s, struct sample *t, struct err *e)
{
	while (sample_line(t)) {
		const char *name;
		double v;
		size_t n;

		if (!sample_maybe_u64(t, &v))
			continue;
		if (sample_u64(t, &v, e))
			return -1;
		n = sample_word(t, &name);
		if (!n)
			return sample_bad(t, e, "no name of a device");
		for (unsigned int i = 0; i < N; i++)
			if (sample_u64(t, &v, e) ||
			    series_add(s, name, n, i, v, e))
				return -1;
	}
	return 0;
}

static int put_waits(struct stat_out *o, const char *dev, const double *d,
		     struct err *e)
{
	if (d[READS] > 0 && stat_put(o, "ms", STAT_LOWER, d[RMS] / d[READS], e,
				     "iostat.%s.r_await", dev))
		return -1;
	if (d[WRITES] > 0 &&
	    stat_put(o, "ms", STAT_LOWER, d[WMS] / d[WRITES], e,
		     "iostat.%s.w_await", dev))
		return -1;
	return 0;
}

static int put(struct stat_out *o, const char *dev, const double *d,
	       double secs, struct err *e)
{
	static const struct {
		unsigned int field;
		double factor;
		const char *name, *unit;
	} rate[] = {
		{ READS, 1, "r/s", "/s" },
		{ WRITES, 1, "w/s", "/s" },
		/* a sector of this file is 512 bytes on every device */
		{ RSECTORS, 0.5, "rkB/s", "kB/s" },
		{ WSECTORS, 0.5, "wkB/s", "kB/s" },
		{ IOMS, 0.1, "util%", "%" },
	};

	for (size_t i = 0; i < sizeof(rate) / sizeof(rate[0]); i++)
		if (stat_put(o, rate[i].unit, STAT_NONE,
			     d[rate[i].field] * rate[i].factor / secs, e,
			     "iostat.%s.%s", dev, rate[i].name))
			return -1;
	return put_waits(o, dev, d, e);
}

static int finish(const struct series *s, struct stat_out *o, struct err *e)
{
	double secs = series_seconds(s);

	for (size_t i = 0; secs > 0 && i + N <= s->n; i += N) {
		const struct series_item *it = &s->v[i];
		double d[N] = { 0 };
		unsigned int f;

		for (f = 0; f < N; f++)
			if (f != INFLIGHT && !series_delta(s, &it[f], &d[f]))
				break;
		if (f < N || it[READS].last + it[WRITES].last == 0)
			continue;
		if (put(o, series_key(s, it), d, secs, e))
			return -1;
	}
	return 0;
}

const struct monitor diskstats_monitor = { .parse = parse, .finish = finish };
