// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Profiles of two kernels side by side. They explain a change, they do not
 * prove one: no test, no verdict.
 */
#include "perfdiff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROFILE "perf-profile.self."
#define SHOWN	.5 /* percent, of baseline or of change: less is not shown */

struct row {
	const char *symbol;
	double base, delta;
};

bool perfdiff_is_profile(const char *stat)
{
	return !strncmp(stat, PROFILE, strlen(PROFILE));
}

const char *perfdiff_symbol(const char *stat)
{
	const char *dot;

	if (!perfdiff_is_profile(stat))
		return NULL;
	dot = strchr(stat + strlen(PROFILE), '.');
	return dot ? dot + 1 : NULL;
}

/* Boots on a side that have a profile at all. */
static size_t profiled(const struct compare_group *g, bool head)
{
	size_t n = head ? g->n_head : g->n_base, boots = 0;

	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < g->nstat; i++) {
			const struct compare_stat *st = &g->stat[i];

			if (perfdiff_is_profile(st->name) &&
			    (head ? st->head[j].n : st->base[j].n)) {
				boots++;
				break;
			}
		}
	return boots;
}

static double total(const struct sample_boot *b, size_t n)
{
	double sum = 0;

	for (size_t j = 0; j < n; j++)
		if (b[j].n)
			sum += sample_mean(&b[j], b[j].n, true);
	return sum;
}

static int by_base(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->base != b->base)
		return a->base > b->base ? -1 : 1;
	return strcmp(a->symbol, b->symbol);
}

static double weight(const struct row *r)
{
	return r->base > fabs(r->delta) ? r->base : fabs(r->delta);
}

static int by_weight(const void *x, const void *y)
{
	double a = weight(x), b = weight(y);

	return (a < b) - (a > b);
}

static size_t fill(const struct compare_group *g, struct row *row)
{
	size_t boots[2] = { profiled(g, false), profiled(g, true) }, n = 0;

	if (!boots[0] || !boots[1])
		return 0;
	for (size_t i = 0; i < g->nstat; i++) {
		const struct compare_stat *st = &g->stat[i];
		const char *symbol = perfdiff_symbol(st->name);
		struct row r = { symbol, 0, 0 };

		if (!symbol)
			continue;
		r.base = total(st->base, g->n_base) / (double)boots[0];
		r.delta =
			total(st->head, g->n_head) / (double)boots[1] - r.base;
		if (weight(&r) >= SHOWN)
			row[n++] = r;
	}
	return n;
}

static void put_row(const struct show *s, const struct row *r, struct buf *b)
{
	char text[32];
	struct buf delta = { 0 };

	snprintf(text, sizeof(text), "%.2f%%", r->base);
	show_right(b, text, 10);
	show_change(s, &delta, r->delta, 2, NULL);
	buf_puts(&delta, "%");
	show_right(b, buf_str(&delta), 10);
	buf_printf(b, "  %.58s\n", r->symbol);
	buf_free(&delta);
}

/* The rows of the table in its order; the caller frees them. */
static struct row *rows(const struct compare_group *g, size_t most, size_t *n)
{
	struct row *row = calloc(g->nstat ? g->nstat : 1, sizeof(*row));

	*n = row ? fill(g, row) : 0;
	if (!*n)
		return row;
	qsort(row, *n, sizeof(*row), by_weight);
	*n = *n < most ? *n : most;
	qsort(row, *n, sizeof(*row), by_base);
	return row;
}

int perfdiff_symbols(const struct compare_group *g, size_t most,
		     struct strlist *out, struct err *e)
{
	size_t n;
	struct row *row = rows(g, most, &n);
	int rc = row ? 0 : err_set(e, ERR_LIMIT, "out of memory");

	for (size_t i = 0; !rc && i < n; i++)
		rc = strlist_add(out, row[i].symbol, e);
	free(row);
	return rc;
}

void perfdiff_text(const struct show *s, const struct compare_group *g,
		   size_t most, struct buf *b)
{
	size_t n;
	struct row *row = rows(g, most, &n);

	b->failed |= !row;
	if (n)
		buf_puts(b, "  baseline     delta  symbol (share of cycles, "
			    "itself)\n"
			    "  --------  --------  ------\n");
	for (size_t i = 0; i < n; i++)
		put_row(s, &row[i], b);
	if (n)
		buf_puts(b, "\n");
	free(row);
}
