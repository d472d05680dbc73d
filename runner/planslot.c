// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What an experiment still wants of a box, by counting what became of the
 * runs that stand in its log. Whether the box may run it now is plan.c's.
 */
#include "planslot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 128 }; /* slots of a queue tallied in one walk of its runs */

/* ---- one run ------------------------------------------------------------- */

static bool no_result_of_its_own(const char *how)
{
	return !strcmp(how, outcome_name(OUTCOME_LOST)) ||
	       !strcmp(how, outcome_name(OUTCOME_CRASHED)) ||
	       !strcmp(how, outcome_name(OUTCOME_ABORTED)) ||
	       !strcmp(how, "gone");
}

static int by_name(const void *key, const void *elem)
{
	return strcmp(key, *(char *const *)elem);
}

static bool has(const struct strlist *sorted, const char *lease)
{
	return sorted && sorted->n &&
	       bsearch(lease, sorted->v, sorted->n, sizeof(sorted->v[0]),
		       by_name);
}

/* in->done NULL: another box's log, whose files are not looked at. */
enum plan_run plan_run_state(const struct plan_in *in,
			     const struct lease_event *run)
{
	const struct lease_event *end =
		lease_end(in->log, run->lease);
	bool here = in->done ? has(in->done, run->lease) : !!end;

	if (end && no_result_of_its_own(end->how))
		return RUN_LOST;
	if (here && end && strcmp(end->how, outcome_name(OUTCOME_OK)) != 0)
		return RUN_FAILED;
	if (here)
		return !end || end->stable ? RUN_GOOD : RUN_UNSTABLE;
	if (has(in->bad, run->lease))
		return RUN_LOST;
	return run == lease_last(in->log, LEASE_RUN) ? RUN_OPEN : RUN_LOST;
}

struct tally {
	int good, unstable, failed, lost, open;
};

static void count(struct tally *t, enum plan_run state)
{
	switch (state) {
	case RUN_GOOD:
		t->good++;
		break;
	case RUN_UNSTABLE:
		t->unstable++;
		break;
	case RUN_FAILED:
		t->failed++;
		break;
	case RUN_LOST:
		t->lost++;
		break;
	case RUN_OPEN:
		t->open++;
	}
}

/* Runs of x; block, position < 0 and job NULL mean any. */
static struct tally tally(const struct plan_in *in, const char *x, int block,
			  int position, const char *job)
{
	const struct lease_event *r = NULL;
	struct tally t = { 0 };

	while ((r = lease_before(in->log, x, r)))
		if ((block < 0 || r->block == block) &&
		    (position < 0 || r->position == position) &&
		    (!job || !strcmp(r->job, job)))
			count(&t, plan_run_state(in, r));
	return t;
}

static int tried(const struct tally *t)
{
	return t->good + t->unstable + t->failed + t->lost + t->open;
}

static void fill(const struct plan_experiment *x, struct plan_slot *s,
		 int block, int position, const char *kernel, size_t job,
		 int attempt)
{
	*s = (struct plan_slot){ .from = x };
	snprintf(s->ev.experiment, sizeof(s->ev.experiment), "%s", x->x->name);
	snprintf(s->ev.job, sizeof(s->ev.job), "%s", x->x->jobs.v[job]);
	snprintf(s->ev.kernel, sizeof(s->ev.kernel), "%s", kernel);
	s->ev.block = block;
	s->ev.position = position;
	s->ev.attempt = attempt;
	/* by kexec: a box that is in that kernel already did not come so */
	s->must_ask = x->job[job].bundles || x->x->boot == BOOT_KEXEC;
}

/* ---- queue --------------------------------------------------------------- */

static bool queue_done(const struct tally *t, const struct plan_job *job)
{
	return t->good || t->failed || t->unstable > job->unstable_retries;
}

/* t[i] is that of slot from + i; slots go block by block, job by job. */
static void queue_tally(const struct plan_in *in,
			const struct plan_experiment *x, int from,
			struct tally t[WINDOW])
{
	const struct strlist *jobs = &x->x->jobs;
	const struct lease_event *r = NULL;

