// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Tables of a comparison. What the cells say is in words.c and show.c.
 */
#include "table.h"
#include "perfdiff.h"
#include "words.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * The columns of lkp's comparison: a mean of 10 and its deviation of 6, a
 * change of 11, a mean of 11 and its deviation, the stat from column 46 on.
 */
#define MEAN	  10
#define DEVIATION 6
#define CHANGE	  11
#define STAT	  46
#define CI	  20
#define VERDICT	  14
#define MDE	  16

/* Less than this is noise of the noise: shown as nothing. */
#define DEVIATION_SHOWN 2.5

static void rule_line(struct buf *b, size_t n)
{
	while (n--)
		buf_puts(b, "-");
}

static bool is_wide(const struct show *s)
{
	return s->width >= TABLE_WIDE;
}

static void name_cell(struct buf *b, const char *name, size_t width)
{
	char cut[64];

	snprintf(cut, sizeof(cut), "%.*s", (int)width, name);
	show_right(b, cut, width);
}

static void head_lines(const struct show *s, const struct compare_group *g,
		       bool primary, struct buf *b)
{
	const char *third = primary ? "" : "p_adj";

	name_cell(b, g->base.kernel, MEAN + DEVIATION);
	buf_puts(b, "  ");
	name_cell(b, g->head.kernel, STAT - MEAN - DEVIATION - 4);
	buf_puts(b, "\n");
	rule_line(b, MEAN + DEVIATION);
	buf_puts(b, "  ");
	rule_line(b, STAT - MEAN - DEVIATION - 4);
	if (is_wide(s) && primary) {
		buf_puts(b, "  ");
		show_left(b, "95 % interval", CI);
		show_left(b, "verdict", VERDICT);
		show_left(b, "detectable", MDE);
		buf_puts(b, "stat");
	} else if (!primary) {
		buf_printf(b, "  %7s  stat", third);
	}
	buf_puts(b, "\n         %stddev     change         %stddev\n"
		    "             \\          |                \\\n");
}

void table_mean(const struct show *s, const struct compare_stat *st, bool head,
		struct buf *mean, struct buf *deviation)
{
	const struct estimate *e = &st->estimate;
	double y = head ? e->head : e->base, shown = estimate_shown(e, y);
	double sd = estimate_shown_sd(e, y, head ? e->head_sd : e->base_sd);
	double percent = 100 * sd / fabs(shown);

	show_value(s, mean, shown, sd);
	if (percent >= DEVIATION_SHOWN && percent < 999.5)
		buf_printf(deviation, " %s%3.0f%%", s->ascii ? "~" : "\u00b1",
			   percent);
}

static void mean_cell(const struct show *s, const struct compare_stat *st,
		      bool head, size_t width, struct buf *b)
{
	struct buf mean = { 0 }, deviation = { 0 };

	table_mean(s, st, head, &mean, &deviation);
	show_right(b, buf_str(&mean), width);
	show_left(b, buf_str(&deviation), DEVIATION);
	buf_free(&mean);
	buf_free(&deviation);
}

static void trimmed(struct buf *b)
{
	while (b->len && b->data[b->len - 1] == ' ')
		b->data[--b->len] = '\0';
}

/* A name that does not fit behind the columns ends its own line at the edge. */
static void stat_cell(const struct show *s, const char *name, size_t at,
		      struct buf *b)
{
	size_t width = show_width(name);

	if (at + width > s->width && !is_wide(s)) {
		trimmed(b);
		buf_puts(b, "\n");
		show_right(b, name, s->width);
	} else {
		buf_puts(b, name);
	}
	buf_puts(b, "\n");
}

static void common_cells(const struct show *s, const struct compare_stat *st,
			 struct buf *b)
{
	struct buf cell = { 0 };

	mean_cell(s, st, false, MEAN, b);
	if (st->primary)
		words_change(s, st, &cell);
	else
		words_short_change(s, st, &cell);
	show_right(b, buf_str(&cell), CHANGE);
	buf_free(&cell);
	mean_cell(s, st, true, MEAN + 1, b);
	buf_puts(b, "  ");
}

