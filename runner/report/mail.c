// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The report as kernel developers read it: what changed and how much first,
 * then test, machine, table, steps, evidence.
 */
#include "mail.h"
#include "story.h"
#include "table.h"
#include "version.h"
#include "words.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- headers ----------------------------------------------------------------
 */

static bool plain(const char *text)
{
	for (; text && *text; text++)
		if (iscntrl((unsigned char)*text))
			return false;
	return true;
}

static bool is_ascii(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text & 0x80)
			return false;
	return true;
}

/* An address itself has no encoded form; the name before it has. */
static bool address_ok(const char *text)
{
	const char *at = strrchr(text, '<');

	return plain(text) && is_ascii(at ? at : text);
}

int mail_check(const struct mail_ask *ask, struct err *e)
{
	bool good = plain(ask->reply_to) && plain(ask->reported_by) &&
		    plain(ask->closes) &&
		    is_ascii(ask->reply_to ? ask->reply_to : "");

	for (size_t i = 0; i < ask->to.n; i++)
		good &= address_ok(ask->to.v[i]);
	for (size_t i = 0; i < ask->cc.n; i++)
		good &= address_ok(ask->cc.v[i]);
	return good ? 0
		    : err_set(e, ERR_INPUT,
			      "control characters, and others than ASCII in "
			      "an address, have no place in a mail's headers");
}

/* Folded at blanks: a line of a header may have 998 bytes, and 78 is wished. */
static void put_folded(struct buf *b, size_t at, const char *text)
{
	while (*text) {
		size_t n = 1 + strcspn(text + 1, " ");

		if (*text == ' ' && text[1] != ' ' && text[1] && at + n > 78) {
			buf_puts(b, "\n");
			at = 0;
		}
		buf_add(b, text, n);
		at += n;
		text += n;
	}
}

/* RFC 2047: the first n bytes as encoded words of 75 at most. */
static void put_encoded(struct buf *b, const char *text, size_t n)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + n;
	bool open = false;
	size_t at = 0;

	for (; p < end; p++) {
		/* a word ends only between characters */
		if (open && at > 50 && (*p & 0xc0) != 0x80) {
			buf_puts(b, "?=\n ");
			open = false;
		}
		if (!open)
			buf_puts(b, "=?UTF-8?Q?");
		at = open ? at : 0;
		open = true;
		if (isalnum(*p))
			buf_printf(b, "%c", *p);
		else
			buf_printf(b, "=%02X", *p);
		at += isalnum(*p) ? 1 : 3;
	}
	buf_puts(b, "?=");
}

static void put_header(struct buf *b, const char *name, const char *text)
{
	buf_printf(b, "%s: ", name);
	if (is_ascii(text))
		put_folded(b, strlen(name) + 2, text);
	else
		put_encoded(b, text, strlen(text));
	buf_puts(b, "\n");
}

/* One recipient: only the name may be encoded. */
static void put_address(struct buf *b, const char *text)
{
	const char *at = strrchr(text, '<');
	size_t n = at ? (size_t)(at - text) : 0;

	if (is_ascii(text)) {
		buf_puts(b, text);
		return;
	}
	while (n && text[n - 1] == ' ')
		n--;
	if (n > 1 && *text == '"' && text[n - 1] == '"')
		put_encoded(b, text + 1, n - 2);
	else
		put_encoded(b, text, n);
	buf_printf(b, " %s", at);
}

static void put_list(struct buf *b, const char *name, const struct strlist *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (i)
			buf_puts(b, ",\n ");
		else
			buf_printf(b, "%s: ", name);
		put_address(b, l->v[i]);
	}
	if (l->n)
		buf_puts(b, "\n");
}

