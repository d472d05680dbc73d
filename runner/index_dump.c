// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * All that the index holds, as text that does not depend on the order in
 * which it came to hold it: what fsck compares.
 */
#include "index_row.h"

#include <stdlib.h>
#include <string.h>

static int collect_line(void *arg, const struct index_stat *s, struct err *e)
{
	struct strlist *lines = arg;
	struct buf b = { 0 };
	int rc;

	buf_printf(&b, "%s [%s] better=%d per_run=%d", s->name, s->unit,
		   (int)s->better, s->per_run);
	for (size_t i = 0; i < s->n; i++)
		buf_printf(&b, " %.17g", s->value[i]);
	rc = buf_ok(&b, e);
	if (!rc)
		rc = strlist_add(lines, buf_str(&b), e);
	buf_free(&b);
	return rc;
}

static int dump_run(struct index *x, const struct index_run *r,
		    index_line_fn *fn, void *arg, struct err *e)
{
	struct strlist lines = { 0 };
	struct buf b = { 0 };
	int rc;

	buf_puts(&b, "run");
	index_row_text(r, &b);
	rc = buf_ok(&b, e);
	if (!rc)
		rc = fn(arg, buf_str(&b), e);
	if (!rc)
		rc = index_stats(x, r->id, NULL, collect_line, &lines, e);
	strlist_sort(&lines);
	for (size_t i = 0; !rc && i < lines.n; i++) {
		buf_reset(&b);
		buf_printf(&b, "value %s %s %s", r->box, r->lease, lines.v[i]);
		rc = buf_ok(&b, e);
		if (!rc)
			rc = fn(arg, buf_str(&b), e);
	}
	strlist_free(&lines);
	buf_free(&b);
	return rc;
}

int index_dump(struct index *x, index_line_fn *fn, void *arg, struct err *e)
{
	const struct index_query all = { 0 };
	struct index_runs runs;
	int rc = index_runs(x, &all, &runs, e);

	/* start time, then lease: the same in every index of one store */
	for (size_t i = 0; !rc && i < runs.n; i++)
		rc = dump_run(x, &runs.v[i], fn, arg, e);
	index_runs_free(&runs);
	return rc;
}