static enum show_colour colour_of(enum verdict_kind kind)
{
	switch (kind) {
	case VERDICT_REGRESSION:
		return SHOW_RED;
	case VERDICT_IMPROVEMENT:
	case VERDICT_EQUIVALENT:
		return SHOW_GREEN;
	case VERDICT_CHANGED:
	case VERDICT_NEAR:
	case VERDICT_DIFFERS:
		return SHOW_YELLOW;
	case VERDICT_NONE:
	case VERDICT_INCONCLUSIVE:
		break;
	}
	return SHOW_PLAIN;
}

static void coloured_verdict(const struct show *s,
			     const struct compare_stat *st, struct buf *b)
{
	buf_puts(b, show_colour(s, colour_of(st->verdict.kind)));
	words_verdict(s, st->verdict.kind, b);
	buf_puts(b, show_colour(s, SHOW_PLAIN));
}

static void wide_cells(const struct show *s, const struct compare_stat *st,
		       struct buf *b)
{
	struct buf cell = { 0 };

	words_interval(s, st, &cell);
	show_left(b, buf_str(&cell), CI);
	buf_reset(&cell);
	buf_puts(&cell, show_colour(s, colour_of(st->verdict.kind)));
	buf_puts(&cell, st->verdict.kind == VERDICT_DIFFERS ? "DIFFERS" : "");
	if (st->verdict.kind != VERDICT_DIFFERS)
		words_verdict(s, st->verdict.kind, &cell);
	buf_puts(&cell, show_colour(s, SHOW_PLAIN));
	show_left(b, buf_str(&cell), VERDICT);
	buf_reset(&cell);
	words_mde(s, st, &cell);
	show_left(b, buf_str(&cell), MDE);
	buf_free(&cell);
}

static void primary_row(const struct show *s, const struct compare_stat *st,
			struct buf *b)
{
	common_cells(s, st, b);
	if (is_wide(s)) {
		wide_cells(s, st, b);
		stat_cell(s, st->name, 0, b);
		return;
	}
	stat_cell(s, st->name, STAT, b);
	buf_puts(b, "    95 % ");
	words_interval(s, st, b);
	buf_puts(b, "  ");
	coloured_verdict(s, st, b);
	buf_puts(b, "  detectable: ");
	words_mde(s, st, b);
	buf_puts(b, "\n");
}

void table_sentence(const struct show *s, const struct compare *c,
		    const struct compare_group *g,
		    const struct compare_stat *st, struct buf *b)
{
	buf_printf(b, "%s ", st->name);
	words_change(s, st, b);
	buf_puts(b, ": ");
	words_lead(s, st, b);
	buf_puts(b, ". ");
	words_verdict(s, st->verdict.kind, b);
	buf_puts(b, ": ");
	words_reason(s, c, g, st, b);
	buf_puts(b, ". ");
	words_seen(st, b);
}

static void sentences(const struct show *s, const struct compare *c,
		      const struct compare_group *g, struct buf *b)
{
	for (size_t i = 0; i < g->nstat; i++) {
		struct buf text = { 0 };

		if (!g->stat[i].primary)
			continue;
		table_sentence(s, c, g, &g->stat[i], &text);
		show_wrap(s, b, 0, buf_str(&text));
		buf_puts(b, "\n");
		buf_free(&text);
	}
}

static void primaries(const struct show *s, const struct compare_group *g,
		      struct buf *b)
{
	bool any = false;

	for (size_t i = 0; i < g->nstat; i++) {
		if (!g->stat[i].primary)
			continue;
		if (!any)
			head_lines(s, g, true, b);
		any = true;
		primary_row(s, &g->stat[i], b);
	}
	if (any)
		buf_puts(b, "\n");
}

void table_p(const struct compare_stat *st, struct buf *b)
{
	if (st->estimate.exact)
		buf_puts(b, "exact");
	else
		show_p(b, st->p_adjusted);
}

static void other_row(const struct show *s, const struct compare_stat *st,
		      struct buf *b)
{
	struct buf p = { 0 };

	common_cells(s, st, b);
	table_p(st, &p);
	show_right(b, buf_str(&p), 7);
	buf_free(&p);
	buf_puts(b, "  ");
	stat_cell(s, st->name, STAT + 9, b);
}

