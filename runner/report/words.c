// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A stat's change, verdict and reason in words. Arithmetic is done before,
 * tables are laid out elsewhere.
 */
#include "words.h"

#include <math.h>

/* The unit that changes of this stat are in; of percentages it is points. */
static const char *unit_of(const struct compare_stat *st)
{
	if (!st->linear)
		return "%";
	return sample_percent_unit(st->unit) ? "pp" : st->unit;
}

static double percent_of(const struct compare_stat *st, double diff)
{
	return estimate_percent(&st->estimate, diff);
}

static int places_of(const struct compare_stat *st)
{
	struct interval ci = estimate_percents(&st->estimate, st->verdict.ci);

	if (isfinite(ci.lo) && isfinite(ci.hi))
		return show_places((ci.hi - ci.lo) / 2);
	if (st->estimate.exact && st->estimate.diff == 0)
		return 0;
	return show_places(fabs(percent_of(st, st->estimate.diff)) / 10);
}

static size_t least_boots(const struct compare_stat *st)
{
	return st->estimate.n_base < st->estimate.n_head ? st->estimate.n_base
							 : st->estimate.n_head;
}

void words_change(const struct show *s, const struct compare_stat *st,
		  struct buf *b)
{
	show_change(s, b, percent_of(st, st->estimate.diff), places_of(st),
		    NULL);
	if (isnan(st->estimate.diff))
		return;
	if (!st->linear)
		buf_puts(b, "%");
	else if (sample_percent_unit(st->unit))
		buf_puts(b, " pp");
}

/* A percentage of a percentage says little; of less than nothing, nonsense. */
static bool has_ratio(const struct compare_stat *st)
{
	return st->linear && !sample_percent_unit(st->unit) &&
	       st->estimate.base > 0;
}

static int ratio_places(const struct compare_stat *st)
{
	return show_places((st->fieller.ci.hi - st->fieller.ci.lo) / 2);
}

void words_short_change(const struct show *s, const struct compare_stat *st,
			struct buf *b)
{
	if (!has_ratio(st) || !st->fieller.clear) {
		words_change(s, st, b);
		return;
	}
	show_change(s, b, st->fieller.percent, ratio_places(st), NULL);
	buf_puts(b, "%");
}

/* What a linear change is of the base's mean: Fieller's interval. */
static void put_ratio(const struct show *s, const struct compare_stat *st,
		      struct buf *b)
{
	if (!has_ratio(st) || isnan(st->estimate.diff))
		return;
	if (!st->fieller.clear) {
		buf_puts(b, "; no percentage: the base is not clear of zero");
		return;
	}
	buf_puts(b, "; of the base's mean ");
	show_change(s, b, st->fieller.percent, ratio_places(st), NULL);
	buf_puts(b, "% ");
	show_interval(s, b, st->fieller.ci, ratio_places(st), "%");
}

void words_interval(const struct show *s, const struct compare_stat *st,
		    struct buf *b)
{
	struct interval ci = estimate_percents(&st->estimate, st->verdict.ci);

	if (isnan(ci.lo))
		buf_puts(b, "-");
	else
		show_interval(s, b, ci, places_of(st), unit_of(st));
}

void words_lead(const struct show *s, const struct compare_stat *st,
		struct buf *b)
{
	struct interval ci = estimate_percents(&st->estimate, st->verdict.ci);

	if (st->estimate.exact) {
		buf_puts(b, st->estimate.diff == 0
				    ? "the same value in every boot"
				    : "no spread between boots: the change is "
				      "exact");
		put_ratio(s, st, b);
		return;
	}
	if (isnan(ci.lo) || isinf(ci.lo)) {
		buf_puts(b, "nothing can be ruled out yet");
		return;
	}
	buf_puts(b, "changes beyond ");
	show_change(s, b, ci.lo, places_of(st), NULL);
	buf_printf(b, " %s ", show_sign(s, SHOW_DOTS));
	show_change(s, b, ci.hi, places_of(st), unit_of(st));
	buf_puts(b, " ruled out (95 %)");
	put_ratio(s, st, b);
}

