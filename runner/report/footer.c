// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The line under each group: how the numbers came about, and what stands
 * between them and the truth.
 */
#include "words.h"

#include <math.h>

/* Boots kept and iterations, over the primaries (all stats without any). */
static void put_counts(const struct compare_group *g, struct buf *b)
{
	bool primaries = g->nstat && g->stat[0].primary; /* they come first */
	size_t base = 0, head = 0, least = 0, most = 0;

	for (size_t i = 0; i < g->nstat; i++) {
		const struct compare_stat *st = &g->stat[i];

		if (st->primary != primaries)
			continue;
		if (st->estimate.n_base > base)
			base = st->estimate.n_base;
		if (st->estimate.n_head > head)
			head = st->estimate.n_head;
		if (st->iterations_min &&
		    (!least || st->iterations_min < least))
			least = st->iterations_min;
		if (st->iterations_max > most)
			most = st->iterations_max;
	}
	if (compare_is_paired(g))
		buf_printf(b, "%zu blocks of one boot a side", base);
	else if (base == head)
		buf_printf(b, "%zu boot%s a side", base, base == 1 ? "" : "s");
	else
		buf_printf(b, "%zu and %zu boots", base, head);
	buf_puts(b, ", ");
	if (least != most)
		buf_printf(b, "%zu to ", least);
	buf_printf(b, "%zu iteration%s each", most, most == 1 ? "" : "s");
}

static void put_design(const struct compare *c, const struct compare_group *g,
		       struct buf *b)
{
	static const char *const text[] = {
		[COMPARE_BLOCKS] = "paired, interleaved: drift controlled",
		[COMPARE_PAIRS] =
			"paired by --paired; order within a pair not known",
		[COMPARE_UNBLOCKED] =
			"not paired, drift not controlled: no more than "
			"DIFFERS can be said (--independent vouches for "
			"interleaved or independent boots)",
		[COMPARE_INDEPENDENT] =
			"not paired; taken as independent by --independent",
		[COMPARE_VALUES] =
			"not paired; value files count as vouched for: boots "
			"interleaved or independent",
	};

	buf_printf(b, "; %s", text[g->design]);
	if (g->sequential && g->looks)
		buf_printf(b,
			   "; stopped by looks (%u taken), intervals hold "
			   "at any look",
			   g->looks);
	else if (g->sequential)
		buf_puts(b, "; stopped by looks, intervals hold at any look");
	if (c->rule.aa)
		buf_puts(b, "; A/A: both sides are one kernel");
}

static void put_position(const struct show *s, const struct compare_stat *st,
			 struct buf *b)
{
	const struct estimate *e = &st->estimate;
	struct interval ci = estimate_percents(e, st->position);

	if (!st->primary || isnan(ci.lo))
		return;
	buf_printf(b, "; %s: second boot of a block ", st->name);
	show_change(s, b, estimate_percent(e, e->position),
		    show_places((ci.hi - ci.lo) / 2),
		    st->linear ? st->unit : "%");
	buf_puts(b, " ");
	show_interval(s, b, ci, show_places((ci.hi - ci.lo) / 2), NULL);
	if (e->method == ESTIMATE_ORDERED)
		buf_puts(b, ", taken out of the estimate");
}

static void put_left_out(const struct compare_group *g, struct buf *b)
{
	size_t dropped = 0;
	unsigned int unstable = g->base.unstable + g->head.unstable;

	for (size_t i = 0; i < g->nstat; i++)
		if (g->stat[i].primary && g->stat[i].dropped > dropped)
			dropped = g->stat[i].dropped;
	if (dropped)
		buf_printf(b,
			   "; %zu %s%s left out (failed, unstable or "
			   "incomplete)",
			   dropped, compare_is_paired(g) ? "block" : "boot",
			   dropped == 1 ? "" : "s");
	if (unstable)
		buf_printf(b, "; unstable runs: %u base, %u head",
			   g->base.unstable, g->head.unstable);
}

