// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Sends each member of a result to the extractors that want it and collects
 * what they find, by iteration. Where the members come from (a tarball, a
 * folder) is the caller's.
 */
#include "gather.h"
#include "bag.h"
#include "ofresult.h"
#include "rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FEEDS = 8,	    /* extractors of one member */
	NOTES_MAX = 8192,   /* bytes */
	OUTPUT_MAX = 64 << 20, /* of a member that rules look at */
	MEMBER_LEN = 256,
};

struct gather {
	const struct result *r;
	const struct conf_job *job;
	const struct stat_extractor *usual; /* the testcase's, may be NULL */
	const struct stat_extractor *only;
	struct bag *bag;
	struct stat_window *window; /* of completed measured iterations */
	size_t *place;		    /* theirs among the measured ones */
	size_t nwindow, measured;
	double *ops; /* by place; 0: not counted */
	struct buf notes;
	/* the current member */
	char member[MEMBER_LEN];
	struct stat_feed *feed[FEEDS];
	size_t nfeed;
	bool rules;
	struct buf text; /* for the rules */
	long iteration;	 /* place of the member's; -1: none of one */
	struct stat_out out;
};

static int sink(void *arg, const struct stat_value *v, struct err *e)
{
	struct gather *g = arg;
	size_t place = 0;

	if (g->iteration >= 0) {
		place = (size_t)g->iteration;
		if (!strcmp(v->name, STAT_OPS)) {
			g->ops[place] += v->value;
			return 0;
		}
	} else if (v->run > 0) {
		/* a monitor's window */
		if ((size_t)v->run > g->nwindow)
			return err_set(e, ERR_LIMIT, "window %d", v->run);
		place = g->place[v->run - 1];
	}
	return bag_add(g->bag, v, place, g->iteration < 0 && !v->run, e);
}

static bool is_measured(const struct result_iter *i)
{
	return !i->warmup && !i->profile;
}

static bool is_complete(const struct result_iter *i)
{
	return is_measured(i) && !i->exit_code && !i->signal &&
	       !i->timed_out && i->end_ns >= i->start_ns;
}

static int take_windows(struct gather *g, struct err *e)
{
	size_t n = g->r->niter ? g->r->niter : 1;

	g->window = calloc(n, sizeof(*g->window));
	g->place = calloc(n, sizeof(*g->place));
	g->ops = calloc(n, sizeof(*g->ops));
	if (!g->window || !g->place || !g->ops)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (size_t i = 0; i < g->r->niter; i++) {
		const struct result_iter *it = &g->r->iter[i];

		if (is_complete(it)) {
			g->window[g->nwindow] = (struct stat_window){
				it->start_ns, it->end_ns };
			g->place[g->nwindow++] = g->measured;
		}
		g->measured += is_measured(it);
	}
	return 0;
}

int gather_new(const struct result *r, const struct conf_job *job,
	       const struct stat_extractor *only, struct gather **out,
	       struct err *e)
{
	struct gather *g = calloc(1, sizeof(*g));

	if (!g)
		return err_set(e, ERR_LIMIT, "out of memory");
	g->r = r;
	g->job = job;
	g->only = only;
	g->out = (struct stat_out){ sink, g, 0 };
	if (r->testcase)
		g->usual = stats_find(r->testcase);
	if (take_windows(g, e))
		goto fail;
	g->bag = bag_new(g->measured);
	if (!g->bag) {
		err_set(e, ERR_LIMIT, "out of memory");
		goto fail;
	}
	*out = g;
	return 0;
fail:
	gather_free(g);
	return -1;
}

static void drop_feeds(struct gather *g)
{
	for (size_t i = 0; i < g->nfeed; i++)
		stat_feed_free(g->feed[i]);
	g->nfeed = 0;
	g->rules = false;
	buf_free(&g->text);
}

void gather_free(struct gather *g)
{
	if (!g)
		return;
	drop_feeds(g);
	bag_free(g->bag);
	free(g->window);
	free(g->place);
	free(g->ops);
	buf_free(&g->notes);
	free(g);
}

static void note(struct gather *g, const struct err *e)
{
	if (g->notes.len + strlen(e->msg) < NOTES_MAX)
		buf_printf(&g->notes, "%s\n", e->msg);
}

/* ---- members ----------------------------------------------------------------- */

/*
 * The place of a measured, complete iteration whose file this is, and the
 * file's name within it; -1: not one.
 */
static long iteration_of(const struct gather *g, const char *member,
			 const char **file)
{
	char *end;
	long number;

	if (strncmp(member, "iter/", 5) != 0)
		return -1;
	number = strtol(member + 5, &end, 10);
	if (end == member + 5 || *end != '/')
		return -1;
	*file = end + 1;
	for (size_t i = 0, place = 0; i < g->r->niter; i++) {
		const struct result_iter *it = &g->r->iter[i];

		/* warm-ups have numbers, and folders, of their own */
		if (!is_measured(it))
			continue;
		if (it->number == number)
			return is_complete(it) ? (long)place : -1;
		place++;
	}
	return -1;
}

static int add_feed(struct gather *g, const struct stat_extractor *x,
		    struct err *e)
{
	if (g->nfeed == FEEDS)
		return 0;
	if (stat_feed_new(x, g->member, g->window, g->nwindow, &g->out,
			  &g->feed[g->nfeed], e))
		return -1;
	g->nfeed++;
	return 0;
}

