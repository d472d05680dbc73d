// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Tells what the tuning did: one row for all CPUs with the same story, because
 * a box may have 288 of them.
 */
#include "cpulist.h"
#include "tunerow.h"
#include "tunetext.h"

#include <stdlib.h>
#include <string.h>

static bool same_story(const struct cell *a, const struct cell *b)
{
	return a->offline == b->offline && a->held == b->held &&
	       a->sys == b->sys && !strcmp(a->before, b->before) &&
	       !strcmp(a->got, b->got);
}

/* The first cell of its story: the one that the row is made for. */
static bool leads(const struct applied *a, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (same_story(&a->cell[i], &a->cell[j]))
			return false;
	return true;
}

static void members(const struct applied *a, size_t lead, struct buf *out)
{
	struct cpulist ids = { 0 };

	if (a->knob->where == ON_MACHINE)
		return;
	for (size_t i = lead; i < a->n; i++)
		if (same_story(&a->cell[lead], &a->cell[i]))
			cpulist_set(&ids, a->cell[i].id, true);
	if (a->knob->where == ON_IRQ)
		buf_puts(out, "irq ");
	cpulist_format(&ids, out);
}

static int row(const struct applied *a, const struct cell *c, const char *cpus,
	       struct result *r, struct err *e)
{
	struct result_knob *k = reallocarray(r->knob, r->nknob + 1, sizeof(*k));

	if (!k)
		return err_set(e, ERR_LIMIT, "out of memory");
	r->knob = k;
	k = &r->knob[r->nknob++];
	*k = (struct result_knob){
		.name = strdup(a->knob->name),
		.cpus = strdup(cpus),
		.asked = strdup(a->asked),
		.before = strdup(c ? c->before : ""),
		.got = strdup(c ? c->got : ""),
		.sys = c ? c->sys : 0,
		.required = a->required && !(c && c->offline),
		.held = c && c->held,
	};
	if (!k->name || !k->cpus || !k->asked || !k->before || !k->got)
		return err_set(e, ERR_LIMIT, "out of memory");
	return 0;
}

int tunetext_rows(const struct tune *t, struct result *r, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->n; i++) {
		const struct applied *a = &t->v[i];

		if (!a->n)
			rc = row(a, NULL, "", r, e);
		for (size_t j = 0; !rc && j < a->n; j++) {
			struct buf cpus = { 0 };

			if (!leads(a, j))
				continue;
			members(a, j, &cpus);
			rc = row(a, &a->cell[j], buf_str(&cpus), r, e);
			buf_free(&cpus);
		}
	}
	return rc;
}

static void line(const struct applied *a, size_t i, struct buf *out)
{
	const struct cell *c = &a->cell[i];
	struct buf cpus = { 0 };

	members(a, i, &cpus);
	buf_printf(out, "%s%s%s%s: asked %s, found %s, got %s%s", a->knob->name,
		   cpus.len ? " [" : "", buf_str(&cpus), cpus.len ? "]" : "",
		   a->asked, *c->before ? c->before : "nothing",
		   *c->got ? c->got : "nothing",
		   c->offline ? ""
		   : c->held  ? ", holds"
			      : ", DOES NOT HOLD");
	if (c->sys)
		buf_printf(out, " (errno %d: %s)", c->sys,
			   strerrordesc_np(c->sys));
	buf_puts(out, "\n");
	buf_free(&cpus);
}

void tunetext_write(const struct tune *t, struct buf *out)
{
	if (!t->n)
		buf_puts(out, "nothing is asked for\n");
	for (size_t i = 0; i < t->n; i++) {
		const struct applied *a = &t->v[i];

		for (size_t j = 0; j < a->n; j++)
			if (leads(a, j))
				line(a, j, out);
		if (*a->note)
			buf_printf(out, "%s: %s%s\n", a->knob->name, a->note,
				   a->required ? " (required)" : "");
	}
}
