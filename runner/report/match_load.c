// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The runs of two kernels out of the index, a kernel being all its builds. How
 * they are grouped is in match.c.
 */
#include "match.h"

#include <stdlib.h>

/* A kernel's runs, and those of its other builds, as one list. */
struct side {
	struct index_runs runs;
	unsigned int *build; /* of each run */
};

static void side_free(struct side *d)
{
	index_runs_free(&d->runs);
	free(d->build);
	d->build = NULL;
}

static int add_build(struct index *x, const struct index_query *iq,
		     unsigned int build, struct side *d, struct err *e)
{
	struct index_runs more = { 0 };
	struct index_run *v;
	unsigned int *labels;

	if (index_runs(x, iq, &more, e))
		return -1;
	v = reallocarray(d->runs.v, d->runs.n + more.n + 1, sizeof(*v));
	d->runs.v = v ? v : d->runs.v;
	labels =
		reallocarray(d->build, d->runs.n + more.n + 1, sizeof(*labels));
	d->build = labels ? labels : d->build;
	if (!v || !labels) {
		index_runs_free(&more);
		return err_set(e, ERR_LIMIT, "out of memory");
	}
	for (size_t i = 0; i < more.n; i++) {
		v[d->runs.n] = more.v[i];
		labels[d->runs.n++] = build;
	}
	free(more.v); /* its rows belong to the side now */
	return 0;
}

static int load_side(struct index *x, struct index_query *iq,
		     const char *kernel, const struct strlist *builds,
		     struct side *d, struct err *e)
{
	size_t n = builds && builds->n ? builds->n : 1;

	*d = (struct side){ .build = NULL };
	if (n > POWER_BUILDS_MAX)
		return err_set(e, ERR_LIMIT, "%s: more than %d builds", kernel,
			       POWER_BUILDS_MAX);
	for (size_t i = 0; i < n; i++) {
		iq->kernel = builds && builds->n ? builds->v[i] : kernel;
		if (add_build(x, iq, (unsigned int)i, d, e)) {
			side_free(d);
			return -1;
		}
	}
	return 0;
}

static int add_head(struct index *x, const struct match_query *q,
		    const struct side *base, const struct side *head,
		    const char *name, struct compare *c, struct err *e)
{
	size_t n_base = base->runs.n;
	size_t n = n_base + (q->aa ? 0 : head->runs.n);
	struct match_member *m = calloc(n ? n : 1, sizeof(*m));
	int rc;

	if (!m)
		return err_set(e, ERR_LIMIT, "out of memory for %zu runs", n);
	for (size_t i = 0; i < n; i++)
		m[i] = i < n_base
			       ? (struct match_member){
					 .run = &base->runs.v[i],
					 .build = base->build[i]
				 }
			       : (struct match_member){
					 .run = &head->runs.v[i - n_base],
					 .build = head->build[i - n_base],
					 .head = true
				 };
	rc = match_groups(x, q, name, m, n, c, e);
	free(m);
	return rc;
}

int match_load(struct index *x, const struct match_query *q, struct compare *c,
	       struct err *e)
{
	struct index_query iq = { .box = q->box,
				  .job = q->job,
				  .experiment = q->experiment };
	struct side base, head;
	int rc = load_side(x, &iq, q->base, q->base_builds, &base, e);

	for (size_t i = 0; !rc && i < q->nhead; i++) {
		rc = load_side(x, &iq, q->head[i],
			       q->head_builds ? &q->head_builds[i] : NULL,
			       &head, e);
		if (!rc)
			rc = add_head(x, q, &base, &head, q->head[i], c, e);
		side_free(&head);
	}
	side_free(&base);
	if (!rc && !c->ngroup)
		return err_set(e, ERR_NOTFOUND,
			       "no test was run with both %s and %s (an edited "
			       "job is another test)", q->base,
			       q->nhead ? q->head[0] : q->base);
	return rc;
}
