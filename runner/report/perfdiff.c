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

/* "cycles" of "perf-profile.self.cycles.SYMBOL": n bytes of a stat's name. */
struct event {
	const char *name;
	size_t n;
};

static struct event event_of(const char *stat)
{
	const char *name = stat + strlen(PROFILE);

	return (struct event){ name, strcspn(name, ".") };
}

static bool same_event(struct event a, struct event b)
{
	return a.n == b.n && !memcmp(a.name, b.name, a.n);
}

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

static bool is_of(const struct compare_stat *st, struct event ev)
{
	return perfdiff_symbol(st->name) && same_event(event_of(st->name), ev);
}

/* Boots on a side that have a profile of this event at all. */
static size_t profiled(const struct compare_group *g, struct event ev,
		       bool head)
{
	size_t n = head ? g->n_head : g->n_base, boots = 0;

	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < g->nstat; i++) {
			const struct compare_stat *st = &g->stat[i];

			if (is_of(st, ev) &&
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
	if (a->delta != b->delta)
		return a->delta > b->delta ? -1 : 1;
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

static size_t fill(const struct compare_group *g, struct event ev,
		   const size_t boots[2], struct row *row)
{
	size_t n = 0;

	if (!boots[0] || !boots[1])
		return 0;
	for (size_t i = 0; i < g->nstat; i++) {
		const struct compare_stat *st = &g->stat[i];
		const char *symbol = perfdiff_symbol(st->name);
		struct row r = { symbol, 0, 0 };

		if (!is_of(st, ev))
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

	/* as perf diff: what the base never showed has no number */
	*text = '\0';
	if (r->base > 0)
		snprintf(text, sizeof(text), "%.2f%%", r->base);
	show_right(b, text, 10);
	show_change(s, &delta, r->delta, 2, NULL);
	buf_puts(&delta, "%");
	show_right(b, buf_str(&delta), 10);
	buf_printf(b, "  %.58s\n", r->symbol);
	buf_free(&delta);
}

/* The rows of an event's table in its order; the caller frees them. */
static struct row *rows(const struct compare_group *g, struct event ev,
			const size_t boots[2], size_t most, size_t *n)
{
	struct row *row = calloc(g->nstat ? g->nstat : 1, sizeof(*row));

	*n = row ? fill(g, ev, boots, row) : 0;
	if (!*n)
		return row;
	qsort(row, *n, sizeof(*row), by_weight);
	*n = *n < most ? *n : most;
	qsort(row, *n, sizeof(*row), by_base);
	return row;
}

/* Whether an earlier stat had this event already. */
static bool was_before(const struct compare_group *g, size_t i)
{
	struct event ev = event_of(g->stat[i].name);

	for (size_t k = 0; k < i; k++)
		if (is_of(&g->stat[k], ev))
			return true;
	return false;
}

int perfdiff_symbols(const struct compare_group *g, size_t most,
		     struct strlist *out, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < g->nstat; i++) {
		struct event ev;
		size_t boots[2], n;
		struct row *row;

		if (!perfdiff_symbol(g->stat[i].name) || was_before(g, i))
			continue;
		ev = event_of(g->stat[i].name);
		boots[0] = profiled(g, ev, false);
		boots[1] = profiled(g, ev, true);
		row = rows(g, ev, boots, most, &n);
		if (!row)
			return err_set(e, ERR_LIMIT, "out of memory");
		for (size_t k = 0; !rc && k < n; k++)
			if (!strlist_has(out, row[k].symbol))
				rc = strlist_add(out, row[k].symbol, e);
		free(row);
	}
	return rc;
}

static void one_event(const struct show *s, const struct compare_group *g,
		      struct event ev, size_t most, struct buf *b)
{
	size_t boots[2] = { profiled(g, ev, false), profiled(g, ev, true) };
	size_t n;
	struct row *row = rows(g, ev, boots, most, &n);

	b->failed |= !row;
	if (n)
		buf_printf(b,
			   "Where the time went (%.*s, each symbol itself; "
			   "mean of %zu and %zu profiles):\n\n"
			   "  baseline     delta  symbol\n"
			   "  --------  --------  ------\n",
			   (int)ev.n, ev.name, boots[0], boots[1]);
	for (size_t i = 0; i < n; i++)
		put_row(s, &row[i], b);
	if (n)
		buf_puts(b, "\n");
	free(row);
}

void perfdiff_text(const struct show *s, const struct compare_group *g,
		   size_t most, struct buf *b)
{
	for (size_t i = 0; i < g->nstat; i++)
		if (perfdiff_symbol(g->stat[i].name) && !was_before(g, i))
			one_event(s, g, event_of(g->stat[i].name), most, b);
}
