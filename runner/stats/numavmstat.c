// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The nodes' own vmstat files, "==> …/nodeN/vmstat <==" before each, and
 * /proc/zoneinfo: per node and per zone what proc-vmstat says of the whole.
 */
#include "extractors.h"

#include <string.h>

enum { KEY_LEN = 160 };

static int add(struct series *s, struct sample *t, const char *prefix,
	       size_t nprefix, const char *name, size_t n, struct err *e)
{
	char key[KEY_LEN];
	double v;

	if (nprefix + n + 1 > sizeof(key))
		return sample_bad(t, e, "a name is too long");
	memcpy(key, prefix, nprefix);
	key[nprefix] = '.';
	memcpy(key + nprefix + 1, name, n);
	if (sample_u64(t, &v, e))
		return -1;
	return series_add(s, key, nprefix + 1 + n, 0, v, e);
}

/* "nodeN" in "==> sys/devices/system/node/nodeN/vmstat <==". */
static size_t node_of(const struct sample *t, const char **p)
{
	const char *end = memrchr(t->line, '/', (size_t)(t->eol - t->line));
	const char *from = end ? memrchr(t->line, '/',
					 (size_t)(end - t->line)) : NULL;

	*p = from ? from + 1 : NULL;
	return from ? (size_t)(end - from - 1) : 0;
}

static int parse_node(struct series *s, struct sample *t, struct err *e)
{
	const char *node = "node0", *name;
	size_t nnode = 5, n;

	/* with one node there is one file, and no line with its name */
	while (sample_line(t)) {
		if (sample_starts(t, "==>")) {
			nnode = node_of(t, &node);
			if (!nnode)
				return sample_bad(t, e, "not a node's file");
			continue;
		}
		n = sample_word(t, &name);
		if (n && add(s, t, node, nnode, name, n, e))
			return -1;
	}
	return 0;
}

static int finish_node(const struct series *s, struct stat_out *o,
		       struct err *e)
{
	return procvmstat_put(s, o, "numa-vmstat", e);
}

/*
 * "Node 0, zone Normal" starts a zone; of its rows those of vmstat
 * ("      nr_free_pages 3840") are taken.
 */
static int parse_zone(struct series *s, struct sample *t, struct err *e)
{
	char zone[64];
	size_t nzone = 0;

	while (sample_line(t)) {
		const char *p;
		size_t n = sample_word(t, &p);

		if (n == 4 && !memcmp(p, "Node", 4)) {
			nzone = 0;
			for (int i = 0; i < 3; i++) {
				n = sample_word(t, &p);
				if (n && p[n - 1] == ',')
					n--;
				if (nzone + n + 1 > sizeof(zone))
					return sample_bad(t, e, "not a zone");
				if (i == 1)
					continue; /* the word "zone" */
				if (i)
					zone[nzone++] = '.';
				memcpy(zone + nzone, p, n);
				nzone += n;
			}
		} else if (nzone && n > 3 && !memcmp(p, "nr_", 3)) {
			if (add(s, t, zone, nzone, p, n, e))
				return -1;
		}
	}
	return nzone ? 0 : sample_bad(t, e, "no zone in it");
}

static int finish_zone(const struct series *s, struct stat_out *o,
		       struct err *e)
{
	return procvmstat_put(s, o, "zoneinfo.node", e);
}

const struct monitor numavmstat_monitor = {
	.parse = parse_node,
	.finish = finish_node,
	.levels = true,
};

const struct monitor zoneinfo_monitor = {
	.parse = parse_zone,
	.finish = finish_zone,
	.levels = true,
};
