// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Two figures: boot means, and the interval of the change. Numbers are those
 * of the comparison, drawn; nothing is computed here but places.
 */
#include "svg.h"
#include "htmlout.h"
#include "words.h"

#include <math.h>
#include <stdio.h>

#define WIDTH  680
#define LEFT   92 /* of the plot: room for 10 digits */
#define RIGHT  664
#define TOP    10
#define BOTTOM 190 /* of the plot of boots */
#define DOTS   400 /* boots of a side that are drawn */

/* From values to places; hi may be above or below lo on the page. */
struct axis {
	double lo, hi; /* values */
	double at_lo, at_hi; /* places */
	double step;
};

static double place(const struct axis *a, double v)
{
	return a->at_lo + (v - a->lo) / (a->hi - a->lo) * (a->at_hi - a->at_lo);
}

/* 1, 2 or 5 times a power of ten, about n of them in the span. */
static double nice_step(double span, int n)
{
	double raw = span / n, unit = pow(10, floor(log10(raw)));
	double f = raw / unit;

	return unit * (f <= 1 ? 1 : f <= 2 ? 2 : f <= 5 ? 5 : 10);
}

static struct axis axis_of(double lo, double hi, double at_lo, double at_hi,
			   int ticks)
{
	double pad = (hi - lo) * .08;

	/* no spread: a line in the middle, at whatever scale it is */
	if (!(pad > 0) || pad < fabs(hi) * 1e-12)
		pad = hi != 0 ? fabs(hi) * .01 : 1;
	return (struct axis){ lo - pad, hi + pad, at_lo, at_hi,
			      nice_step(hi - lo + 2 * pad, ticks) };
}

static void widen(double v, double *lo, double *hi)
{
	if (!isfinite(v))
		return;
	*lo = v < *lo ? v : *lo;
	*hi = v > *hi ? v : *hi;
}

static void tick_label(double v, double step, struct buf *b)
{
	int places = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;

	if (fabs(v) >= 1e10 || places > 9)
		buf_printf(b, "%.5g", v);
	else
		buf_printf(b, "%.*f", places, fabs(v) < step / 2 ? 0 : v);
}

static void open_figure(const char *what, const char *name, int height,
			struct buf *b)
{
	buf_printf(b,
		   "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s: ",
		   WIDTH, height, what);
	htmlout_text(b, name);
	buf_puts(b, "\">\n");
}

/* ---- boots ------------------------------------------------------------------
 */

static void y_ticks(const struct axis *y, struct buf *b)
{
	double first = ceil(y->lo / y->step) * y->step;

	for (int i = 0; i < 20 && first + i * y->step <= y->hi; i++) {
		double v = first + i * y->step, at = place(y, v);

		buf_printf(b,
			   "<line class=\"axis\" x1=\"%d\" x2=\"%d\" "
			   "y1=\"%.1f\" y2=\"%.1f\"/>"
			   "<text text-anchor=\"end\" x=\"%d\" y=\"%.1f\">",
			   LEFT, RIGHT, at, at, LEFT - 6, at + 4);
		tick_label(v, y->step, b);
		buf_puts(b, "</text>\n");
	}
}

static void mean_line(const struct axis *y, double mean, const char *side,
		      struct buf *b)
{
	double at = place(y, mean);

	buf_printf(b,
		   "<line class=\"mean %s\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
		   "y2=\"%.1f\"/>\n",
		   side, LEFT, RIGHT, at, at);
}

/* Circles for base, squares for head; the number under the pointer. */
static void dot(double x, double y, bool head, const char *what, size_t number,
		double value, struct buf *b)
{
	if (head)
		buf_printf(b,
			   "<rect class=\"head\" x=\"%.1f\" y=\"%.1f\" "
			   "width=\"8\" height=\"8\">",
			   x - 4, y - 4);
	else
		buf_printf(b,
			   "<circle class=\"base\" cx=\"%.1f\" cy=\"%.1f\" "
			   "r=\"4\">",
			   x, y);
	buf_printf(b, "<title>%s %zu: %.7g</title></%s>\n", what, number, value,
		   head ? "rect" : "circle");
}

struct boots {
	const struct compare_stat *st;
	struct axis y;
	bool paired;
	size_t n; /* columns */
};

static double column(const struct boots *p, size_t i)
{
	return LEFT + ((double)i + .5) / (double)p->n * (RIGHT - LEFT);
}

static void side_dots(const struct boots *p, bool head, struct buf *b)
{
	const struct sample_kept *k = &p->st->kept;
	size_t n = head ? k->n_head : k->n_base, stride = 1 + (n - 1) / DOTS;

	for (size_t i = 0; i < n; i += stride) {
		double v = estimate_shown(&p->st->estimate,
					  head ? k->head[i] : k->base[i]);
		size_t at = p->paired || !head ? i : k->n_base + i;

		dot(column(p, at), place(&p->y, v), head,
		    p->paired ? "block" : "boot", i + 1, v, b);
	}
}

static void pair_lines(const struct boots *p, struct buf *b)
{
	const struct sample_kept *k = &p->st->kept;
	size_t stride = 1 + (k->n_base - 1) / DOTS;

	for (size_t i = 0; i < k->n_base; i += stride) {
		double x = column(p, i);
		const struct estimate *e = &p->st->estimate;

		buf_printf(b,
			   "<line class=\"pair\" x1=\"%.1f\" x2=\"%.1f\" "
			   "y1=\"%.1f\" y2=\"%.1f\"/>\n",
			   x, x, place(&p->y, estimate_shown(e, k->base[i])),
			   place(&p->y, estimate_shown(e, k->head[i])));
	}
}