/* The workload's own output: what the job names, else by the testcase. */
static int feed_output(struct gather *g, const char *file, struct err *e)
{
	const struct conf_job *job = g->job;

	if (g->only)
		return strcmp(g->only->file, file) ? 0 :
						     add_feed(g, g->only, e);
	for (size_t i = 0; job && i < job->nextract; i++) {
		const char *of = job->extract[i].file;

		g->rules |= !strcmp(of ? of : "stdout", file);
	}
	if (strcmp(file, "stdout") != 0)
		return 0;
	for (size_t i = 0; job && i < job->extractors.n; i++) {
		const struct stat_extractor *x =
			stats_find(job->extractors.v[i]);

		if (x && !strcmp(x->file, "stdout") && add_feed(g, x, e))
			return -1;
	}
	if ((job && job->extractors.n) || !g->usual ||
	    strcmp(g->usual->file, "stdout") != 0)
		return 0;
	return add_feed(g, g->usual, e);
}

int gather_member(struct gather *g, const char *name, struct err *e)
{
	const char *file = "";

	drop_feeds(g);
	g->iteration = -1;
	if (snprintf(g->member, sizeof(g->member), "%s", name) >=
	    (int)sizeof(g->member))
		return 0;
	g->iteration = iteration_of(g, name, &file);
	if (g->iteration >= 0) {
		if (feed_output(g, file, e))
			return -1;
		return g->nfeed || g->rules;
	}
	/* without a complete iteration no window means anything */
	for (const struct stat_extractor *x = stats_table; x->name; x++)
		if (!strcmp(x->file, name) && (g->nwindow || !x->monitor) &&
		    (!g->only || g->only == x) &&
		    add_feed(g, x, e))
			return -1;
	return g->nfeed != 0;
}

/* An extractor that failed is out; its error becomes a note. */
static int failed(struct gather *g, size_t i, struct err *why, struct err *e)
{
	if (why->kind == ERR_LIMIT && !strcmp(why->msg, "out of memory")) {
		*e = *why;
		return -1;
	}
	note(g, why);
	stat_feed_free(g->feed[i]);
	g->feed[i] = NULL;
	return 0;
}

int gather_data(struct gather *g, const void *p, size_t n, struct err *e)
{
	struct err why = ERR_INIT;

	for (size_t i = 0; i < g->nfeed; i++)
		if (g->feed[i] && stat_feed_add(g->feed[i], p, n, &why) &&
		    failed(g, i, &why, e))
			return -1;
	if (g->rules && g->text.len + n <= OUTPUT_MAX)
		buf_add(&g->text, p, n);
	return buf_ok(&g->text, e);
}

static int run_rules(struct gather *g, struct err *e)
{
	const char *file = strchr(strchr(g->member, '/') + 1, '/') + 1;
	struct err why = ERR_INIT;

	for (size_t i = 0; i < g->job->nextract; i++) {
		const struct conf_extract *rule = &g->job->extract[i];
		struct buf copy = { 0 };
		struct text t;

		if (strcmp(rule->file ? rule->file : "stdout", file) != 0)
			continue;
		buf_add(&copy, buf_str(&g->text), g->text.len);
		if (buf_ok(&copy, e))
			return -1;
		text_init(&t, g->member, copy.data, copy.len);
		g->out.run = 0;
		if (rules_text(rule, g->r->testcase ? g->r->testcase : "job",
			       &t, &g->out, &why))
			note(g, &why);
		buf_free(&copy);
	}
	return 0;
}

int gather_member_end(struct gather *g, struct err *e)
{
	struct err why = ERR_INIT;

	for (size_t i = 0; i < g->nfeed; i++) {
		g->out.run = 0;
		if (g->feed[i] && stat_feed_end(g->feed[i], &why) &&
		    failed(g, i, &why, e))
			return -1;
	}
	if (g->rules && run_rules(g, e))
		return -1;
	drop_feeds(g);
	return 0;
}

/* ---- the end ----------------------------------------------------------------- */

int gather_end(struct gather *g, struct err *e)
{
	struct err why = ERR_INIT;
	size_t place = 0;

	for (size_t i = 0; !g->only && i < g->r->niter; i++) {
		const struct result_iter *it = &g->r->iter[i];

		if (!is_measured(it))
			continue;
		g->iteration = (long)place++;
		if (!is_complete(it))
			continue;
		if (ofresult_iteration(it, &g->out, &why) ||
		    ofresult_efficiency(it, g->ops[g->iteration], &g->out,
					&why))
			note(g, &why);
	}
	g->iteration = -1;
	if (!g->only && ofresult_run(g->r, &g->out, &why))
		note(g, &why);
	return buf_ok(&g->notes, e);
}

const struct gather_stat *gather_stats(const struct gather *g, size_t *n)
{
	return bag_rows(g->bag, n);
}

const char *gather_notes(const struct gather *g)
{
	return buf_str(&g->notes);
}

int gather_planned(const struct gather *g)
{
	return (int)g->measured;
}

int gather_completed(const struct gather *g)
{
	return (int)g->nwindow;
}