static void put_date(struct buf *b, int64_t now_s)
{
	time_t t = (time_t)now_s;
	struct tm tm;
	char text[64];

	if (gmtime_r(&t, &tm) &&
	    strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S +0000", &tm))
		buf_printf(b, "Date: %s\n", text);
}

/* The first primary of the report: what it is about. */
static const struct compare_stat *subject_stat(const struct compare *c)
{
	for (size_t i = 0; i < c->ngroup; i++)
		for (size_t k = 0; k < c->group[i].nstat; k++)
			if (c->group[i].stat[k].primary)
				return &c->group[i].stat[k];
	return NULL;
}

/* ASCII, as a subject travels through more than mail programs. */
static void put_subject(const struct compare *c, const struct evidence *ev,
			struct buf *b)
{
	static const struct show ascii = { .ascii = true };
	const struct conf_kernel *k = &ev->head.kernel;
	const struct compare_group *g = &c->group[0];
	const struct compare_stat *st = subject_stat(c);
	struct buf text = { 0 };

	if (ev->head.have_kernel && k->commit && *k->commit)
		buf_printf(&text, "[%.12s]", k->commit);
	else
		buf_printf(&text, "[%s]", g->head.kernel);
	if (ev->head.have_kernel && k->title && *k->title)
		buf_printf(&text, " (\"%s\")", k->title);
	buf_puts(&text, ":");
	for (size_t i = 0; i < g->nfailure; i++)
		if (compare_failure_on_head(&g->failure[i])) {
			buf_printf(&text, " %s;", g->failure[i].what);
			break;
		}
	if (st) {
		struct interval ci =
			estimate_percents(&st->estimate, st->verdict.ci);

		buf_printf(&text, " %s ", st->name);
		words_change(&ascii, st, &text);
		if (isfinite(ci.lo)) {
			buf_puts(&text, " ");
			words_interval(&ascii, st, &text);
		}
		buf_puts(&text, " ");
		words_verdict(&ascii, st->verdict.kind, &text);
	}
	put_header(b, "Subject", buf_str(&text));
	b->failed |= text.failed;
	buf_free(&text);
}

static void put_headers(bool ascii, const struct compare *c,
			const struct evidence *ev, const struct mail_ask *ask,
			struct buf *b)
{
	put_subject(c, &ev[0], b);
	put_date(b, ask->now_s);
	put_list(b, "To", &ask->to);
	put_list(b, "Cc", &ask->cc);
	if (ask->reply_to) {
		bool bare = *ask->reply_to != '<';

		buf_printf(b, "In-Reply-To: %s%s%s\n", bare ? "<" : "",
			   ask->reply_to, bare ? ">" : "");
		buf_printf(b, "References: %s%s%s\n", bare ? "<" : "",
			   ask->reply_to, bare ? ">" : "");
	}
	buf_printf(b,
		   "MIME-Version: 1.0\n"
		   "Content-Type: text/plain; charset=%s\n"
		   "Content-Transfer-Encoding: %s\n"
		   "X-Mailer: ironrig " IRONRIG_VERSION "\n\n",
		   ascii ? "us-ascii" : "utf-8", ascii ? "7bit" : "8bit");
}

/* ---- body -------------------------------------------------------------------
 */

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

static void put_group(const struct show *s, const struct compare *c,
		      const struct compare_group *g, struct evidence *ev,
		      struct buf *b)
{
	story_test(s, g, ev, b);
	table_group(s, c, g, TABLE_SHORT, b);
	buf_puts(b, "\n");
	put_times(g, b);
	story_stability(s, g, ev, b);
	story_reproduce(s, ev, b);
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
	b->failed |= text.failed;
	buf_free(&text);
}

static void put_body(const struct show *s, const struct compare *c,
		     struct evidence *ev, const struct mail_ask *ask,
		     struct buf *b)
{
	size_t told = 0;

	put_summary(s, c, b);
	story_kernels(s, &c->group[0], &ev[0], b);
	put_tags(ask, b);
	for (; told < c->ngroup; told++) {
		struct buf part = { 0 };

		put_group(s, c, &c->group[told], &ev[told], &part);
		if (told && b->len + part.len > MAIL_MAX * 3 / 4) {
			buf_free(&part);
			break;
		}
		buf_add(b, buf_str(&part), part.len);
		b->failed |= part.failed;
		buf_free(&part);
	}
	if (told < c->ngroup)
		buf_printf(b,
			   "%zu more groups, less urgent, are left out: "
			   "see ironrig compare.\n\n",
			   c->ngroup - told);
	story_builds(s, &c->group[0], &ev[0], b);
	story_layout(s, &c->group[0], &ev[0], b);
}

void mail_text(const struct show *s, const struct compare *c,
	       struct evidence *ev, const struct mail_ask *ask, struct buf *b)
{
	struct buf body = { 0 };

	put_body(s, c, ev, ask, &body);
	/* with --ascii too, a title or a name is what it is */
	if (ask->headers)
		put_headers(is_ascii(buf_str(&body)), c, ev, ask, b);
	buf_add(b, buf_str(&body), body.len);
	b->failed |= body.failed;
	buf_free(&body);
}
