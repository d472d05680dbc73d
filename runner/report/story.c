// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The machine, the parameters, the tuning and the kernels of a report, in
 * prose and short lists. Layout is told in storymap.c, tables in table.c.
 */
#include "story.h"

#include <stdio.h>
#include <string.h>

#define REPRODUCE_MAX 12000 /* bytes; longer ones are named by their place */

static void one_kernel(const struct show *s, const char *what, const char *name,
		       const struct evidence_side *side, struct buf *b)
{
	const struct conf_kernel *k = &side->kernel;
	struct buf text = { 0 };

	buf_printf(b, "%s: %s\n", what, name);
	if (side->have_kernel && k->commit && *k->commit)
		buf_printf(&text, "commit %.40s ", k->commit);
	if (side->have_kernel && k->title && *k->title)
		buf_printf(&text, "(\"%s\")", k->title);
	if (side->have_kernel && k->append && *k->append)
		buf_printf(&text, "%scommand line + %s", text.len ? ", " : "",
			   k->append);
	if (side->have && side->r.release && *side->r.release &&
	    strcmp(side->r.release, name) != 0)
		buf_printf(&text, "%srelease %s", text.len ? ", " : "",
			   side->r.release);
	if (text.len)
		show_wrap(s, b, 6, buf_str(&text));
	buf_free(&text);
}

void story_kernels(const struct show *s, const struct compare_group *g,
		   const struct evidence *ev, struct buf *b)
{
	one_kernel(s, "base", g->base.kernel, &ev->base, b);
	one_kernel(s, "head", g->head.kernel, &ev->head, b);
	buf_puts(b, "\n");
}

void story_machine(const struct result *r, struct buf *b)
{
	unsigned long long mb = (unsigned long long)r->memory_kb / 1024;

	buf_printf(b, "%u thread%s %s with ", r->cpus_online,
		   r->cpus_online == 1 ? "" : "s",
		   r->cpu_model && *r->cpu_model ? r->cpu_model
						 : "unknown CPU");
	/* MemTotal is less than what is plugged in: round up */
	if (mb >= 4096)
		buf_printf(b, "%lluG memory", (mb + 1023) / 1024);
	else
		buf_printf(b, "%lluM memory", mb);
}

void story_test(const struct show *s, const struct compare_group *g,
		const struct evidence *ev, struct buf *b)
{
	const struct evidence_side *side = ev->head.have ? &ev->head
							 : &ev->base;
	struct buf text = { 0 };

	buf_printf(b, "in testcase: %s\n", g->name);
	if (!side->have) {
		show_wrap(s, b, 0,
			  "The results themselves are not in this store: "
			  "machine and parameters are not known.");
		buf_puts(b, "\n");
		return;
	}
	if (side->r.cpus_online) {
		buf_puts(&text, "on test machine: ");
		story_machine(&side->r, &text);
		buf_printf(&text, " (box %s)", g->box);
	} else {
		buf_printf(&text,
			   "on a machine that is not known (%s): the results "
			   "were made elsewhere and imported",
			   g->box);
	}
	show_wrap(s, b, 0, buf_str(&text));
	buf_free(&text);
	if (side->have_job && side->job.nparam) {
		buf_puts(b, "with following parameters:\n\n");
		for (size_t i = 0; i < side->job.nparam; i++)
			buf_printf(b, "\t%s: %s\n", side->job.param[i].name,
				   side->job.param[i].value);
	}
	buf_puts(b, "\n");
}

/* "governor performance, turbo 0": what was asked for and held. */
static void put_knobs(const struct result *r, bool held, struct buf *b)
{
	const char *last = "";
	size_t n = 0;

	for (size_t i = 0; i < r->nknob; i++) {
		const struct result_knob *k = &r->knob[i];

		if (k->held != held || !k->asked || !*k->asked)
			continue;
		/* one row a range of CPUs: the same knob is told once */
		if (!strcmp(last, k->name))
			continue;
		last = k->name;
		buf_printf(b, "%s%s %s", n++ ? ", " : "", k->name, k->asked);
		if (!held)
			buf_printf(b, " (got %s%s%s)",
				   k->got && *k->got ? k->got : "nothing",
				   k->sys ? ": " : "",
				   k->sys ? strerrordesc_np(k->sys) : "");
	}
	if (!n)
		buf_puts(b, "none");
}

static void put_proofs(const struct result *r, struct buf *b)
{
	size_t unknown = 0;

	for (size_t i = 0; i < r->nproof; i++)
		unknown += !r->proof[i].known;
	if (!r->nproof)
		buf_puts(b, " The result holds no proof of it.");
	if (unknown < r->nproof)
		buf_puts(b, " Over the measured time of one run:");
	for (size_t i = 0; i < r->nproof; i++) {
		const struct result_proof *p = &r->proof[i];

		if (!p->known)
			continue;
		if (!strcmp(p->before, p->after))
			buf_printf(b, " %s %s unchanged,", p->name, p->before);
		else
			buf_printf(b, " %s %s to %s%s,", p->name, p->before,
				   p->after, p->ok ? "" : " (NOT OK)");
	}
	if (b->len && b->data[b->len - 1] == ',')
		b->data[b->len - 1] = '.';
	if (!unknown)
		return;
	buf_puts(b, " This machine does not tell:");
	for (size_t i = 0; i < r->nproof; i++)
		if (!r->proof[i].known)
			buf_printf(b, " %s%s", r->proof[i].name,
				   --unknown ? "," : ".");
}

