/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_MATCH_H
#define IRONRIG_MATCH_H

#include "../index.h"
#include "compare.h"

/*
 * Fills a comparison from the index of a store: which boots belong together,
 * which of them count, and which are only failures.
 */
struct match_query {
	const char *base; /* kernels, by their full names */
	const char *const *head;
	size_t nhead;
	/* names of the builds of base, and of each head; NULL: one each */
	const struct strlist *base_builds, *head_builds;
	const char *box, *job, *experiment; /* NULL: any */
	const char *stat; /* glob, NULL: all; without wildcards: a primary */
	bool only_stat; /* of runs, read that stat alone, and no failures */
	bool independent; /* no pairing; boots are vouched for */
	bool aa; /* one head, the same kernel: its boots split in two */
};

/*
 * One group for each head, testcase/params/box-group, job and way of booting
 * that has runs on both sides. Where an experiment has blocks with both
 * kernels, its blocks alone are compared, paired; otherwise all boots, a group
 * for each box, unblocked. ERR_NOTFOUND when no group has both sides. c->rule
 * is the caller's; g->sequential stays false: the experiment's file knows.
 */
int match_load(struct index *x, const struct match_query *q, struct compare *c,
	       struct err *e) MUST_CHECK;

/* ---- for match_load.c, match.c and match_stats.c ---------------------------
 */

/* A run and the side it is on; both sides may be one kernel (A/A). */
struct match_member {
	const struct index_run *run;
	const char *job_id; /* match_groups() sets it */
	unsigned int build; /* of its side's kernel */
	bool head;
};

/* Adds the groups of these runs, whose order is changed. */
int match_groups(struct index *x, const struct match_query *q, const char *head,
		 struct match_member *m, size_t n, struct compare *c,
		 struct err *e) MUST_CHECK;

/* The runs of one group; a slot without a run is a boot that does not count. */
struct match_slots {
	const struct index_run **base, **head;
	size_t n_base, n_head;
	signed char *order; /* NULL: not paired */
	unsigned int *base_build, *head_build; /* of each slot */
	/* all runs of the group, for fail:runs */
	const struct index_run **base_all, **head_all;
	size_t n_base_all, n_head_all;
};

/* Loads stats and failures of these runs into g, whose slots are counted. */
int match_stats(struct index *x, const struct match_query *q,
		const struct match_slots *s, struct compare_group *g,
		struct err *e) MUST_CHECK;

#endif
