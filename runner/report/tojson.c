// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A comparison as JSON: the object that tojson.h documents.
 */
#include "tojson.h"
#include "json.h"
#include "words.h"

#include <math.h>

/* Words in JSON are ASCII: they are for programs. */
static const struct show PLAIN = {
	.ascii = true, .colour = false, .width = 80, .prose = 80
};

static void pair(struct json *j, const char *key, double lo, double hi)
{
	if (isnan(lo) && isnan(hi)) {
		json_null(j, key);
		return;
	}
	json_open(j, key, '[');
	json_number(j, NULL, lo);
	json_number(j, NULL, hi);
	json_close(j, ']');
}

static void better(struct json *j, enum verdict_better b)
{
	if (b == VERDICT_NEITHER)
		json_null(j, "better");
	else
		json_string(j, "better",
			    b == VERDICT_HIGHER ? "higher" : "lower");
}

static void identity(struct json *j, const struct compare_group *g,
		     const struct compare_stat *st)
{
	json_string(j, "group", g->name);
	json_string(j, "base", g->base.kernel);
	json_string(j, "head", g->head.kernel);
	json_string(j, "box", g->box);
	json_string(j, "stat", st->name);
	json_string(j, "unit", st->unit);
	better(j, st->better);
	json_bool(j, "primary", st->primary);
	json_string(j, "scale", st->linear ? "linear" : "ratio");
	json_string(j, "method", words_method(g, st));
}

static void sample(struct json *j, const struct compare_stat *st)
{
	const struct estimate *e = &st->estimate;

	json_integer(j, "n_base", (long long)e->n_base);
	json_integer(j, "n_head", (long long)e->n_head);
	json_integer(j, "dropped", (long long)st->dropped);
	pair(j, "iterations", (double)st->iterations_min,
	     (double)st->iterations_max);
	json_number(j, "base_mean", estimate_shown(e, e->base));
	json_number(j, "head_mean", estimate_shown(e, e->head));
	json_number(j, "base_sd", estimate_shown_sd(e, e->base, e->base_sd));
	json_number(j, "head_sd", estimate_shown_sd(e, e->head, e->head_sd));
}

static void needed(struct json *j, const struct compare_stat *st)
{
	const struct power_blocks *b = &st->verdict.blocks;

	if (!b->known)
		json_null(j, "blocks_needed");
	else
		pair(j, "blocks_needed", b->lo ? (double)b->lo : INFINITY,
		     b->hi ? (double)b->hi : INFINITY);
}

static void numbers(struct json *j, const struct compare_stat *st)
{
	const struct estimate *e = &st->estimate;
	const struct verdict *v = &st->verdict;
	struct interval ci = estimate_percents(e, v->ci);

	json_number(j, "change", estimate_percent(e, e->diff));
	json_string(j, "change_unit", st->linear ? st->unit : "%");
	pair(j, "ci95", ci.lo, ci.hi);
	json_number(j, "t", e->t);
	json_number(j, "df", e->df);
	json_number(j, "p", v->p);
	json_number(j, "p_adjusted", v->p_adjusted);
	json_number(j, "p_exact", st->exact.p);
	json_number(j, "e_value", v->e);
	json_number(j, "mde", v->mde);
	needed(j, st);
	json_number(j, "percent", st->fieller.percent);
	pair(j, "percent_ci95", st->fieller.ci.lo, st->fieller.ci.hi);
	ci = estimate_percents(e, st->position);
	json_number(j, "position", estimate_percent(e, e->position));
	pair(j, "position_ci95", ci.lo, ci.hi);
}

static void stat(struct json *j, const struct compare *c,
		 const struct compare_group *g, const struct compare_stat *st)
{
	struct buf reason = { 0 };

	json_open(j, NULL, '{');
	identity(j, g, st);
	sample(j, st);
	numbers(j, st);
	if (st->primary) {
		json_string(j, "verdict", verdict_name(st->verdict.kind));
		words_lead(&PLAIN, st, &reason);
		buf_puts(&reason, "; ");
		words_reason(&PLAIN, c, g, st, &reason);
		json_string(j, "reason", buf_str(&reason));
	} else {
		json_null(j, "verdict");
		json_null(j, "reason");
	}
	json_close(j, '}');
	j->out->failed |= reason.failed;
	buf_free(&reason);
}

static void failure(struct json *j, const struct compare_group *g,
		    const struct compare_failure *f)
{
	json_open(j, NULL, '{');
	json_string(j, "group", g->name);
	json_string(j, "base", g->base.kernel);
	json_string(j, "head", g->head.kernel);
	json_string(j, "what", f->what);
	json_integer(j, "base_failed", f->base);
	json_integer(j, "base_runs", g->base.runs);
	json_integer(j, "head_failed", f->head);
	json_integer(j, "head_runs", g->head.runs);
	json_number(j, "p", f->p);
	json_bool(j, "crash", f->crash);
	json_bool(j, "head_alone", compare_failure_on_head(f));
	json_close(j, '}');
}

void tojson_compare(const struct compare *c, struct buf *out)
{
	struct json j = { .out = out, .more = false };

	json_open(&j, NULL, '{');
	json_integer(&j, "version", 1);
	json_integer(&j, "exit_status", compare_exit_status(c));
	json_number(&j, "alpha", c->rule.alpha);
	json_number(&j, "delta", c->rule.delta);
	json_number(&j, "delta_units", c->rule.delta_units);
	json_open(&j, "comparisons", '[');
	for (size_t i = 0; i < c->ngroup; i++)
		for (size_t k = 0; k < c->group[i].nstat; k++)
			stat(&j, c, &c->group[i], &c->group[i].stat[k]);
	json_close(&j, ']');
	json_open(&j, "failures", '[');
	for (size_t i = 0; i < c->ngroup; i++)
		for (size_t k = 0; k < c->group[i].nfailure; k++)
			failure(&j, &c->group[i], &c->group[i].failure[k]);
	json_close(&j, ']');
	json_close(&j, '}');
	buf_puts(out, "\n");
}