static void x_labels(const struct boots *p, struct buf *b)
{
	size_t every = 1 + (p->n - 1) / 20;

	for (size_t i = 0; p->paired && i < p->n; i += every)
		buf_printf(b,
			   "<text text-anchor=\"middle\" x=\"%.1f\" "
			   "y=\"%d\">%zu</text>\n",
			   column(p, i), BOTTOM + 16, i + 1);
	buf_printf(b,
		   "<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">%s"
		   "</text>\n",
		   (LEFT + RIGHT) / 2, BOTTOM + 32,
		   p->paired ? "block" : "boots, in the order of their time");
}

void svg_boots(const struct show *s, const struct compare_group *g,
	       const struct compare_stat *st, struct buf *b)
{
	const struct sample_kept *k = &st->kept;
	struct boots p = { .st = st, .paired = compare_is_paired(g) };
	double lo = INFINITY, hi = -INFINITY;

	(void)s;
	for (size_t i = 0; i < k->n_base; i++)
		widen(estimate_shown(&st->estimate, k->base[i]), &lo, &hi);
	for (size_t i = 0; i < k->n_head; i++)
		widen(estimate_shown(&st->estimate, k->head[i]), &lo, &hi);
	if (!k->n_base || !k->n_head || !(hi >= lo))
		return;
	p.n = p.paired ? k->n_base : k->n_base + k->n_head;
	p.y = axis_of(lo, hi, BOTTOM, TOP, 5);
	open_figure("Mean of each boot", st->name, BOTTOM + 40, b);
	y_ticks(&p.y, b);
	mean_line(&p.y, estimate_shown(&st->estimate, st->estimate.base),
		  "base", b);
	mean_line(&p.y, estimate_shown(&st->estimate, st->estimate.head),
		  "head", b);
	if (p.paired)
		pair_lines(&p, b);
	side_dots(&p, false, b);
	side_dots(&p, true, b);
	x_labels(&p, b);
	buf_puts(b, "</svg>\n");
}

/* ---- interval ---------------------------------------------------------------
 */

#define CI_AT	24 /* where the interval lies */
#define CI_LINE 48 /* its axis */

static void x_ticks(const struct show *s, const struct axis *x,
		    const char *unit, struct buf *b)
{
	double first = ceil(x->lo / x->step) * x->step;

	for (int i = 0; i < 20 && first + i * x->step <= x->hi; i++) {
		double v = first + i * x->step, at = place(x, v);
		int places = x->step < 1 ? (int)ceil(-log10(x->step) - 1e-9)
					 : 0;

		buf_printf(b,
			   "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" "
			   "y1=\"%d\" y2=\"%d\"/><text text-anchor=\"middle\" "
			   "x=\"%.1f\" y=\"%d\">",
			   at, at, CI_LINE - 42, CI_LINE, at, CI_LINE + 16);
		show_change(s, b, fabs(v) < x->step / 2 ? 0 : v,
			    places < 9 ? places : 9, NULL);
		htmlout_text(b, unit);
		buf_puts(b, "</text>\n");
	}
}

static void band(const struct axis *x, double delta, struct buf *b)
{
	double from = place(x, -delta), to = place(x, delta);

	buf_printf(b,
		   "<rect class=\"band\" x=\"%.1f\" y=\"6\" width=\"%.1f\" "
		   "height=\"%d\"/>\n",
		   from, to - from, CI_LINE - 6);
}

void svg_interval(const struct show *s, const struct compare_stat *st,
		  struct buf *b)
{
	struct interval ci = estimate_percents(&st->estimate, st->verdict.ci);
	double change = estimate_percent(&st->estimate, st->estimate.diff);
	double delta = st->verdict.delta * (st->linear ? 1 : 100);
	double lo = 0, hi = 0;
	struct axis x;

	if (!isfinite(change))
		return;
	widen(change, &lo, &hi);
	widen(ci.lo, &lo, &hi);
	widen(ci.hi, &lo, &hi);
	widen(delta, &lo, &hi);
	widen(-delta, &lo, &hi);
	x = axis_of(lo, hi, LEFT - 60, RIGHT - 16, 7);
	open_figure("Change with its 95 % interval", st->name, CI_LINE + 24, b);
	if (delta > 0)
		band(&x, delta, b);
	x_ticks(s, &x, st->linear ? "" : "%", b);
	buf_printf(b,
		   "<line class=\"zero\" x1=\"%.1f\" x2=\"%.1f\" y1=\"6\" "
		   "y2=\"%d\"/>\n",
		   place(&x, 0), place(&x, 0), CI_LINE);
	if (isfinite(ci.lo) && isfinite(ci.hi))
		buf_printf(b,
			   "<line class=\"ci\" x1=\"%.1f\" x2=\"%.1f\" "
			   "y1=\"%d\" y2=\"%d\"/>\n",
			   place(&x, ci.lo), place(&x, ci.hi), CI_AT, CI_AT);
	buf_printf(b, "<circle class=\"ci\" cx=\"%.1f\" cy=\"%d\" r=\"5\"/>\n",
		   place(&x, change), CI_AT);
	buf_puts(b, "</svg>\n");
}