/* CPU use and CPU time per operation, beside what they were spent on. */
static void companions(const struct show *s, const struct compare_group *g,
		       struct buf *b)
{
	bool any = false;

	for (size_t i = 0; i < g->nstat; i++) {
		if (table_part_of(&g->stat[i]) != TABLE_OF_COMPANIONS)
			continue;
		if (!any) {
			buf_puts(b, "What the CPUs did meanwhile:\n\n");
			head_lines(s, g, false, b);
		}
		any = true;
		other_row(s, &g->stat[i], b);
	}
	if (any)
		buf_puts(b, "\n");
}

static void others(const struct show *s, const struct compare_group *g,
		   enum table_rows rows, struct buf *b)
{
	struct table_others o = table_others(g, rows);
	struct buf text = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < g->nstat && at < o.shown; i++) {
		if (!table_others_has(&o, &g->stat[i]))
			continue;
		if (!at++) {
			buf_puts(b, rows == TABLE_ALL
					    ? "Everything else:\n\n"
					    : "What else differs:\n\n");
			head_lines(s, g, false, b);
		}
		other_row(s, &g->stat[i], b);
	}
	if (!o.all)
		return;
	if (at)
		buf_puts(b, "\n");
	table_others_sum(&o, &text);
	show_wrap(s, b, 0, buf_str(&text));
	buf_puts(b, "\n");
	buf_free(&text);
}

static void failure_row(const struct show *s, const struct compare_group *g,
			const struct compare_failure *f, struct buf *b)
{
	struct buf shown = { 0 };
	char text[48];
	double change = 0;

	if (g->base.runs && g->head.runs)
		change = 100. * f->head / g->head.runs -
			 100. * f->base / g->base.runs;
	snprintf(text, sizeof(text), "%u:%u", f->base, g->base.runs);
	show_right(b, text, MEAN + DEVIATION);
	show_change(s, &shown, change, 0, NULL);
	buf_puts(&shown, "%");
	show_right(b, buf_str(&shown), CHANGE);
	buf_free(&shown);
	snprintf(text, sizeof(text), "%u:%u", f->head, g->head.runs);
	show_right(b, text, MEAN + 1 + DEVIATION);
	buf_printf(b, "  %s", f->what);
	if (f->p < .05 || f->crash) {
		buf_puts(b, " (p ");
		show_p(b, f->p);
		buf_puts(b,
			 compare_failure_on_head(f) ? ", on head alone)" : ")");
	}
	buf_puts(b, "\n");
}

void table_failures(const struct show *s, const struct compare_group *g,
		    struct buf *b)
{
	if (!g->nfailure)
		return;
	buf_puts(b, "       fail:runs %reproduction        fail:runs\n"
		    "           |          |                |\n");
	for (int crash = 1; crash >= 0; crash--)
		for (size_t i = 0; i < g->nfailure; i++)
			if (g->failure[i].crash == crash)
				failure_row(s, g, &g->failure[i], b);
	buf_puts(b, "\n");
}

void table_group(const struct show *s, const struct compare *c,
		 const struct compare_group *g, enum table_rows rows,
		 struct buf *b)
{
	struct buf text = { 0 };

	table_failures(s, g, b);
	sentences(s, c, g, b);
	primaries(s, g, b);
	companions(s, g, b);
	perfdiff_text(s, g, rows == TABLE_ALL ? SIZE_MAX : TABLE_PROFILE_ROWS,
		      b);
	others(s, g, rows, b);
	words_footer(s, c, g, &text);
	buf_puts(&text, ".");
	show_wrap(s, b, 0, buf_str(&text));
	buf_free(&text);
	trimmed(b);
}

void table_text(const struct show *s, const struct compare *c,
		enum table_rows rows, struct buf *b)
{
	for (size_t i = 0; i < c->ngroup; i++) {
		if (i)
			buf_puts(b, "\n");
		if (*c->group[i].name)
			buf_printf(b, "%s (box %s)\n\n", c->group[i].name,
				   c->group[i].box);
		table_group(s, c, &c->group[i], rows, b);
	}
}