static void put_version(const struct compare_group *g, struct buf *b)
{
	if (!g->edited)
		return;
	buf_printf(b,
		   "; job %s was edited between runs: only those of version "
		   "%.12s are compared",
		   g->job, *g->job_id ? g->job_id : "(not told)");
}

static void put_observer(const struct compare_group *g, struct buf *b)
{
	double most = fmax(g->base.observer_us, g->head.observer_us);

	if (!isnan(most))
		buf_printf(b,
			   "; observer's cost %.0f us of CPU a second "
			   "(%.2g %% of one CPU)",
			   most, most / 1e4);
}

/* Where the noise comes from: boots of one kernel, iterations of one boot. */
static void put_noise(const struct compare_stat *st, struct buf *b)
{
	const struct variance *v = &st->variance;
	double boot = sqrt(v->boot), iteration = sqrt(v->iteration);
	double unit = st->linear ? 1 : 100;
	const char *name = !st->linear			   ? "%"
			   : sample_percent_unit(st->unit) ? "pp"
							   : st->unit;

	if (!st->primary || !(v->iteration >= 0) || !(v->boot >= 0))
		return;
	boot *= unit;
	iteration *= unit;
	buf_printf(b, "; %s: the iterations of a boot vary by %.*f%s%s",
		   st->name, iteration > 0 ? show_places(iteration) : 0,
		   iteration, *name ? " " : "", name);
	if (boot > 0)
		buf_printf(b, ", boots by %.*f%s%s besides", show_places(boot),
			   boot, *name ? " " : "", name);
	else
		buf_puts(b, ", boots by no more");
}

/* One floor a stat: their builds differ in it by more or less. */
static void put_floor(const struct show *s, const struct compare_stat *st,
		      struct buf *b)
{
	const struct power_floor *f = &st->layout;
	double change, half;
	struct interval over;

	if (!st->primary || isnan(f->floor))
		return;
	half = estimate_percent(&st->estimate, f->floor);
	over.lo = estimate_percent(&st->estimate, st->estimate.diff - f->floor);
	over.hi = estimate_percent(&st->estimate, st->estimate.diff + f->floor);
	change = (over.hi - over.lo) / 2;
	buf_printf(b,
		   "; %s: layout floor %.2g%s, so over other layouts of "
		   "the same code 95 %% ",
		   st->name, half, st->linear ? "" : " %");
	show_interval(s, b, over, show_places(change),
		      st->linear ? st->unit : "%");
}

static void put_layout(const struct show *s, const struct compare *c,
		       const struct compare_group *g, struct buf *b)
{
	size_t builds[2] = { 1, 1 };

	for (size_t i = 0; i < g->nstat; i++)
		for (int k = 0; k < 2 && g->stat[i].primary; k++)
			if (g->stat[i].layout.builds[k] > builds[k])
				builds[k] = g->stat[i].layout.builds[k];
	if (builds[0] > 1 || builds[1] > 1)
		buf_printf(b, "; builds: %zu of base, %zu of head", builds[0],
			   builds[1]);
	if (!isnan(c->rule.floor))
		buf_printf(b, "; layout floor %.2g %%", 100 * c->rule.floor);
	else if (builds[0] >= POWER_BUILDS_MIN || builds[1] >= POWER_BUILDS_MIN)
		for (size_t i = 0; i < g->nstat; i++)
			put_floor(s, &g->stat[i], b);
	else if (builds[0] > 1 || builds[1] > 1)
		buf_puts(b, ", too few for a layout floor");
	else if (compare_same_image(g))
		buf_puts(b, "; one image on both sides: the same layout");
	else
		buf_puts(b, "; one build: layout not ruled out");
}

void words_footer(const struct show *s, const struct compare *c,
		  const struct compare_group *g, struct buf *b)
{
	put_counts(g, b);
	put_design(c, g, b);
	for (size_t i = 0; i < g->nstat; i++)
		put_position(s, &g->stat[i], b);
	for (size_t i = 0; i < g->nstat; i++)
		put_noise(&g->stat[i], b);
	put_left_out(g, b);
	put_version(g, b);
	put_layout(s, c, g, b);
	put_observer(g, b);
}
