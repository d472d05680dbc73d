// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The report as kernel developers read it: what changed and how much first,
 * then test, machine, table, steps, evidence.
 */
#include "mail.h"
#include "body.h"
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

void mail_subject(const struct show *s, const struct compare *c,
		  const struct evidence *ev, struct buf *text)
{
	const struct conf_kernel *k = &ev->head.kernel;
	const struct compare_group *g = &c->group[0];
	const struct compare_stat *st = subject_stat(c);

	if (ev->head.have_kernel && k->commit && *k->commit)
		buf_printf(text, "[%.12s]", k->commit);
	else
		buf_printf(text, "[%s]", g->head.kernel);
	if (ev->head.have_kernel && k->title && *k->title)
		buf_printf(text, " (\"%s\")", k->title);
	buf_puts(text, ":");
	for (size_t i = 0; i < g->nfailure; i++)
		if (compare_failure_on_head(&g->failure[i])) {
			buf_printf(text, " %s;", g->failure[i].what);
			break;
		}
	if (st) {
		struct interval ci =
			estimate_percents(&st->estimate, st->verdict.ci);

		buf_printf(text, " %s ", st->name);
		words_change(s, st, text);
		if (isfinite(ci.lo)) {
			buf_puts(text, " ");
			words_interval(s, st, text);
		}
		buf_puts(text, " ");
		words_verdict(s, st->verdict.kind, text);
	}
}

/* ASCII, as a subject travels through more than mail programs. */
static void put_subject(const struct compare *c, const struct evidence *ev,
			struct buf *b)
{
	static const struct show ascii = { .ascii = true };
	struct buf text = { 0 };

	mail_subject(&ascii, c, ev, &text);
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

struct sink {
	const struct show *s;
	const struct compare *c;
	const struct mail_ask *ask;
	struct buf *b;
};

static void put_part(void *arg, enum body_part part, size_t group,
		     struct evidence *ev)
{
	const struct sink *k = arg;

	if (part == BODY_TABLE) {
		table_group(k->s, k->c, &k->c->group[group], TABLE_SHORT, k->b);
		buf_puts(k->b, "\n");
	} else {
		body_text(k->s, k->c, group, ev, k->ask, part, k->b);
	}
}

void mail_text(const struct show *s, const struct compare *c,
	       struct evidence *ev, const struct mail_ask *ask, struct buf *b)
{
	struct buf body = { 0 };
	struct sink k = { s, c, ask, &body };

	body_walk(c, ev, put_part, &k, &body, MAIL_MAX * 3 / 4);
	/* with --ascii too, a title or a name is what it is */
	if (ask->headers)
		put_headers(is_ascii(buf_str(&body)), c, ev, ask, b);
	buf_add(b, buf_str(&body), body.len);
	b->failed |= body.failed;
	buf_free(&body);
}
