// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Which stat stands in which table of a report, whatever it is rendered as.
 */
#include "perfdiff.h"
#include "table.h"

#include <stdint.h>
#include <string.h>

#define SHORT_ROWS 40

/*
 * Companions are shown whether they differ or not: a saturated link or a fixed
 * amount of work shows only in what the CPUs did for it.
 */
enum table_part table_part_of(const struct compare_stat *st)
{
	static const char *const companion[] = {
		"efficiency.cpu_us_per_op", "mpstat.cpu.all.idle%",
		"mpstat.cpu.all.usr%",	    "mpstat.cpu.all.sys%",
		"mpstat.cpu.all.soft%",	    "mpstat.cpu.all.irq%",
	};

	if (st->primary)
		return TABLE_OF_PRIMARIES;
	for (size_t i = 0; i < sizeof(companion) / sizeof(companion[0]); i++)
		if (!strcmp(st->name, companion[i]))
			return TABLE_OF_COMPANIONS;
	return perfdiff_is_profile(st->name) ? TABLE_OF_PROFILE
					     : TABLE_OF_OTHERS;
}

bool table_differs(const struct compare_stat *st)
{
	return st->p_adjusted <= .05 ||
	       (st->estimate.exact && st->estimate.diff != 0);
}

struct table_others table_others(const struct compare_group *g,
				 enum table_rows rows)
{
	struct table_others o = { .most = rows == TABLE_SHORT ? SHORT_ROWS
							      : SIZE_MAX,
				  .same_too = rows == TABLE_ALL };

	for (size_t i = 0; i < g->nstat; i++)
		if (table_part_of(&g->stat[i]) == TABLE_OF_OTHERS) {
			o.all++;
			o.differing += table_differs(&g->stat[i]);
		}
	o.shown = o.same_too ? o.all : o.differing;
	o.shown = o.shown < o.most ? o.shown : o.most;
	return o;
}

bool table_others_has(const struct table_others *o,
		      const struct compare_stat *st)
{
	return table_part_of(st) == TABLE_OF_OTHERS &&
	       (o->same_too || table_differs(st));
}

void table_others_sum(const struct table_others *o, struct buf *b)
{
	buf_printf(b,
		   "%zu of %zu other stats differ (Benjamini-Hochberg, 5 %%); "
		   "no verdicts.",
		   o->differing, o->all);
	if (o->shown < o->differing)
		buf_printf(b, " The first %zu are shown.", o->shown);
	else if (o->most == SIZE_MAX && o->shown < o->all)
		buf_puts(b, " --all shows all.");
}