	memset(t, 0, WINDOW * sizeof(*t));
	while ((r = lease_before(in->log, x->x->name, r)))
		for (size_t j = 0; j < jobs->n; j++) {
			int64_t i = ((int64_t)r->block - 1) * (int64_t)jobs->n +
				    (int64_t)j - from;

			if (i >= 0 && i < WINDOW && !strcmp(jobs->v[j], r->job))
				count(&t[i], plan_run_state(in, r));
		}
}

static void queue_progress(const struct plan_in *in,
			   const struct plan_experiment *x,
			   struct plan_progress *p, struct plan_slot *next)
{
	struct tally window[WINDOW];
	int n = (int)x->x->jobs.n;

	p->wanted = x->x->count * n;
	for (int i = 0; i < p->wanted; i++) {
		const struct tally *t = &window[i % WINDOW];
		size_t j = (size_t)(i % n);

		if (i % WINDOW == 0)
			queue_tally(in, x, i, window);
		if (queue_done(t, &x->job[j])) {
			p->done++;
		} else if (t->lost >= x->x->attempts) {
			p->failed++;
		} else if (!p->block) {
			p->block = i / n + 1;
			if (next)
				fill(x, next, p->block, 1, x->kernel[0], j,
				     tried(t) + 1);
		}
	}
	if (!p->block)
		p->end = p->done || !p->wanted ? PLAN_FINISHED : PLAN_GIVEN_UP;
}

/* ---- ab ------------------------------------------------------------------ */

struct blocks {
	int last;    /* the highest number so far, -1: none */
	int kept, dropped, in_a_row;
	bool within; /* the last one is in progress */
};

static bool block_clean(const struct tally *t)
{
	return !t->unstable && !t->failed && !t->lost;
}

/* Block 0 is over when each of its slots was tried; it counts nowhere. */
static struct blocks blocks_of(const struct plan_in *in,
			       const struct plan_experiment *x)
{
	int slots = (int)(x->nkernel * x->x->jobs.n);
	struct blocks b = { .last = -1 };

	for (int n = 0;; n++) {
		struct tally t = tally(in, x->x->name, n, -1, NULL);

		if (!tried(&t))
			return b;
		b.last = n;
		b.within = tried(&t) < slots && (!n || block_clean(&t));
		if (!n || b.within)
			continue;
		if (t.good == slots) {
			b.kept++;
			b.in_a_row = 0;
		} else if (!t.open) {
			b.dropped++;
			b.in_a_row++;
		}
	}
}

static int kept_elsewhere(const struct plan_experiment *x)
{
	int kept = 0;

	for (size_t i = 0; i < x->nothers; i++) {
		struct plan_in other = { .log = &x->others[i] };

		kept += blocks_of(&other, x).kept;
	}
	return kept;
}

/* The slots of a block: job by job, or boot by boot when jobs share it. */
static void slot_at(const struct plan_experiment *x, int i, int *position,
		    size_t *job)
{
	int k = (int)x->nkernel, j = (int)x->x->jobs.n;

	*position = (x->x->jobs_share_boot ? i / j : i % k) + 1;
	*job = (size_t)(x->x->jobs_share_boot ? i % j : i / k);
}

static struct plan_builds builds_of(const struct plan_experiment *x, size_t k)
{
	return x->builds ? x->builds[k] :
			   (struct plan_builds){ &x->kernel[k], 1 };
}

/* Which kernel this is a build of; x->nkernel: of none. */
static size_t kernel_of(const struct plan_experiment *x, const char *word)
{
	for (size_t k = 0; k < x->nkernel; k++) {
		struct plan_builds b = builds_of(x, k);

		for (size_t i = 0; i < b.n; i++)
			if (!strcmp(b.word[i], word))
				return k;
	}
	return x->nkernel;
}

/*
 * What was kept may change between the boots of a block, when a stored result
 * turns out bad. Whatever order the count says then, no kernel runs twice in
 * a block, and all jobs find the same build at a position.
 */
