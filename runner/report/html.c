// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The report as a page. What there is to say and in which order is body.c's,
 * what stands in a table rows.c's, numbers and sentences words.c's.
 */
#include "html.h"
#include "body.h"
#include "htmlout.h"
#include "perfdiff.h"
#include "svg.h"
#include "table.h"
#include "version.h"
#include "words.h"

#include <stdint.h>

#define UNWRAPPED 1000000 /* a browser breaks lines itself */

static const char HEAD[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
	"'none'; style-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<meta name=\"generator\" content=\"ironrig " IRONRIG_VERSION "\">\n";

/* Blue and orange: told apart by most eyes, and the shapes differ. */
static const char STYLE[] =
	"<style>\n"
	":root { --fg: #1a1a1a; --bg: #fff; --dim: #595959; --line: #d5d5d5;\n"
	" --box: #f5f5f5; --base: #0060a8; --head: #c24a00; --band: #dcebdc;\n"
	" --bad: #b00020; --good: #10691f; --warn: #7a5200; }\n"
	"@media (prefers-color-scheme: dark) {\n"
	":root { --fg: #e4e4e4; --bg: #151515; --dim: #a5a5a5;\n"
	" --line: #3c3c3c; --box: #202020; --base: #6db6ff; --head: #ff9a55;\n"
	" --band: #223a26; --bad: #ff8080; --good: #7fd18b; --warn: #f0c060; "
	"}\n"
	"}\n"
	"body { font: 16px/1.5 system-ui, sans-serif; color: var(--fg);\n"
	" background: var(--bg); max-width: 60rem; margin: 1.5rem auto;\n"
	" padding: 0 1rem; }\n"
	"h1 { font-size: 1.3rem; overflow-wrap: anywhere; }\n"
	"h2 { font-size: 1.15rem; margin-top: 2.5rem; border-top: 1px solid\n"
	" var(--line); padding-top: 1rem; overflow-wrap: anywhere; }\n"
	"h3 { font-size: 1rem; margin-top: 1.8rem; }\n"
	"pre { background: var(--box); tab-size: 4; padding: .6rem .8rem; "
	"overflow-x: auto;\n"
	" font: 13px/1.4 ui-monospace, monospace; }\n"
	"table { border-collapse: collapse; font-variant-numeric: "
	"tabular-nums;\n"
	" font-size: 14px; }\n"
	".scroll { overflow-x: auto; }\n"
	"th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line);\n"
	" text-align: right; white-space: nowrap; }\n"
	"th:last-child, td:last-child { text-align: left; }\n"
	"td small { color: var(--dim); }\n"
	".note { color: var(--dim); font-size: 14px; }\n"
	".bad { color: var(--bad); font-weight: 600; }\n"
	".good { color: var(--good); font-weight: 600; }\n"
	".warn { color: var(--warn); font-weight: 600; }\n"
	"figure { margin: 1rem 0; }\n"
	"figcaption { color: var(--dim); font-size: 14px; }\n"
	"svg { width: 100%; max-width: 680px; height: auto; display: block; }\n"
	"svg text { font: 12px system-ui, sans-serif; fill: var(--dim); }\n"
	"circle.base { fill: var(--base); }\n"
	"rect.head { fill: var(--head); }\n"
	"line.axis { stroke: var(--line); }\n"
	"line.pair { stroke: var(--dim); stroke-opacity: .5; }\n"
	"line.mean { stroke-dasharray: 4 3; stroke-opacity: .7; }\n"
	"line.base { stroke: var(--base); }\n"
	"line.head { stroke: var(--head); }\n"
	"line.zero { stroke: var(--fg); }\n"
	"rect.band { fill: var(--band); }\n"
	"line.ci { stroke: var(--fg); stroke-width: 3; }\n"
	"circle.ci { fill: var(--fg); }\n"
	".key { font-weight: 600; } .key.b { color: var(--base); }\n"
	".key.h { color: var(--head); }\n"
	"@media print { body { max-width: none; } }\n"
	"</style>\n";

struct page {
	const struct show *s;
	const struct compare *c;
	const struct mail_ask *ask;
	struct buf *b;
};

/* ---- tables -----------------------------------------------------------------
 */

static void element(struct buf *b, const char *tag, const char *text)
{
	buf_printf(b, "<%s>", tag);
	htmlout_text(b, text);
	buf_printf(b, "</%s>", tag);
}

static void paragraph(struct buf *b, const char *class, const char *text)
{
	buf_printf(b, "<p class=\"%s\">", class);
	htmlout_text(b, text);
	buf_puts(b, "</p>\n");
}

static void open_table(const struct page *p, const struct compare_group *g,
		       bool primary)
{
	static const char *const more[2][4] = {
		{ "p adjusted", NULL, NULL, NULL },
		{ "95 % interval", "verdict", "detectable", NULL },
	};

	buf_puts(p->b, "<div class=\"scroll\"><table>\n<thead><tr>");
	element(p->b, "th", g->base.kernel);
	element(p->b, "th", "change");
	element(p->b, "th", g->head.kernel);
	for (size_t i = 0; more[primary][i]; i++)
		element(p->b, "th", more[primary][i]);
	buf_puts(p->b, "<th>stat</th></tr></thead>\n<tbody>\n");
}

static void close_table(const struct page *p)
{
	buf_puts(p->b, "</tbody></table></div>\n");
}

static void mean_cell(const struct page *p, const struct compare_stat *st,
		      bool head)
{
	struct buf mean = { 0 }, deviation = { 0 };

	table_mean(p->s, st, head, &mean, &deviation);
	buf_puts(p->b, "<td>");
	htmlout_text(p->b, buf_str(&mean));
	if (deviation.len) {
		buf_puts(p->b, " <small>");
		htmlout_text(p->b, buf_str(&deviation) + 1);
		buf_puts(p->b, "</small>");
	}
	buf_puts(p->b, "</td>");
	buf_free(&mean);
	buf_free(&deviation);
}

/* The cell's text goes to a buffer that is then escaped. */
static void cell(const struct page *p, struct buf *text)
{
	element(p->b, "td", buf_str(text));
	buf_reset(text);
}

static const char *class_of(enum verdict_kind kind)
{
	switch (kind) {
	case VERDICT_REGRESSION:
		return "bad";
	case VERDICT_IMPROVEMENT:
	case VERDICT_EQUIVALENT:
		return "good";
	case VERDICT_CHANGED:
	case VERDICT_NEAR:
	case VERDICT_DIFFERS:
		return "warn";
	case VERDICT_NONE:
	case VERDICT_INCONCLUSIVE:
		break;
	}
	return "plain";
}

static void row(const struct page *p, const struct compare_stat *st)
{
	struct buf text = { 0 };

	buf_puts(p->b, "<tr>");
	mean_cell(p, st, false);
	if (st->primary)
		words_change(p->s, st, &text);
	else
		words_short_change(p->s, st, &text);
	cell(p, &text);
	mean_cell(p, st, true);
	if (st->primary) {
		words_interval(p->s, st, &text);
		cell(p, &text);
		buf_printf(p->b, "<td class=\"%s\">",
			   class_of(st->verdict.kind));
		words_verdict(p->s, st->verdict.kind, &text);
		htmlout_text(p->b, buf_str(&text));
		buf_puts(p->b, "</td>");
		buf_reset(&text);
		words_mde(p->s, st, &text);
		cell(p, &text);
	} else {
		table_p(st, &text);
		cell(p, &text);
	}
	element(p->b, "td", st->name);
	buf_puts(p->b, "</tr>\n");
	buf_free(&text);
}

static void rows_of(const struct page *p, const struct compare_group *g,
		    enum table_part part, const char *title)
{
	bool any = false;

	for (size_t i = 0; i < g->nstat; i++) {
		if (table_part_of(&g->stat[i]) != part)
			continue;
		if (!any && title)
			element(p->b, "h3", title);
		if (!any)
			open_table(p, g, part == TABLE_OF_PRIMARIES);
		any = true;
		row(p, &g->stat[i]);
	}
	if (any)
		close_table(p);
}

static void others(const struct page *p, const struct compare_group *g)
{
	struct table_others o = table_others(g, TABLE_SHORT);
	struct buf text = { 0 };
	size_t at = 0;

	if (!o.all)
		return;
	if (o.shown) {
		element(p->b, "h3", "What else differs");
		open_table(p, g, false);
	}
	for (size_t i = 0; i < g->nstat && at < o.shown; i++)
		if (table_others_has(&o, &g->stat[i])) {
			row(p, &g->stat[i]);
			at++;
		}
	if (o.shown)
		close_table(p);
	table_others_sum(&o, &text);
	paragraph(p->b, "note", buf_str(&text));
	buf_free(&text);
}

/* ---- a group ----------------------------------------------------------------
 */

static void key(const struct page *p, const struct compare_group *g)
{
	buf_puts(p->b, "<figcaption><span class=\"key b\">\u25cf ");
	htmlout_text(p->b, g->base.kernel);
	buf_puts(p->b, "</span> <span class=\"key h\">\u25a0 ");
	htmlout_text(p->b, g->head.kernel);
	buf_puts(p->b, "</span>: the mean of each boot (the axis does not "
		       "begin at 0); below, the change with its interval, the "
		       "shaded band is \u00b1\u03b4.</figcaption>\n");
}

static void primary(const struct page *p, const struct compare_group *g,
		    const struct compare_stat *st)
{
	struct buf text = { 0 };

	table_sentence(p->s, p->c, g, st, &text);
	buf_puts(p->b, "<p>");
	htmlout_text(p->b, buf_str(&text));
	buf_puts(p->b, "</p>\n<figure>\n");
	svg_boots(p->s, g, st, p->b);
	svg_interval(p->s, st, p->b);
	key(p, g);
	buf_puts(p->b, "</figure>\n");
	buf_free(&text);
}

static void pre(const struct page *p, const struct buf *text)
{
	if (!text->len)
		return;
	buf_puts(p->b, "<pre>");
	htmlout_text(p->b, buf_str(text));
	buf_puts(p->b, "</pre>\n");
}

static void table(const struct page *p, const struct compare_group *g)
{
	struct buf text = { 0 };

	table_failures(p->s, g, &text);
	pre(p, &text);
	for (size_t i = 0; i < g->nstat; i++)
		if (g->stat[i].primary)
			primary(p, g, &g->stat[i]);
	rows_of(p, g, TABLE_OF_PRIMARIES, NULL);
	rows_of(p, g, TABLE_OF_COMPANIONS, "What the CPUs did meanwhile");
	buf_reset(&text);
	perfdiff_text(p->s, g, TABLE_PROFILE_ROWS, &text);
	htmlout_paragraphs(p->b, buf_str(&text));
	others(p, g);
	buf_reset(&text);
	words_footer(p->s, p->c, g, &text);
	buf_puts(&text, ".");
	paragraph(p->b, "note", buf_str(&text));
	buf_free(&text);
}

/* ---- the page ---------------------------------------------------------------
 */

static void part(void *arg, enum body_part which, size_t group,
		 struct evidence *ev)
{
	static const char *const title[] = {
		[BODY_KERNELS] = "Kernels",
		[BODY_BUILDS] = "Builds",
		[BODY_LAYOUT] = "Layout",
	};
	const struct page *p = arg;
	struct buf text = { 0 };

	if (which == BODY_TABLE) {
		table(p, &p->c->group[group]);
		return;
	}
	if (which == BODY_TEST)
		element(p->b, "h2", p->c->group[group].name);
	body_text(p->s, p->c, group, ev, p->ask, which, &text);
	if (which < sizeof(title) / sizeof(title[0]) && title[which] &&
	    text.len)
		element(p->b, "h2", title[which]);
	htmlout_paragraphs(p->b, buf_str(&text));
	p->b->failed |= text.failed;
	buf_free(&text);
}

void html_page(const struct show *s, const struct compare *c,
	       struct evidence *ev, const struct mail_ask *ask, struct buf *b)
{
	struct show plain = *s;
	struct page p = { &plain, c, ask, b };
	struct buf subject = { 0 }, when = { 0 };

	plain.colour = plain.ascii = false;
	plain.prose = UNWRAPPED;
	mail_subject(&plain, c, &ev[0], &subject);
	buf_puts(b, HEAD);
	element(b, "title", buf_str(&subject));
	buf_puts(b, "\n");
	buf_puts(b, STYLE);
	buf_puts(b, "</head>\n<body>\n");
	element(b, "h1", buf_str(&subject));
	buf_puts(b, "\n");
	body_walk(c, ev, part, &p, b, HTML_MAX * 3 / 4);
	show_time(&when, ask->now_s);
	buf_puts(b, "<p class=\"note\">Made by ironrig " IRONRIG_VERSION ", ");
	htmlout_text(b, buf_str(&when));
	buf_puts(b, ".</p>\n</body>\n</html>\n");
	b->failed |= subject.failed;
	buf_free(&subject);
	buf_free(&when);
}
