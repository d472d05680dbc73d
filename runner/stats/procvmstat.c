// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * /proc/vmstat, and the per-node vmstat files: levels as the mean over the
 * window, counters as what was added inside it.
 */
#include "extractors.h"

#include <string.h>

/* nr_ rows are levels, but for these (mm/vmstat.c, mmzone.h). */
static const char *const counters[] = {
	"nr_dirtied",	 "nr_written",	    "nr_vmscan_write",
	"nr_vmscan_immediate_reclaim",	    "nr_throttled_written",
	"nr_foll_pin_acquired",		    "nr_foll_pin_released",
	"nr_tlb_remote_flush",		    "nr_tlb_remote_flush_received",
	"nr_tlb_local_flush_all",	    "nr_tlb_local_flush_one",
	"nr_promote_fail",
};

static bool is_level(const char *key)
{
	if (!strcmp(key, "workingset_nodes") ||
	    !strcmp(key, "pgpromote_candidate_nr"))
		return true;
	if (strncmp(key, "nr_", 3) != 0)
		return false;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (!strcmp(key, counters[i]))
			return false;
	return true;
}

static int parse(struct series *s, struct sample *t, struct err *e)
{
	while (sample_line(t)) {
		const char *key;
		size_t n = sample_word(t, &key);
		double v;

		if (!n)
			continue;
		if (sample_u64(t, &v, e) || series_add(s, key, n, 0, v, e))
			return -1;
	}
	return 0;
}

int procvmstat_put(const struct series *s, struct stat_out *o,
		   const char *prefix, struct err *e)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct series_item *it = &s->v[i];
		const char *key = series_key(s, it);
		const char *dot = strrchr(key, '.');
		bool level = is_level(dot ? dot + 1 : key);
		double v;

		if (!it->n || (!level && !series_delta(s, it, &v)))
			continue;
		if (level)
			v = it->sum / it->n;
		if (stat_put(o, level ? "pages" : "count", STAT_NONE, v, e,
			     "%s.%s", prefix, key))
			return -1;
	}
	return 0;
}

static int finish(const struct series *s, struct stat_out *o, struct err *e)
{
	return procvmstat_put(s, o, "proc-vmstat", e);
}

const struct monitor procvmstat_monitor = {
	.parse = parse,
	.finish = finish,
	.levels = true,
};