void words_verdict(const struct show *s, enum verdict_kind kind, struct buf *b)
{
	if (kind == VERDICT_NEAR)
		buf_printf(b, "NEAR %s", s->ascii ? "DELTA" : "\u03b4");
	else
		buf_puts(b, verdict_name(kind));
	if (kind == VERDICT_DIFFERS)
		buf_puts(b, ", drift not separable");
}

static void put_mde(const struct compare_stat *st, struct buf *b)
{
	double mde = st->verdict.mde;

	buf_printf(b, mde < 1e7 ? "%.*f" : "%.*e", show_places(mde / 4), mde);
	if (*unit_of(st))
		buf_printf(b, " %s", unit_of(st));
}

static bool is_rough(const struct compare_stat *st)
{
	return !st->verdict.pooled && least_boots(st) < COMPARE_ROUGH;
}

void words_mde(const struct show *s, const struct compare_stat *st,
	       struct buf *b)
{
	(void)s;
	if (isnan(st->verdict.mde)) {
		buf_puts(b, "-");
		return;
	}
	put_mde(st, b);
	if (is_rough(st))
		buf_puts(b, " (rough)");
}

void words_seen(const struct compare_stat *st, struct buf *b)
{
	if (isnan(st->verdict.mde))
		return;
	buf_puts(b, "A change of ");
	put_mde(st, b);
	buf_puts(b, " would have been found with a chance of 80 %");
	if (st->verdict.pooled)
		buf_printf(b, " (spread pooled with %u earlier experiment%s)",
			   st->verdict.pooled,
			   st->verdict.pooled == 1 ? "" : "s");
	else if (is_rough(st))
		buf_printf(b, " (rough: %zu boots tell little of the spread)",
			   least_boots(st));
	buf_puts(b, ".");
}

const char *words_method(const struct compare_group *g,
			 const struct compare_stat *st)
{
	if (g->sequential)
		return "sequential t";
	switch (st->estimate.method) {
	case ESTIMATE_PAIRED:
		return "paired t";
	case ESTIMATE_ORDERED:
		return "paired t, adjusted for boot order";
	case ESTIMATE_WELCH:
		break;
	}
	return "Welch t";
}

/* As a delta is given: a fraction, or units. */
static double shown_floor(const struct compare_stat *st)
{
	return st->linear ? st->layout.floor : expm1(st->layout.floor);
}

static void put_delta(const struct show *s, const struct compare_stat *st,
		      struct buf *b)
{
	double delta = st->verdict.delta;

	buf_printf(b, "%s = %.4g", show_sign(s, SHOW_DELTA),
		   st->linear ? delta : 100 * delta);
	if (*unit_of(st))
		buf_printf(b, " %s", unit_of(st));
	if (st->layout.floor > 0 && delta >= shown_floor(st))
		buf_puts(b, " (the layout floor)");
}

/* "slower", or "lower" where neither direction is the better one */
static const char *way(const struct compare_stat *st)
{
	bool up = st->estimate.diff > 0;

	if (st->better == VERDICT_NEITHER)
		return up ? "higher" : "lower";
	return up == (st->better == VERDICT_HIGHER) ? "better" : "worse";
}

static void put_p(const struct compare *c, const struct compare_stat *st,
		  struct buf *b)
{
	if (isnan(st->verdict.p_adjusted)) {
		buf_puts(b, "the anytime-valid interval excludes 0");
		return;
	}
	buf_puts(b, c->primaries > 1 ? "Holm-adjusted p " : "p ");
	show_p(b, st->verdict.p_adjusted);
	buf_printf(b, " < %g", c->rule.alpha);
}

static void put_plain_p(const struct compare_stat *st, struct buf *b)
{
	if (isnan(st->verdict.p_adjusted))
		return;
	buf_puts(b, " (p ");
	show_p(b, st->verdict.p_adjusted);
	buf_puts(b, ")");
}

