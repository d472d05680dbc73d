// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * /proc/buddyinfo (free blocks by node, zone and order) and /proc/slabinfo
 * (objects and slabs by cache): means over the window's samples.
 */
#include "extractors.h"

#include <string.h>

enum { KEY_LEN = 128 };

/* "Node 0, zone DMA32  1 3 0 ...": the key is "Node.0.zone.DMA32". */
static int parse_buddy(struct series *s, struct sample *t, struct err *e)
{
	while (sample_line(t)) {
		char key[KEY_LEN];
		size_t len = 0;
		double v;

		for (int i = 0; i < 4; i++) {
			const char *p;
			size_t n = sample_word(t, &p);

			if (n && p[n - 1] == ',')
				n--;
			if (!n || len + n + 1 > sizeof(key))
				return sample_bad(t, e, "not a zone");
			if (i)
				key[len++] = '.';
			memcpy(key + len, p, n);
			len += n;
		}
		for (unsigned int i = 0; sample_maybe_u64(t, &v); i++)
			if (series_add(s, key, len, i, v, e))
				return -1;
	}
	return 0;
}

static int finish_buddy(const struct series *s, struct stat_out *o,
			struct err *e)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].n &&
		    stat_put(o, "blocks", STAT_NONE, s->v[i].sum / s->v[i].n,
			     e, "buddyinfo.%s.order.%u",
			     series_key(s, &s->v[i]), s->v[i].field))
			return -1;
	return 0;
}

enum { ACTIVE, OBJECTS, ACTIVE_SLABS, SLABS };

/* NAME ACTIVE NUM SIZE PERSLAB PAGES : tunables 3 : slabdata ACTIVE NUM … */
static int parse_slab(struct series *s, struct sample *t, struct err *e)
{
	while (sample_line(t)) {
		const char *name, *p;
		size_t n, word;
		double v;

		if (*t->line == '#' || sample_starts(t, "slabinfo"))
			continue;
		n = sample_word(t, &name);
		if (!n)
			continue;
		for (unsigned int i = ACTIVE; i <= OBJECTS; i++)
			if (sample_u64(t, &v, e) ||
			    series_add(s, name, n, i, v, e))
				return -1;
		do
			word = sample_word(t, &p);
		while (word && (word != 8 || memcmp(p, "slabdata", 8) != 0));
		for (unsigned int i = ACTIVE_SLABS; i <= SLABS; i++)
			if (sample_u64(t, &v, e) ||
			    series_add(s, name, n, i, v, e))
				return -1;
	}
	return 0;
}

static int finish_slab(const struct series *s, struct stat_out *o,
		       struct err *e)
{
	static const char *const field[] = { "active_objs", "num_objs",
					     "active_slabs", "num_slabs" };

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].n &&
		    stat_put(o, s->v[i].field < ACTIVE_SLABS ? "objects" :
							       "slabs",
			     STAT_NONE, s->v[i].sum / s->v[i].n, e,
			     "slabinfo.%s.%s", series_key(s, &s->v[i]),
			     field[s->v[i].field]))
			return -1;
	return 0;
}

const struct monitor buddyinfo_monitor = {
	.parse = parse_buddy,
	.finish = finish_buddy,
	.levels = true,
};

const struct monitor slabinfo_monitor = {
	.parse = parse_slab,
	.finish = finish_slab,
	.levels = true,
};
