// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Groups the runs of two kernels into comparisons: blocks where an experiment
 * has them, boots otherwise. What a run's stats are is in match_stats.c.
 */
#include "match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool counts(const struct index_run *r)
{
	return r->outcome == OUTCOME_OK && r->stable;
}

/* ---- order ------------------------------------------------------------------
 */

static int by_name(const struct index_run *a, const struct index_run *b)
{
	int c = strcmp(a->testcase, b->testcase);

	c = c ? c : strcmp(a->params_path, b->params_path);
	c = c ? c : strcmp(a->group, b->group);
	c = c ? c : strcmp(a->job, b->job);
	return c ? c : strcmp(a->boot_mode, b->boot_mode);
}

/* A job that was edited measures something else under the same name. */
static int by_group(const struct match_member *a, const struct match_member *b)
{
	int c = by_name(a->run, b->run);

	return c ? c : strcmp(a->job_id, b->job_id);
}

static int name_order(const void *x, const void *y)
{
	const struct match_member *a = x, *b = y;

	return by_name(a->run, b->run);
}

/*
 * Each run's version of its job. A run that was lost tells none, nor does one
 * that was imported: it counts with the newest that is told.
 */
static void take_versions(struct match_member *m, size_t n)
{
	qsort(m, n, sizeof(*m), name_order);
	for (size_t i = 0, len; i < n; i += len) {
		const struct index_run *newest = m[i].run;

		for (len = 0; i + len < n && !by_name(m[i].run, m[i + len].run);
		     len++) {
			const struct index_run *r = m[i + len].run;

			if (*r->job_id && (!*newest->job_id ||
					   r->start_s > newest->start_s))
				newest = r;
		}
		for (size_t k = i; k < i + len; k++)
			m[k].job_id = *m[k].run->job_id ? m[k].run->job_id
							: newest->job_id;
	}
}

static int by_block(const struct index_run *a, const struct index_run *b)
{
	int c = strcmp(a->experiment, b->experiment);

	c = c ? c : strcmp(a->box, b->box);
	return c ? c : (a->block > b->block) - (a->block < b->block);
}

/* Groups, blocks in them, then the better and newer attempt last. */
static int blocks_order(const void *x, const void *y)
{
	const struct match_member *a = x, *b = y;
	int c = by_group(a, b);

	c = c ? c : by_block(a->run, b->run);
	c = c ? c : a->head - b->head;
	c = c ? c : counts(a->run) - counts(b->run);
	c = c ? c : a->run->attempt - b->run->attempt;
	return c ? c : strcmp(a->run->lease, b->run->lease);
}

/* Boxes in a group, then time. */
static int boots_order(const void *x, const void *y)
{
	const struct match_member *a = x, *b = y;
	int c = strcmp(a->run->box, b->run->box);

	c = c ? c
	      : (a->run->start_s > b->run->start_s) -
			    (a->run->start_s < b->run->start_s);
	return c ? c : strcmp(a->run->lease, b->run->lease);
}

/* ---- slots ------------------------------------------------------------------
 */

static const struct index_run **pointers(size_t n)
{
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are meant */
	return calloc(n, sizeof(const struct index_run *));
}

static int slots_new(size_t n, struct match_slots *s, struct err *e)
{
	*s = (struct match_slots){
		.base = pointers(n),
		.head = pointers(n),
		.base_all = pointers(n),
		.head_all = pointers(n),
		.order = calloc(n, 1),
		.base_build = calloc(n, sizeof(*s->base_build)),
		.head_build = calloc(n, sizeof(*s->head_build)),
	};
	if (s->base && s->head && s->base_all && s->head_all && s->order &&
	    s->base_build && s->head_build)
		return 0;
	return err_set(e, ERR_LIMIT, "out of memory for %zu runs", n);
}

static void slots_free(struct match_slots *s)
{
	free(s->base);
	free(s->head);
	free(s->base_all);
	free(s->head_all);
	free(s->order);
	free(s->base_build);
	free(s->head_build);
}

static void add_all(const struct match_member *m, size_t n,
		    struct match_slots *s)
{
	for (size_t i = 0; i < n; i++)
		if (m[i].head)
			s->head_all[s->n_head_all++] = m[i].run;
		else
			s->base_all[s->n_base_all++] = m[i].run;
}

/* Members of one block of an experiment from m on. */
static size_t block_length(const struct match_member *m, size_t n)
{
	size_t i = 1;

	while (i < n && !by_block(m[0].run, m[i].run))
		i++;
	return i;
}

