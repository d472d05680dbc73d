// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The order of a report, and those of its parts that are no story of their
 * own: overview, kernels, then group by group what was measured and what came
 * out, then builds, configs and layout. Rendering is mail.c's and html.c's.
 */
#include "body.h"
#include "story.h"
#include "words.h"

#include <math.h>

#define OVERVIEW 20 /* primaries in the list at the top */

static void put_tags(const struct mail_ask *ask, struct buf *b)
{
	if (!ask->reported_by && !ask->closes)
		return;
	buf_puts(b, "If you fix this, please add:\n");
	if (ask->reported_by)
		buf_printf(b, "| Reported-by: %s\n", ask->reported_by);
	if (ask->closes)
		buf_printf(b, "| Closes: %s\n", ask->closes);
	buf_puts(b, "\n");
}

static void put_times(const struct compare_group *g, struct buf *b)
{
	int64_t first = g->base.first_s, last = g->base.last_s;

	/* 0: imported, nobody knows */
	if (!first || (g->head.first_s && g->head.first_s < first))
		first = g->head.first_s;
	if (!first)
		return;
	if (g->head.last_s > last)
		last = g->head.last_s;
	buf_puts(b, "Runs from ");
	show_time(b, first);
	buf_puts(b, " to ");
	show_time(b, last);
	buf_puts(b, ".\n\n");
}

/* What never counts as no change is named before all changes. */
static void put_crashes(const struct show *s, const struct compare *c,
			struct buf *b)
{
	bool any = false;

	(void)s;
	for (size_t i = 0; i < c->ngroup; i++) {
		const struct compare_group *g = &c->group[i];

		for (size_t k = 0; k < g->nfailure; k++) {
			const struct compare_failure *f = &g->failure[k];

			if (!compare_failure_on_head(f))
				continue;
			buf_printf(b,
				   "  On head alone, %u of %u runs: %.100s\n",
				   f->head, g->head.runs, f->what);
			any = true;
		}
	}
	if (any)
		buf_puts(b, "\n");
}

/* Behind 42 columns, or on a line of its own. */
static void put_name(const char *name, struct buf *b)
{
	if (show_width(name) > 80 - 42) {
		buf_puts(b, "\n");
		show_right(b, name, 80);
	} else {
		buf_printf(b, " %s", name);
	}
	buf_puts(b, "\n");
}

/* One line a primary, in the order of the report: what to look at first. */
static void put_overview(const struct show *s, const struct compare *c,
			 struct buf *b)
{
	size_t shown = 0;

	put_crashes(s, c, b);
	for (size_t i = 0; i < c->ngroup; i++)
		for (size_t k = 0; k < c->group[i].nstat; k++) {
			const struct compare_stat *st = &c->group[i].stat[k];
			struct buf cell = { 0 };

			if (!st->primary)
				continue;
			if (shown++ >= OVERVIEW)
				continue;
			words_change(s, st, &cell);
			buf_puts(&cell, " ");
			words_interval(s, st, &cell);
			show_left(b, "", 2);
			show_left(b, buf_str(&cell), 26);
			buf_puts(b, " ");
			buf_reset(&cell);
			words_verdict(s, st->verdict.kind, &cell);
			show_left(b, buf_str(&cell), 12);
			put_name(st->name, b);
			if (c->ngroup > 1)
				buf_printf(b, "%42s%.60s\n", "",
					   c->group[i].name);
			buf_free(&cell);
		}
	if (shown > OVERVIEW)
		buf_printf(b, "  and %zu more\n", shown - OVERVIEW);
	if (shown)
		buf_puts(b, "\n");
}

static void put_summary(const struct show *s, const struct compare *c,
			struct buf *b)
{
	struct buf text = { 0 };
	size_t count[VERDICT_INCONCLUSIVE + 1] = { 0 }, told = 0;

	for (size_t i = 0; i < c->ngroup; i++)
		for (size_t k = 0; k < c->group[i].nstat; k++)
			if (c->group[i].stat[k].primary)
				count[c->group[i].stat[k].verdict.kind]++;
	buf_printf(&text, "%zu primary stat%s in %zu group%s: ", c->primaries,
		   c->primaries == 1 ? "" : "s", c->ngroup,
		   c->ngroup == 1 ? "" : "s");
	for (size_t i = 0; i <= VERDICT_INCONCLUSIVE; i++) {
		if (!count[i])
			continue;
		buf_printf(&text, "%s%zu ", told++ ? ", " : "", count[i]);
		words_verdict(s, (enum verdict_kind)i, &text);
	}
	buf_puts(&text, told ? "." : "no verdict to give.");
	show_wrap(s, b, 0, buf_str(&text));
	buf_puts(b, "\n");
	put_overview(s, c, b);
	b->failed |= text.failed;
	buf_free(&text);
}

void body_walk(const struct compare *c, struct evidence *ev, body_fn *fn,
	       void *arg, struct buf *out, size_t most)
{
	static const enum body_part each[] = {
		BODY_TEST,  BODY_TABLE,	    BODY_FAILURES,
		BODY_TIMES, BODY_STABILITY, BODY_REPRODUCE,
	};
	size_t told = 0;

	for (enum body_part p = BODY_SUMMARY; p <= BODY_TAGS; p++)
		fn(arg, p, 0, &ev[0]);
	for (; told < c->ngroup; told++) {
		size_t had = out->len;

		for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++)
			fn(arg, each[i], told, &ev[told]);
		if (told && out->len > most) {
			out->len = had;
			out->data[had] = '\0';
			break;
		}
	}
	if (told < c->ngroup)
		fn(arg, BODY_REST, told, &ev[0]);
	for (enum body_part p = BODY_BUILDS; p <= BODY_LAYOUT; p++)
		fn(arg, p, 0, &ev[0]);
}

void body_text(const struct show *s, const struct compare *c, size_t group,
	       struct evidence *ev, const struct mail_ask *ask,
	       enum body_part part, struct buf *b)
{
	const struct compare_group *g = &c->group[group];

	/* of BODY_REST, group is the first that is not told */
	switch (part) {
	case BODY_SUMMARY:
		put_summary(s, c, b);
		break;
	case BODY_KERNELS:
		story_kernels(s, g, ev, b);
		break;
	case BODY_TAGS:
		put_tags(ask, b);
		break;
	case BODY_TEST:
		story_test(s, g, ev, b);
		break;
	case BODY_TABLE: /* rendered, not told */
		break;
	case BODY_FAILURES:
		story_failures(s, g, ev, b);
		break;
	case BODY_TIMES:
		put_times(g, b);
		break;
	case BODY_STABILITY:
		story_stability(s, g, ev, b);
		break;
	case BODY_REPRODUCE:
		story_reproduce(s, g, ev, b);
		break;
	case BODY_REST:
		buf_printf(b,
			   "%zu more groups, less urgent, are left out: see "
			   "ironrig compare.\n\n",
			   c->ngroup - group);
		break;
	case BODY_BUILDS:
		story_builds(s, g, ev, b);
		break;
	case BODY_CONFIG:
		story_config(s, ev, b);
		break;
	case BODY_LAYOUT:
		story_layout(s, g, ev, b);
		break;
	}
}
