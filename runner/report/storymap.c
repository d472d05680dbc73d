// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * "Is it alignment?" in words: which symbols moved within their cache line.
 */
#include "layout.h"
#include "perfdiff.h"
#include "story.h"

#include <stdio.h>

#define PROFILED 20 /* symbols of the profile that are looked up */
#define SHOWN	 20 /* rows of a table */

static void sections(const struct layout *l, struct buf *b)
{
	buf_puts(b, "\n  section        base        head      change\n");
	for (size_t i = 0; i < LAYOUT_SECTIONS; i++) {
		const struct layout_section *s = &l->section[i];

		if (s->size[0] || s->size[1])
			buf_printf(b, "  %-8s %10llu  %10llu  %+10lld\n",
				   s->name, (unsigned long long)s->size[0],
				   (unsigned long long)s->size[1],
				   (long long)(s->size[1] - s->size[0]));
	}
}

static void symbols(const struct layout *l, bool percpu, struct buf *b)
{
	size_t shown = 0, moved = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct layout_symbol *s = &l->symbol[i];

		if (s->percpu != percpu || !layout_moved(s))
			continue;
		if (!moved++)
			buf_printf(b,
				   "\n  %s that moved (address mod 64, "
				   "base -> head):\n",
				   percpu ? "per-CPU symbols"
					  : "functions of the profile");
		if (shown >= SHOWN)
			continue;
		shown++;
		buf_printf(b, "  %2u -> %2u  %.60s\n",
			   (unsigned int)(s->at[0] % LAYOUT_LINE),
			   (unsigned int)(s->at[1] % LAYOUT_LINE), s->name);
	}
	if (moved > shown)
		buf_printf(b, "  and %zu more\n", moved - shown);
}

/* Functions of another size, against those that the profile shows. */
static void touched(const struct show *s, const struct layout *l,
		    const struct strlist *profile, struct buf *b)
{
	struct buf text = { 0 };
	size_t hits = 0;

	buf_printf(&text, "%zu functions changed their size", l->resized);
	if (!profile->n) {
		buf_puts(&text, "; there is no profile to look them up in.");
	} else {
		/* but for per-CPU symbols they are those of the profile */
		for (size_t i = 0; i < l->n; i++)
			if (!l->symbol[i].percpu &&
			    layout_resized(&l->symbol[i]))
				buf_printf(&text, "%s%s",
					   hits++ ? ", " : "; in the profile: ",
					   l->symbol[i].name);
		buf_puts(&text, hits ? "."
				     : "; none of them is among the top of "
				       "the profile.");
	}
	buf_puts(b, "\n");
	show_wrap(s, b, 0, buf_str(&text));
	buf_free(&text);
}

static bool several_builds(const struct compare_group *g)
{
	for (size_t i = 0; i < g->nstat; i++)
		if (g->stat[i].primary && (g->stat[i].layout.builds[0] > 1 ||
					   g->stat[i].layout.builds[1] > 1))
			return true;
	return false;
}

static void tell(const struct show *s, const struct layout *l, bool builds,
		 const struct strlist *profile, struct buf *b)
{
	struct buf text = { 0 };

	buf_printf(&text,
		   "Is it alignment? By the System.maps %zu of %zu functions "
		   "and %zu of %zu per-CPU symbols have another address modulo "
		   "64. %s: this shows what moved, not that it matters.",
		   l->text_moved, l->text_symbols, l->percpu_moved,
		   l->percpu_symbols,
		   builds ? "Several builds were measured, these are the "
			    "first ones"
			  : "One build of each kernel is one sample of "
			    "layout");
	show_wrap(s, b, 0, buf_str(&text));
	buf_free(&text);
	sections(l, b);
	symbols(l, false, b);
	symbols(l, true, b);
	touched(s, l, profile, b);
	buf_puts(b, "\n");
}

void story_layout(const struct show *s, const struct compare_group *g,
		  struct evidence *ev, struct buf *b)
{
	struct strlist profile = { 0 };
	struct layout l = { .n = 0 };
	struct err e = ERR_INIT;

	if (compare_same_image(g) && !several_builds(g))
		show_wrap(s, b, 0,
			  "Is it alignment? Not of the kernel's code and data: "
			  "both sides ran one image (the same build-id), only "
			  "modules or the command line differ.");
	else if (!ev->base.map.len || !ev->head.map.len)
		show_wrap(s, b, 0,
			  "Is it alignment? Not known: the registry does not "
			  "have the System.map of both kernels. One build of "
			  "each is one sample of layout.");
	else if (perfdiff_symbols(g, PROFILED, &profile, &e) ||
		 layout_compare(ev->base.map.data, ev->head.map.data, &profile,
				&l, &e))
		show_wrap(s, b, 0,
			  "Is it alignment? The System.maps cannot "
			  "be read.");
	else if (!l.text_symbols)
		show_wrap(s, b, 0,
			  "Is it alignment? Not known: the System.maps have no "
			  "function in common (Debian packages hold a stub).");
	else
		tell(s, &l, several_builds(g), &profile, b);
	if (!l.text_symbols)
		buf_puts(b, "\n");
	strlist_free(&profile);
	layout_free(&l);
	/* the maps' lines are cut up now */
	buf_free(&ev->base.map);
	buf_free(&ev->head.map);
}