static bool in_blocks(const struct index_run *r)
{
	/* block 0 warms up, a run without an experiment has no block */
	return *r->experiment && r->block > 0;
}

/* Both sides of a block, the last (best) attempt of each; NULL: not there. */
static void block_pair(const struct match_member *m, size_t n,
		       const struct index_run *pair[2], unsigned int build[2])
{
	pair[0] = pair[1] = NULL;
	build[0] = build[1] = 0;
	for (size_t i = 0; i < n; i++) {
		pair[m[i].head] = m[i].run;
		build[m[i].head] = m[i].build;
	}
}

/*
 * Blocks that have both sides, or had one and lost it; false when no block
 * has both.
 */
static bool fill_blocks(const struct match_member *m, size_t n,
			struct match_slots *s)
{
	const struct index_run *pair[2];
	unsigned int build[2];
	bool both = false;

	for (size_t i = 0, len; i < n; i += len) {
		size_t at = s->n_base;

		len = block_length(m + i, n - i);
		if (!in_blocks(m[i].run))
			continue;
		block_pair(m + i, len, pair, build);
		both |= pair[0] && pair[1];
		s->base[at] = pair[0] && counts(pair[0]) ? pair[0] : NULL;
		s->head[at] = pair[1] && counts(pair[1]) ? pair[1] : NULL;
		s->order[at] = pair[0] && pair[1] &&
					       pair[1]->position <
						       pair[0]->position
				       ? -1
				       : 1;
		s->base_build[at] = build[0];
		s->head_build[at] = build[1];
		s->n_base = ++s->n_head;
	}
	return both;
}

static void fill_boots(const struct match_member *m, size_t n,
		       struct match_slots *s)
{
	s->n_base = s->n_head = 0;
	for (size_t i = 0; i < n; i++) {
		if (!counts(m[i].run) ||
		    (*m[i].run->experiment && m[i].run->block == 0))
			continue;
		if (m[i].head) {
			s->head_build[s->n_head] = m[i].build;
			s->head[s->n_head++] = m[i].run;
		} else {
			s->base_build[s->n_base] = m[i].build;
			s->base[s->n_base++] = m[i].run;
		}
	}
	free(s->order);
	s->order = NULL;
}

/* ---- groups -----------------------------------------------------------------
 */

static int set_text(char **to, const char *text, struct err *e)
{
	*to = strdup(text);
	return *to ? 0 : err_set(e, ERR_LIMIT, "out of memory");
}

static int set_side(struct compare_side *side, const char *kernel,
		    const struct index_run *const *all, size_t n, struct err *e)
{
	const struct index_run *kept = NULL;

	side->runs = (unsigned int)n;
	for (size_t i = 0; i < n; i++) {
		side->unstable += all[i]->outcome == OUTCOME_OK &&
				  !all[i]->stable;
		if (counts(all[i]))
			kept = all[i];
		if (!side->first_s || all[i]->start_s < side->first_s)
			side->first_s = all[i]->start_s;
		if (all[i]->start_s > side->last_s)
			side->last_s = all[i]->start_s;
	}
	side->observer_us = NAN;
	if (kept && (set_text(&side->file, kept->file, e) ||
		     set_text(&side->build_id, kept->build_id, e)))
		return -1;
	return set_text(&side->kernel, kernel, e);
}

static int set_experiments(const struct match_member *m, size_t n,
			   struct compare_group *g, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (in_blocks(m[i].run) &&
		    !strlist_has(&g->experiments, m[i].run->experiment) &&
		    strlist_add(&g->experiments, m[i].run->experiment, e))
			return -1;
	return 0;
}

/* One box: its name; several: how many. */
static int set_box(const struct match_member *m, size_t n,
		   struct compare_group *g, struct err *e)
{
	struct strlist boxes = { 0 };
	struct buf text = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		if (!strlist_has(&boxes, m[i].run->box))
			rc = strlist_add(&boxes, m[i].run->box, e);
	strlist_sort(&boxes);
	for (size_t i = 0; i < boxes.n; i++)
		buf_printf(&text, "%s%s", i ? "," : "", boxes.v[i]);
	if (!rc)
		rc = set_text(&g->box, buf_str(&text), e);
	strlist_free(&boxes);
	buf_free(&text);
	return rc;
}

static int set_name(const struct match_member *m, struct compare_group *g,
		    struct err *e)
{
	const struct index_run *r = m->run;
	struct buf text = { 0 };
	int rc;