static const char *kernel_at(const struct plan_in *in,
			     const struct plan_experiment *x,
			     const struct blocks *b, int block, int position)
{
	const struct lease_event *r = NULL;
	bool taken[PLAN_KERNELS_MAX] = { false };
	struct plan_builds builds;
	int n = (int)x->nkernel, k;

	while ((r = lease_before(in->log, x->x->name, r))) {
		if (r->block != block)
			continue;
		k = (int)kernel_of(x, r->kernel);
		if (k == n)
			continue;
		if (r->position == position)
			return r->kernel;
		taken[k] = true;
	}
	/* the warm-up block takes the kernels as they were given */
	k = block ? plan_order(x->x->seed, n, b->kept, position) :
		    position - 1;
	for (int i = 0; i < n && taken[k]; i++)
		k = (k + 1) % n;
	builds = builds_of(x, (size_t)k);
	return builds.word[block ? plan_build(x->x->seed, n, k, (int)builds.n,
					      b->kept) :
				   0];
}

static void ab_slot(const struct plan_in *in, const struct plan_experiment *x,
		    const struct blocks *b, int block, struct plan_slot *s)
{
	int slots = (int)(x->nkernel * x->x->jobs.n), position;
	size_t job;

	for (int i = 0; i < slots; i++) {
		struct tally t;

		slot_at(x, i, &position, &job);
		t = tally(in, x->x->name, block, position, x->x->jobs.v[job]);
		if (tried(&t))
			continue;
		fill(x, s, block, position,
		     kernel_at(in, x, b, block, position), job,
		     b->in_a_row + 1);
		s->must_ask = true; /* both boots of a block come about alike */
		return;
	}
}

static void ab_progress(const struct plan_in *in,
			const struct plan_experiment *x,
			struct plan_progress *p, struct plan_slot *next)
{
	struct blocks b = blocks_of(in, x);

	p->wanted = x->x->until_decided ? x->x->max_blocks : x->x->blocks;
	p->done = b.kept + kept_elsewhere(x);
	p->failed = b.dropped;
	p->block = b.within ? b.last : b.last + 1;
	if (b.in_a_row >= x->x->attempts ||
	    (b.dropped >= x->x->attempts && b.dropped > p->wanted))
		p->end = PLAN_GIVEN_UP;
	/* half a block is no use to anybody: it is brought to its end */
	else if (p->done >= p->wanted && !(b.within && b.last > 0))
		p->end = PLAN_FINISHED;
	else if (next)
		ab_slot(in, x, &b, p->block, next);
}

/* ---- both ---------------------------------------------------------------- */

static bool registered(const struct plan_experiment *x)
{
	for (size_t k = 0; k < x->nkernel; k++) {
		struct plan_builds b = builds_of(x, k);

		for (size_t i = 0; i < b.n; i++)
			if (!b.word[i])
				return false;
	}
	return true;
}

static void progress(const struct plan_in *in, const struct plan_experiment *x,
		     struct plan_progress *p, struct plan_slot *next)
{
	*p = (struct plan_progress){ .end = PLAN_ACTIVE };
	if (!x->x->jobs.n || !x->nkernel || x->nkernel > PLAN_KERNELS_MAX)
		p->end = PLAN_FINISHED;
	else if (!strcmp(x->x->kind, "ab"))
		ab_progress(in, x, p, next);
	else
		queue_progress(in, x, p, next);
	if (p->end != PLAN_ACTIVE)
		return;
	if (!registered(x))
		p->end = PLAN_BLOCKED;
	if (x->x->stopped)
		p->end = PLAN_STOPPED;
	else if (x->decided)
		p->end = PLAN_DECIDED;
}

void plan_progress(const struct plan_in *in, const struct plan_experiment *x,
		   struct plan_progress *out)
{
	progress(in, x, out, NULL);
}

bool plan_slot(const struct plan_in *in, const struct plan_experiment *x,
	       struct plan_slot *out)
{
	struct plan_progress p;

	if (!registered(x))
		return false;
	progress(in, x, &p, out);
	return p.end == PLAN_ACTIVE;
}
