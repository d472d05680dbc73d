// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Problem reports: order, text form, memory. What goes into them is
 * conf_load.c's business.
 */
#include "conf_report.h"

#include <stdlib.h>

void conf_report_free(struct conf_report *r)
{
	free(r->file);
	free(r->v);
	*r = (struct conf_report){ 0 };
}

void conf_report_format(const char *file, const struct conf_problem *p,
			struct buf *out)
{
	buf_printf(out, "%s:", file);
	if (p->line)
		buf_printf(out, "%u:", p->line);
	if (*p->key)
		buf_printf(out, " %s:", p->key);
	buf_printf(out, " %s", p->msg);
}

void conf_report_print(const struct conf_report *r, FILE *to)
{
	for (size_t i = 0; i < r->n; i++) {
		struct buf b = { 0 };

		conf_report_format(r->file ? r->file : "", &r->v[i], &b);
		fprintf(to, "%s\n", buf_str(&b));
		buf_free(&b);
	}
}

void conf_report_sort(struct conf_report *r)
{
	for (size_t i = 1; i < r->n; i++) {
		struct conf_problem p = r->v[i];
		size_t k = i;

		for (; k && r->v[k - 1].line > p.line; k--)
			r->v[k] = r->v[k - 1];
		r->v[k] = p;
	}
}