	buf_printf(&text, "%s/%s/%s", r->testcase, r->params_path, r->group);
	rc = buf_ok(&text, e);
	if (!rc)
		rc = set_text(&g->name, buf_str(&text), e);
	if (!rc)
		rc = set_text(&g->job, r->job, e);
	if (!rc)
		rc = set_text(&g->job_id, m->job_id, e);
	if (!rc)
		rc = set_text(&g->boot_mode, r->boot_mode, e);
	buf_free(&text);
	return rc;
}

static int add_group(struct index *x, const struct match_query *q,
		     const char *head, const struct match_member *m, size_t n,
		     struct match_slots *s, struct compare *c, struct err *e)
{
	struct compare_group *g = compare_add_group(c, e);

	if (!g)
		return -1;
	add_all(m, n, s);
	if (set_name(m, g, e) || set_box(m, n, g, e) ||
	    set_side(&g->base, q->base, s->base_all, s->n_base_all, e) ||
	    set_side(&g->head, head, s->head_all, s->n_head_all, e))
		return -1;
	g->n_base = s->n_base;
	g->n_head = s->n_head;
	g->design = s->order	     ? COMPARE_BLOCKS
		    : q->independent ? COMPARE_INDEPENDENT
				     : COMPARE_UNBLOCKED;
	/* the slots' arrays become the group's */
	g->base_build = s->base_build;
	g->head_build = s->head_build;
	s->base_build = s->head_build = NULL;
	if (s->order) {
		g->order = malloc(s->n_base);
		if (!g->order)
			return err_set(e, ERR_LIMIT, "out of memory");
		memcpy(g->order, s->order, s->n_base);
		if (set_experiments(m, n, g, e))
			return -1;
	}
	return match_stats(x, q, s, g, e);
}

static bool both_sides(const struct match_member *m, size_t n)
{
	bool side[2] = { false, false };

	for (size_t i = 0; i < n; i++)
		side[m[i].head] = true;
	return side[0] && side[1];
}

/*
 * Unblocked boots of different boxes are not pooled: their difference would
 * pass for one of the kernels.
 */
static int add_boxes(struct index *x, const struct match_query *q,
		     const char *head, struct match_member *m, size_t n,
		     struct compare *c, struct err *e)
{
	qsort(m, n, sizeof(*m), boots_order);
	for (size_t i = 0, len; i < n; i += len) {
		struct match_slots s;
		int rc;

		for (len = 1; i + len < n &&
			      !strcmp(m[i].run->box, m[i + len].run->box);)
			len++;
		if (!both_sides(m + i, len))
			continue;
		rc = slots_new(len, &s, e);
		if (!rc) {
			fill_boots(m + i, len, &s);
			rc = add_group(x, q, head, m + i, len, &s, c, e);
		}
		slots_free(&s);
		if (rc)
			return -1;
	}
	return 0;
}

static int add_range(struct index *x, const struct match_query *q,
		     const char *head, struct match_member *m, size_t n,
		     struct compare *c, struct err *e)
{
	struct match_slots s;
	bool blocks = false;
	int rc;

	if (!both_sides(m, n))
		return 0;
	rc = slots_new(n, &s, e);
	if (!rc && !q->independent)
		blocks = fill_blocks(m, n, &s);
	if (!rc && blocks)
		rc = add_group(x, q, head, m, n, &s, c, e);
	slots_free(&s);
	return rc || blocks ? rc : add_boxes(x, q, head, m, n, c, e);
}

/* A/A: within a block, and boot by boot without one, sides take turns. */
static void split(struct match_member *m, size_t n)
{
	size_t turn = 0;

	for (size_t i = 0; i < n; i++) {
		const struct index_run *r = m[i].run;

		if (in_blocks(r))
			m[i].head = (r->position + r->block) % 2;
		else
			/* base, head, head, base: drift cancels */
			m[i].head = (++turn / 2) % 2;
	}
}

int match_groups(struct index *x, const struct match_query *q, const char *head,
		 struct match_member *m, size_t n, struct compare *c,
		 struct err *e)
{
	size_t was;
	int rc = 0;

	if (q->aa)
		split(m, n);
	take_versions(m, n);
	qsort(m, n, sizeof(*m), blocks_order);
	for (size_t i = 0, len; !rc && i < n; i += len) {
		for (len = 1;
		     i + len < n && !by_group(&m[i], &m[i + len]);)
			len++;
		was = c->ngroup;
		rc = add_range(x, q, head, m + i, len, c, e);
		for (; was < c->ngroup; was++)
			c->group[was].edited =
				(i && !by_name(m[i - 1].run, m[i].run)) ||
				(i + len < n &&
				 !by_name(m[i].run, m[i + len].run));
	}
	return rc;
}