static void put_needed(const struct show *s, const struct compare_group *g,
		       const struct compare_stat *st, struct buf *b)
{
	const struct power_blocks *n = &st->verdict.blocks;
	const char *what = compare_is_paired(g) ? "blocks" : "boots a side";

	if (!n->known)
		return;
	if (!n->lo) {
		buf_printf(b,
			   "; more than %d %s would be needed: raise %s or "
			   "lower the noise",
			   POWER_BLOCKS_MAX, what, show_sign(s, SHOW_DELTA));
		return;
	}
	buf_printf(b, "; to settle it takes about %u", n->lo);
	if (!n->hi)
		buf_printf(b, " to more than %d", POWER_BLOCKS_MAX);
	else if (n->hi != n->lo)
		buf_printf(b, " to %u", n->hi);
	buf_printf(b, " %s in all", what);
	if (!n->hi)
		buf_printf(b, " (else raise %s or lower the noise)",
			   show_sign(s, SHOW_DELTA));
}

static void put_equivalent(const struct show *s, const struct compare_stat *st,
			   struct buf *b)
{
	double hidden;

	if (st->estimate.exact)
		buf_puts(b, "no boot differs by more than ");
	else
		buf_printf(b, "the %s lies inside %s",
			   isnan(st->verdict.p) ? "anytime 90 % interval"
						: "90 % interval",
			   show_sign(s, SHOW_PM));
	put_delta(s, st, b);
	if (st->verdict.below_delta)
		buf_printf(b, "; real, but below %s", show_sign(s, SHOW_DELTA));
	hidden = 100 * power_hidden_mode(least_boots(st));
	buf_printf(b,
		   "; a slow mode in fewer than %.*f %% of boots is not "
		   "excluded",
		   hidden < 1 ? show_places(hidden) : 0, hidden);
}

static void put_note(const struct compare_stat *st, struct buf *b)
{
	if (st->verdict.note == VERDICT_AGREE)
		return;
	buf_printf(b, "; %s (exact p ",
		   st->verdict.note == VERDICT_ODD_BOOTS
			   ? "differences agree in sign, odd boots stretch the "
			     "spread"
			   : "rests on few boots");
	show_p(b, st->exact.p);
	buf_puts(b, ")");
}

static void put_change(const struct show *s, const struct compare *c,
		       const struct compare_stat *st, struct buf *b)
{
	put_p(c, st, b);
	if (!isnan(st->verdict.delta)) {
		buf_puts(b, ", and not smaller than ");
		put_delta(s, st, b);
	}
}

void words_reason(const struct show *s, const struct compare *c,
		  const struct compare_group *g, const struct compare_stat *st,
		  struct buf *b)
{
	switch (st->verdict.kind) {
	case VERDICT_NONE:
		buf_printf(b,
			   "%zu and %zu boots kept; a verdict takes 3 a side",
			   st->estimate.n_base, st->estimate.n_head);
		break;
	case VERDICT_REGRESSION:
	case VERDICT_IMPROVEMENT:
	case VERDICT_CHANGED:
		put_change(s, c, st, b);
		break;
	case VERDICT_EQUIVALENT:
		put_equivalent(s, st, b);
		break;
	case VERDICT_NEAR:
		put_p(c, st, b);
		buf_printf(b, ": %s, size not settled against ", way(st));
		put_delta(s, st, b);
		buf_puts(b, "; more blocks will not help");
		break;
	case VERDICT_DIFFERS:
		put_p(c, st, b);
		buf_printf(b,
			   ": %s, but the boots were not interleaved, so "
			   "drift between the sessions is not separable",
			   way(st));
		break;
	case VERDICT_INCONCLUSIVE:
		buf_puts(b, "no change shown");
		put_plain_p(st, b);
		if (isnan(st->verdict.delta))
			buf_printf(b,
				   "; no %s for this stat, so none is "
				   "excluded either",
				   show_sign(s, SHOW_DELTA));
		put_needed(s, g, st, b);
		break;
	}
	put_note(st, b);
}
