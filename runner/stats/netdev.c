// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * /proc/net/dev: bytes and packets a second of each interface, and how many
 * were lost in the window.
 */
#include "extractors.h"

#include <string.h>

static const struct {
	const char *name; /* NULL: not used */
	bool rate;
} column[] = {
	{ "rx_bytes", true },	{ "rx_packets", true }, { "rx_errs", false },
	{ "rx_drop", false },	{ NULL, false },	{ NULL, false },
	{ NULL, false },	{ NULL, false },	{ "tx_bytes", true },
	{ "tx_packets", true }, { "tx_errs", false },	{ "tx_drop", false },
};
enum { N = sizeof(column) / sizeof(column[0]) };

static int parse(struct series *s, struct sample *t, struct err *e)
{
	while (sample_line(t)) {
		const char *colon = memchr(t->line, ':',
					   (size_t)(t->eol - t->line));
		const char *name = t->line;
		double v;

		if (!colon)
			continue; /* the two lines of the header */
		while (*name == ' ')
			name++;
		t->line = colon + 1; /* "lo:123" in kernels before 2.6.36 */
		for (unsigned int i = 0; i < N; i++)
			if (sample_u64(t, &v, e) ||
			    series_add(s, name, (size_t)(colon - name), i, v,
				       e))
				return -1;
	}
	return 0;
}

static int finish(const struct series *s, struct stat_out *o, struct err *e)
{
	double secs = series_seconds(s), d;

	for (size_t i = 0; secs > 0 && i < s->n; i++) {
		const struct series_item *it = &s->v[i];
		unsigned int f = it->field;
		int rc;

		if (f >= N || !column[f].name || !series_delta(s, it, &d))
			continue;
		if (column[f].rate)
			rc = stat_put(o, "/s", STAT_NONE, d / secs, e,
				      "netdev.%s.%s_per_s", series_key(s, it),
				      column[f].name);
		else
			rc = stat_put(o, "count", STAT_LOWER, d, e,
				      "netdev.%s.%s", series_key(s, it),
				      column[f].name);
		if (rc)
			return -1;
	}
	return 0;
}

const struct monitor netdev_monitor = { .parse = parse, .finish = finish };
