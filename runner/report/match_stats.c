// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The values of a group's runs, merged by the names of their stats, and what
 * went wrong in them. Which runs belong together is decided in match.c.
 */
#include "match.h"

#include <fnmatch.h>
#include <math.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define OBSERVER   "agent.cpu_us_per_s"
#define KERNEL_LOG "dmesg."

/* ---- names ------------------------------------------------------------------
 */

struct name {
	const char *name; /* the stat's own */
	size_t at;
};

/* What is known of an id of the index: a name is looked at once, not once a
 * run.
 */
struct seen {
	enum {
		UNSEEN,
		WANTED,
		UNWANTED,
		LOG
	} kind;
	bool observer;
	size_t at; /* WANTED: place in the group, NOWHERE before a value came */
};
#define NOWHERE SIZE_MAX

struct merge {
	const struct match_query *q;
	const struct match_slots *s;
	struct compare_group *g;
	void *names; /* tsearch(3) tree of struct name */
	struct seen *seen; /* by id */
	size_t nseen;
	const struct index_run *run;
	size_t slot;
	bool head;
	double observer[2];
	size_t nobserver[2];
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->name,
		      ((const struct name *)b)->name);
}

static bool has_wildcard(const char *glob)
{
	return strpbrk(glob, "*?[") != NULL;
}

/* A job names its primaries in full, or without the testcase before them. */
static bool is_primary(const struct merge *m, const char *stat)
{
	const struct index_run *r = m->run;
	size_t len = strlen(r->testcase);

	if (m->q->stat && !has_wildcard(m->q->stat))
		return true;
	if (strlist_has(&r->primary, stat))
		return true;
	return !strncmp(stat, r->testcase, len) && stat[len] == '.' &&
	       strlist_has(&r->primary, stat + len + 1);
}

static enum verdict_better better_of(enum index_better b)
{
	return b == INDEX_HIGHER  ? VERDICT_HIGHER
	       : b == INDEX_LOWER ? VERDICT_LOWER
				  : VERDICT_NEITHER;
}

static struct compare_stat *new_stat(struct merge *m,
				     const struct index_stat *s, struct err *e)
{
	struct compare_stat *st = compare_add_stat(m->g, s->name, s->unit, e);
	struct name *key = malloc(sizeof(*key));

	if (!st || !key) {
		free(key);
		err_set(e, ERR_LIMIT, "out of memory");
		return NULL;
	}
	st->better = better_of(s->better);
	st->primary = is_primary(m, s->name);
	st->per_run = s->per_run;
	*key = (struct name){ st->name, m->g->nstat - 1 };
	if (!tsearch(key, &m->names, by_name)) {
		free(key);
		err_set(e, ERR_LIMIT, "out of memory");
		return NULL;
	}
	return st;
}

/* One name may have several ids: unit or direction once were others. */
static struct compare_stat *find_stat(struct merge *m, struct seen *k,
				      const struct index_stat *s, struct err *e)
{
	struct compare_group *g = m->g;
	struct name key = { s->name, 0 };
	struct name *const *found;
	struct compare_stat *st;

	if (k->at != NOWHERE)
		return &g->stat[k->at];
	found = tfind(&key, &m->names, by_name);
	st = found ? &g->stat[(*found)->at] : new_stat(m, s, e);
	if (st)
		k->at = (size_t)(st - g->stat);
	return st;
}

/* ---- failures ---------------------------------------------------------------
 */

static struct compare_failure *find_failure(struct compare_group *g,
					    const char *what, struct err *e)
{
	for (size_t i = 0; i < g->nfailure; i++)
		if (!strcmp(g->failure[i].what, what))
			return &g->failure[i];
	return compare_add_failure(g, what, e);
}

static int set_text(char **to, char *text, struct err *e)
{
	free(*to);
	*to = text;
	return text ? 0 : err_set(e, ERR_LIMIT, "out of memory");
}

static const struct index_run *next_of(const struct index_run *r,
				       const struct index_run *const *all,
				       size_t n, const struct index_run *best)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(all[i]->box, r->box) &&
		    all[i]->start_s > r->start_s &&
		    (!best || all[i]->start_s < best->start_s))
			best = all[i];
	return best;
}

/* The newest run of head (else of base) that shows it is where to look. */
static int name_run(const struct merge *m, struct compare_failure *f,
		    struct err *e)
{
	const struct index_run *r = m->run, *next;
	struct buf log = { 0 };
	int rc;

	next = next_of(r, m->s->base_all, m->s->n_base_all, NULL);
	next = next_of(r, m->s->head_all, m->s->n_head_all, next);
	if (*r->boot_id)
		buf_printf(&log, "%s/logs/%s.log", r->box, r->boot_id);
	rc = set_text(&f->file, strdup(r->file), e) ||
	     set_text(&f->reason, strdup(r->reason), e) ||
	     set_text(&f->log, strdup(buf_str(&log)), e) ||
	     set_text(&f->after, strdup(next ? next->file : ""), e);
	buf_free(&log);
	return rc ? -1 : 0;
}

static int count_failure(struct merge *m, const char *what, bool crash,
			 bool own_fault, struct err *e)
{
	struct compare_failure *f = find_failure(m->g, what, e);

	if (!f)
		return -1;
	if (m->head)
		f->head++;
	else
		f->base++;
	f->crash |= crash;
	f->setup |= own_fault;
	return m->head || !f->head ? name_run(m, f, e) : 0;
}

