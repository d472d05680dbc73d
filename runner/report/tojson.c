// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A comparison as JSON: the object that tojson.h documents.
 */
#include "tojson.h"
#include "confdiff.h"
#include "jsonout.h"
#include "words.h"

#include <math.h>

/* Words in JSON are ASCII: they are for programs. */
static const struct show PLAIN = {
	.ascii = true, .colour = false, .width = 80, .prose = 80
};

static void pair(struct jsonout *j, const char *key, double lo, double hi)
{
	if (isnan(lo) && isnan(hi)) {
		jsonout_null(j, key);
		return;
	}
	jsonout_open(j, key, '[');
	jsonout_number(j, NULL, lo);
	jsonout_number(j, NULL, hi);
	jsonout_close(j, ']');
}

static void better(struct jsonout *j, enum verdict_better b)
{
	if (b == VERDICT_NEITHER)
		jsonout_null(j, "better");
	else
		jsonout_string(j, "better",
			       b == VERDICT_HIGHER ? "higher" : "lower");
}

static void identity(struct jsonout *j, const struct compare_group *g,
		     const struct compare_stat *st)
{
	jsonout_string(j, "group", g->name);
	jsonout_string(j, "base", g->base.kernel);
	jsonout_string(j, "head", g->head.kernel);
	jsonout_string(j, "box", g->box);
	jsonout_string(j, "stat", st->name);
	jsonout_string(j, "unit", st->unit);
	better(j, st->better);
	jsonout_bool(j, "primary", st->primary);
	jsonout_string(j, "scale", st->linear ? "linear" : "ratio");
	jsonout_string(j, "method", words_method(g, st));
}

static void sample(struct jsonout *j, const struct compare_stat *st)
{
	const struct estimate *e = &st->estimate;

	jsonout_integer(j, "n_base", (long long)e->n_base);
	jsonout_integer(j, "n_head", (long long)e->n_head);
	jsonout_integer(j, "dropped", (long long)st->dropped);
	pair(j, "iterations", (double)st->iterations_min,
	     (double)st->iterations_max);
	jsonout_number(j, "base_mean", estimate_shown(e, e->base));
	jsonout_number(j, "head_mean", estimate_shown(e, e->head));
	jsonout_number(j, "base_sd", estimate_shown_sd(e, e->base, e->base_sd));
	jsonout_number(j, "head_sd", estimate_shown_sd(e, e->head, e->head_sd));
}

static void needed(struct jsonout *j, const struct compare_stat *st)
{
	const struct power_blocks *b = &st->verdict.blocks;

	if (!b->known)
		jsonout_null(j, "blocks_needed");
	else
		pair(j, "blocks_needed", b->lo ? (double)b->lo : INFINITY,
		     b->hi ? (double)b->hi : INFINITY);
}

static void numbers(struct jsonout *j, const struct compare_stat *st)
{
	const struct estimate *e = &st->estimate;
	const struct verdict *v = &st->verdict;
	struct interval ci = estimate_percents(e, v->ci);
	double unit = st->primary ? (st->linear ? 1 : 100) : NAN;

	jsonout_number(j, "change", estimate_percent(e, e->diff));
	jsonout_string(j, "change_unit", st->linear ? st->unit : "%");
	pair(j, "ci95", ci.lo, ci.hi);
	jsonout_number(j, "t", e->t);
	jsonout_number(j, "df", e->df);
	jsonout_number(j, "p", v->p);
	jsonout_number(j, "p_adjusted", v->p_adjusted);
	jsonout_number(j, "p_exact", st->exact.p);
	jsonout_number(j, "e_value", v->e);
	jsonout_number(j, "mde", v->mde);
	jsonout_integer(j, "mde_experiments", v->pooled);
	jsonout_number(j, "sd_boot", unit * sqrt(st->variance.boot));
	jsonout_number(j, "sd_iteration", unit * sqrt(st->variance.iteration));
	if (st->layout.builds[0] > 1 || st->layout.builds[1] > 1)
		pair(j, "builds", (double)st->layout.builds[0],
		     (double)st->layout.builds[1]);
	else
		jsonout_null(j, "builds");
	jsonout_number(j, "layout_floor",
		       st->primary ? estimate_percent(e, st->layout.floor)
				   : NAN);
	needed(j, st);
	jsonout_number(j, "percent", st->fieller.percent);
	pair(j, "percent_ci95", st->fieller.ci.lo, st->fieller.ci.hi);
	ci = estimate_percents(e, st->position);
	jsonout_number(j, "position", estimate_percent(e, e->position));
	pair(j, "position_ci95", ci.lo, ci.hi);
}

static void stat(struct jsonout *j, const struct compare *c,
		 const struct compare_group *g, const struct compare_stat *st)
{
	struct buf reason = { 0 };

	jsonout_open(j, NULL, '{');
	identity(j, g, st);
	sample(j, st);
	numbers(j, st);
	if (st->primary) {
		jsonout_string(j, "verdict", verdict_name(st->verdict.kind));
		words_lead(&PLAIN, st, &reason);
		buf_puts(&reason, "; ");
		words_reason(&PLAIN, c, g, st, &reason);
		jsonout_string(j, "reason", buf_str(&reason));
	} else {
		jsonout_null(j, "verdict");
		jsonout_null(j, "reason");
	}
	jsonout_close(j, '}');
	j->out->failed |= reason.failed;
	buf_free(&reason);
}

