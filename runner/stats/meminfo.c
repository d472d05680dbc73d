// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * /proc/meminfo: the mean over the window of every row, in kB as the kernel
 * gives it.
 */
#include "extractors.h"

enum { KB, COUNT };

static int parse(struct series *s, struct sample *t, struct err *e)
{
	while (sample_line(t)) {
		const char *key, *unit;
		size_t n = sample_word(t, &key), nunit;
		double v;

		if (!n)
			continue;
		if (n < 2 || key[n - 1] != ':')
			return sample_bad(t, e, "not a row of /proc/meminfo");
		if (sample_u64(t, &v, e))
			return -1;
		nunit = sample_word(t, &unit);
		if (series_add(s, key, n - 1, nunit ? KB : COUNT, v, e))
			return -1;
	}
	return 0;
}

static int finish(const struct series *s, struct stat_out *o, struct err *e)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct series_item *it = &s->v[i];

		if (it->n && stat_put(o, it->field == KB ? "kB" : "pages",
				      STAT_NONE, it->sum / it->n, e,
				      "meminfo.%s", series_key(s, it)))
			return -1;
	}
	return 0;
}

const struct monitor meminfo_monitor = {
	.parse = parse,
	.finish = finish,
	.levels = true,
};
