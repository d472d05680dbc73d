// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What went wrong on head alone, and how the kernels were configured, told.
 */
#include "confdiff.h"
#include "story.h"

#include <string.h>

#define OPTIONS 12 /* differences of two .config files that are shown */

static void indented(const char *text, struct buf *b)
{
	for (const char *end; *text; text = end) {
		end = text + strcspn(text, "\n");
		buf_printf(b, "\t%.*s\n", (int)(end - text), text);
		end += *end == '\n';
	}
}

static void one_failure(const struct show *s, const struct compare_group *g,
			const struct compare_failure *f,
			const struct failtext *t, struct buf *b)
{
	struct buf text = { 0 };

	buf_printf(&text, "On head alone: %s, in %u of %u runs", f->what,
		   f->head, g->head.runs);
	if (f->reason && *f->reason)
		buf_printf(&text, ": %s", f->reason);
	if (f->file && *f->file)
		buf_printf(&text, " (store/%s)", f->file);
	if (t->where)
		buf_printf(&text, ". From %s:", t->where);
	else
		buf_puts(&text, ". The kernel's own words about it are in no "
				"log or pstore record that came home.");
	show_wrap(s, b, 0, buf_str(&text));
	buf_puts(b, "\n");
	if (t->where) {
		indented(buf_str(&t->text), b);
		buf_puts(b, "\n");
	}
	buf_free(&text);
}

void story_failures(const struct show *s, const struct compare_group *g,
		    const struct evidence *ev, struct buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < g->nfailure && n < EVIDENCE_FAILURES; i++)
		if (compare_failure_on_head(&g->failure[i]))
			one_failure(s, g, &g->failure[i], &ev->failure[n++], b);
}

void story_config(const struct show *s, const struct evidence *ev,
		  struct buf *b)
{
	struct strlist diff = { 0 };
	struct buf text = { 0 };
	struct err e = ERR_INIT;

	if (!ev->base.config_text.len || !ev->head.config_text.len ||
	    confdiff(buf_str(&ev->base.config_text),
		     buf_str(&ev->head.config_text), &diff, &e)) {
		strlist_free(&diff);
		return;
	}
	if (diff.n)
		buf_printf(&text, "The configs differ in %zu option%s:", diff.n,
			   diff.n == 1 ? "" : "s");
	else
		buf_puts(&text, "Both kernels have the same config.");
	show_wrap(s, b, 0, buf_str(&text));
	for (size_t i = 0; i < diff.n && i < OPTIONS; i++)
		buf_printf(b, "\t%.150s\n", diff.v[i]);
	if (diff.n > OPTIONS)
		buf_printf(b, "\tand %zu more\n", diff.n - OPTIONS);
	buf_puts(b, "\n");
	buf_free(&text);
	strlist_free(&diff);
}
