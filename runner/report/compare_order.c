// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The order of a report: what has to be read first stands first.
 */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

/* Places of the verdicts in a report. */
static int rank(const struct compare_stat *s)
{
	static const int place[] = {
		[VERDICT_REGRESSION] = 0,  [VERDICT_CHANGED] = 1,
		[VERDICT_IMPROVEMENT] = 2, [VERDICT_DIFFERS] = 3,
		[VERDICT_NEAR] = 4,	   [VERDICT_INCONCLUSIVE] = 5,
		[VERDICT_NONE] = 6,	   [VERDICT_EQUIVALENT] = 7,
	};

	return s->primary ? place[s->verdict.kind] : 8;
}

/* How far the interval's bound nearest zero is from it: what is sure. */
static double sure(const struct compare_stat *s)
{
	struct interval ci = s->verdict.ci;

	if (isnan(ci.lo))
		return s->estimate.exact ? fabs(s->estimate.diff) : 0;
	return ci.lo > 0 ? ci.lo : ci.hi < 0 ? -ci.hi : 0;
}

static double or_one(double p)
{
	return isnan(p) ? 1 : p;
}

static int report_order(const void *a, const void *b)
{
	const struct compare_stat *x = a, *y = b;
	double first, second;

	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	first = x->primary ? -sure(x) : or_one(x->p_adjusted);
	second = y->primary ? -sure(y) : or_one(y->p_adjusted);
	if (first != second)
		return first < second ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Failures on head first, then by the worst verdict in the group. */
static int group_order(const void *a, const void *b)
{
	const struct compare_group *x = a, *y = b;
	bool fails[2] = { false, false };
	int order = 0;

	for (size_t i = 0; i < x->nfailure; i++)
		fails[0] |= compare_failure_on_head(&x->failure[i]);
	for (size_t i = 0; i < y->nfailure; i++)
		fails[1] |= compare_failure_on_head(&y->failure[i]);
	if (fails[0] != fails[1])
		return fails[0] ? -1 : 1;
	if (x->nstat && y->nstat)
		order = report_order(&x->stat[0], &y->stat[0]);
	order = order ? order : strcmp(x->name, y->name);
	return order ? order : strcmp(x->box, y->box);
}

void compare_sort(struct compare *c)
{
	for (size_t i = 0; i < c->ngroup; i++)
		if (c->group[i].nstat)
			qsort(c->group[i].stat, c->group[i].nstat,
			      sizeof(*c->group[i].stat), report_order);
	if (c->ngroup)
		qsort(c->group, c->ngroup, sizeof(*c->group), group_order);
}