/* A warning that stops nothing, against what ends a kernel's trust. */
static bool is_crash(const char *stat)
{
	static const char *const fatal[] = { "BUG", "Oops", "Kernel_panic",
					     "kernel_BUG",
					     "general_protection" };

	stat += strlen(KERNEL_LOG);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		if (!strncmp(stat, fatal[i], strlen(fatal[i])))
			return true;
	return false;
}

static bool is_kernel_log(const char *stat)
{
	return !strncmp(stat, KERNEL_LOG, strlen(KERNEL_LOG));
}

static int see_failures(void *arg, const struct index_stat *s, struct err *e)
{
	struct merge *m = arg;

	return count_failure(m, s->name, is_crash(s->name), false, e);
}

static int run_failures(struct merge *m, struct err *e)
{
	const struct index_run *r = m->run;

	switch (r->outcome) {
	case OUTCOME_OK:
		break;
	case OUTCOME_CRASHED:
	case OUTCOME_LOST:
		if (count_failure(m, outcome_name(r->outcome), true, false, e))
			return -1;
		break;
	case OUTCOME_FAILED:
	case OUTCOME_TIMEOUT:
		if (count_failure(m, outcome_name(r->outcome), false, false, e))
			return -1;
		break;
	case OUTCOME_REFUSED:
	case OUTCOME_ABORTED:
		if (count_failure(m, outcome_name(r->outcome), false, true, e))
			return -1;
		break;
	}
	return 0;
}

static bool in_slots(const struct index_run *r,
		     const struct index_run *const *slot, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slot[i] == r)
			return true;
	return false;
}

/*
 * A run in a slot had its kernel log looked at with its values: reading all
 * of them twice would be half of the time of a comparison.
 */
static int side_failures(struct index *x, struct merge *m,
			 const struct index_run *const *run, size_t n,
			 const struct index_run *const *slot, size_t nslot,
			 bool head, struct err *e)
{
	m->head = head;
	for (size_t i = 0; i < n && !m->q->only_stat; i++) {
		m->run = run[i];
		if (run_failures(m, e))
			return -1;
		if (!in_slots(run[i], slot, nslot) &&
		    index_stats(x, run[i]->id, KERNEL_LOG "*", see_failures, m,
				e))
			return -1;
	}
	return 0;
}

/* ---- values -----------------------------------------------------------------
 */

/* Iterations up to the first that is missing: pairs need the same ones. */
static size_t usable(const struct index_stat *s)
{
	size_t n = 0;

	while (n < s->n && sample_usable(s->value[n]))
		n++;
	return n;
}

static struct seen *look_up(struct merge *m, const struct index_stat *s,
			    struct err *e)
{
	struct seen *k;

	if (s->id >= m->nseen) {
		size_t n = 2 * s->id + 64;

		k = reallocarray(m->seen, n, sizeof(*k));
		if (!k) {
			err_set(e, ERR_LIMIT, "out of memory");
			return NULL;
		}
		memset(k + m->nseen, 0, (n - m->nseen) * sizeof(*k));
		m->seen = k;
		m->nseen = n;
	}
	k = &m->seen[s->id];
	if (k->kind != UNSEEN)
		return k;
	k->at = NOWHERE;
	k->observer = !strcmp(s->name, OBSERVER);
	k->kind = is_kernel_log(s->name)			  ? LOG
		  : m->q->stat && fnmatch(m->q->stat, s->name, 0) ? UNWANTED
								  : WANTED;
	return k;
}

static int see_stat(void *arg, const struct index_stat *s, struct err *e)
{
	struct merge *m = arg;
	struct seen *k = look_up(m, s, e);
	struct compare_stat *st;
	struct sample_boot *b;
	size_t n = usable(s);
	double *v;

	if (!k)
		return -1;
	if (k->observer && n) {
		m->observer[m->head] += s->value[0];
		m->nobserver[m->head]++;
	}
	if (k->kind == LOG)
		return see_failures(m, s, e);
	if (!n || k->kind != WANTED)
		return 0;
	st = find_stat(m, k, s, e);
	v = st ? compare_room(m->g, n, e) : NULL;
	if (!v)
		return -1;
	memcpy(v, s->value, n * sizeof(*v));
	b = m->head ? &st->head[m->slot] : &st->base[m->slot];
	*b = (struct sample_boot){ v, n,
				   st->per_run ? 1 : (size_t)m->run->planned };
	return 0;
}

static int side_values(struct index *x, struct merge *m,
		       const struct index_run *const *run, size_t n, bool head,
		       struct err *e)
{
	m->head = head;
	for (size_t i = 0; i < n; i++) {
		if (!run[i])
			continue;
		m->run = run[i];
		m->slot = i;
		if ((size_t)run[i]->planned > m->g->planned)
			m->g->planned = (size_t)run[i]->planned;
		if (index_stats(x, run[i]->id,
				m->q->only_stat ? m->q->stat : NULL, see_stat,
				m, e))
			return -1;
	}
	return 0;
}

int match_stats(struct index *x, const struct match_query *q,
		const struct match_slots *s, struct compare_group *g,
		struct err *e)
{
	struct merge m = { .q = q, .s = s, .g = g };
	int rc = -1;

	if (!side_values(x, &m, s->base, s->n_base, false, e) &&
	    !side_values(x, &m, s->head, s->n_head, true, e) &&
	    !side_failures(x, &m, s->base_all, s->n_base_all, s->base,
			   s->n_base, false, e) &&
	    !side_failures(x, &m, s->head_all, s->n_head_all, s->head,
			   s->n_head, true, e))
		rc = 0;
	g->base.observer_us = m.observer[0] / (double)m.nobserver[0];
	g->head.observer_us = m.observer[1] / (double)m.nobserver[1];
	tdestroy(m.names, free);
	free(m.seen);
	return rc;
}