void story_stability(const struct show *s, const struct compare_group *g,
		     const struct evidence *ev, struct buf *b)
{
	const struct evidence_side *side = ev->head.have ? &ev->head
							 : &ev->base;
	unsigned int unstable = g->base.unstable + g->head.unstable;
	struct buf text = { 0 };

	if (side->have && !side->r.nproof && !side->r.nknob) {
		show_wrap(s, b, 0,
			  "Was the machine quiet? Not known: the results hold "
			  "no tuning and no proof of it.");
		buf_puts(b, "\n");
		return;
	}
	buf_printf(&text, "Was the machine quiet? %u of %u runs were unstable",
		   unstable, g->base.runs + g->head.runs);
	buf_puts(&text, unstable ? " and are left out." : ".");
	if (side->have) {
		if (side->r.nknob) {
			buf_puts(&text, " Tuned and held: ");
			put_knobs(&side->r, true, &text);
			buf_puts(&text, ". Asked for in vain: ");
			put_knobs(&side->r, false, &text);
			buf_puts(&text, ".");
		} else {
			buf_puts(&text, " Nothing was to be tuned.");
		}
		put_proofs(&side->r, &text);
	}
	show_wrap(s, b, 0, buf_str(&text));
	buf_puts(b, "\n");
	buf_free(&text);
}

/* The compiler as /proc/version tells it: its second pair of brackets. */
static void put_compiler(const struct evidence_side *side, struct buf *b)
{
	const char *from = strchr(buf_str(&side->version), ')');
	int depth = 0;
	size_t n = 0;

	if (side->have_kernel && side->kernel.compiler &&
	    *side->kernel.compiler) {
		buf_printf(b, ", %s", side->kernel.compiler);
		return;
	}
	from = from ? strchr(from, '(') : NULL;
	if (!from)
		return;
	do {
		depth += (from[n] == '(') - (from[n] == ')');
		n++;
	} while (from[n] && depth > 0);
	if (n > 2)
		buf_printf(b, ", %.*s", (int)(n - 2), from + 1);
}

static void one_build(const struct show *s, const char *what, const char *name,
		      const struct evidence_side *side, struct buf *b)
{
	struct buf text = { 0 };

	buf_printf(&text, "%s: build-id %s", what,
		   side->have && side->r.build_id && *side->r.build_id
			   ? side->r.build_id
			   : "not known");
	put_compiler(side, &text);
	if (side->have_kernel && side->kernel.config)
		buf_printf(&text, ", config: kernels/%s/config", name);
	else if (side->config)
		buf_puts(&text, ", config: meta/config.gz in the result");
	else
		buf_puts(&text, ", config not known");
	if (side->file)
		buf_printf(&text, ", result: store/%s", side->file);
	show_wrap(s, b, 0, buf_str(&text));
	buf_free(&text);
}

void story_builds(const struct show *s, const struct compare_group *g,
		  const struct evidence *ev, struct buf *b)
{
	buf_puts(b, "Builds (paths are below the controller's home):\n\n");
	one_build(s, "base", g->base.kernel, &ev->base, b);
	one_build(s, "head", g->head.kernel, &ev->head, b);
	buf_puts(b, "\n");
}

/* By whoever has the rig, and by whoever has the box alone. */
static void put_again(const struct show *s, const struct compare_group *g,
		      struct buf *b)
{
	struct buf text = { 0 };

	if (g->design != COMPARE_BLOCKS || !*g->job || strchr(g->box, ','))
		return;
	buf_printf(&text,
		   "The experiment again, with this rig: ironrig ab %s %s "
		   "--box %s --job %s --blocks %zu --wait",
		   g->base.kernel, g->head.kernel, g->box, g->job, g->n_base);
	show_wrap(s, b, 0, buf_str(&text));
	buf_puts(b, "\n");
	buf_free(&text);
}

void story_reproduce(const struct show *s, const struct compare_group *g,
		     const struct evidence *ev, struct buf *b)
{
	const struct evidence_side *side = ev->head.reproduce.len ? &ev->head
								  : &ev->base;
	const char *text = buf_str(&side->reproduce);

	if (!side->reproduce.len) {
		show_wrap(s, b, 0,
			  side->have ? "There are no steps to reproduce in the "
				       "results."
				     : "The steps to reproduce are in "
				       "reproduce.sh of each result, which is "
				       "not in this store.");
	} else if (side->reproduce.len > REPRODUCE_MAX ||
		   strlen(text) != side->reproduce.len) {
		show_wrap(s, b, 0,
			  "The steps to reproduce are in reproduce.sh of the "
			  "result named above; they are too long to show.");
	} else {
		buf_puts(b, "To reproduce (reproduce.sh of the result; with "
			    "each kernel in turn):\n\n");
		for (const char *end; *text; text = end) {
			end = text + strcspn(text, "\n");
			buf_printf(b, "\t%.*s\n", (int)(end - text), text);
			end += *end == '\n';
		}
	}
	buf_puts(b, "\n");
	put_again(s, g, b);
}