static void text_or_null(struct jsonout *j, const char *key, const char *text)
{
	if (text && *text)
		jsonout_string(j, key, text);
	else
		jsonout_null(j, key);
}

static void failure(struct jsonout *j, const struct compare_group *g,
		    const struct compare_failure *f)
{
	jsonout_open(j, NULL, '{');
	jsonout_string(j, "group", g->name);
	jsonout_string(j, "base", g->base.kernel);
	jsonout_string(j, "head", g->head.kernel);
	jsonout_string(j, "what", f->what);
	jsonout_integer(j, "base_failed", f->base);
	jsonout_integer(j, "base_runs", g->base.runs);
	jsonout_integer(j, "head_failed", f->head);
	jsonout_integer(j, "head_runs", g->head.runs);
	jsonout_number(j, "p", f->p);
	jsonout_bool(j, "crash", f->crash);
	jsonout_bool(j, "head_alone", compare_failure_on_head(f));
	text_or_null(j, "reason", f->reason);
	text_or_null(j, "result", f->file);
	jsonout_close(j, '}');
}

static void open_all(struct jsonout *j, const struct compare *c)
{
	jsonout_open(j, NULL, '{');
	jsonout_integer(j, "version", 1);
	jsonout_integer(j, "exit_status", compare_exit_status(c));
	jsonout_number(j, "alpha", c->rule.alpha);
	jsonout_number(j, "delta", c->rule.delta);
	jsonout_number(j, "delta_units", c->rule.delta_units);
	jsonout_open(j, "comparisons", '[');
	for (size_t i = 0; i < c->ngroup; i++)
		for (size_t k = 0; k < c->group[i].nstat; k++)
			stat(j, c, &c->group[i], &c->group[i].stat[k]);
	jsonout_close(j, ']');
	jsonout_open(j, "failures", '[');
	for (size_t i = 0; i < c->ngroup; i++)
		for (size_t k = 0; k < c->group[i].nfailure; k++)
			failure(j, &c->group[i], &c->group[i].failure[k]);
	jsonout_close(j, ']');
}

static void close_all(struct jsonout *j)
{
	jsonout_close(j, '}');
	buf_puts(j->out, "\n");
}

void tojson_compare(const struct compare *c, struct buf *out)
{
	struct jsonout j = { .out = out, .more = false };

	open_all(&j, c);
	close_all(&j);
}

static void side(struct jsonout *j, const char *key,
		 const struct compare_side *from, const struct evidence_side *s)
{
	jsonout_open(j, key, '{');
	jsonout_string(j, "kernel", from->kernel);
	text_or_null(j, "commit", s->kernel.commit);
	text_or_null(j, "title", s->kernel.title);
	text_or_null(j, "build_id", s->r.build_id);
	text_or_null(j, "release", s->r.release);
	text_or_null(j, "compiler", s->kernel.compiler);
	text_or_null(j, "result", s->file);
	jsonout_close(j, '}');
}

static void config_diff(struct jsonout *j, const struct evidence *ev)
{
	struct strlist diff = { 0 };
	struct err e = ERR_INIT;

	if (!ev->base.config_text.len || !ev->head.config_text.len ||
	    confdiff(buf_str(&ev->base.config_text),
		     buf_str(&ev->head.config_text), &diff, &e)) {
		jsonout_null(j, "config_diff");
	} else {
		jsonout_open(j, "config_diff", '[');
		for (size_t i = 0; i < diff.n; i++)
			jsonout_string(j, NULL, diff.v[i]);
		jsonout_close(j, ']');
	}
	strlist_free(&diff);
}

static void evidence(struct jsonout *j, const struct compare_group *g,
		     const struct evidence *ev)
{
	const struct evidence_side *s = ev->head.have ? &ev->head : &ev->base;

	jsonout_open(j, NULL, '{');
	jsonout_string(j, "group", g->name);
	text_or_null(j, "machine", s->r.cpu_model);
	jsonout_integer(j, "cpus", s->r.cpus_online);
	jsonout_integer(j, "memory_kb", (long long)s->r.memory_kb);
	jsonout_open(j, "parameters", '{');
	for (size_t i = 0; i < s->job.nparam; i++)
		jsonout_string(j, s->job.param[i].name, s->job.param[i].value);
	jsonout_close(j, '}');
	jsonout_integer(j, "unstable", g->base.unstable + g->head.unstable);
	config_diff(j, ev);
	side(j, "base", &g->base, &ev->base);
	side(j, "head", &g->head, &ev->head);
	jsonout_close(j, '}');
}

void tojson_report(const struct compare *c, const struct evidence *ev,
		   struct buf *out)
{
	struct jsonout j = { .out = out, .more = false };

	open_all(&j, c);
	jsonout_open(&j, "evidence", '[');
	for (size_t i = 0; i < c->ngroup; i++)
		evidence(&j, &c->group[i], &ev[i]);
	jsonout_close(&j, ']');
	close_all(&j);
}
