// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The job of one run: its file, and what its experiment wants of it. What that
 * is was decided in ab_iterations.c.
 */
#include "runjob.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void runjob_iterations(struct conf_job *j, int n)
{
	int64_t beside = j->warmup + (j->profile.record ? 1 : 0);

	/* both counts are below 20000, a limit below 30 days: no overflow */
	if (n > j->iterations)
		j->run_limit_ms = j->run_limit_ms * (n + beside) /
				  (j->iterations + beside);
	j->iterations = n;
}

/* When the block of that run was begun on this box. */
static int64_t block_begun(const struct lease_log *l,
			   const struct lease_event *run)
{
	const struct lease_event *r = NULL;
	int64_t begun = run->time_s;

	while ((r = lease_before(l, run->experiment, r)))
		if (r->block == run->block && r->time_s < begun)
			begun = r->time_s;
	return begun;
}

/* 0: the job's own number. */
static int wanted(const struct home *h, const struct lease_log *l,
		  const struct lease_event *run)
{
	struct conf_experiment x;
	struct err ignored; /* a run outside of any, or one that was removed */
	char path[160];
	int n;

	snprintf(path, sizeof(path), "conf/experiments/%.64s.cfg",
		 run->experiment);
	if (!conf_name_ok(run->experiment) ||
	    faccessat(h->fd, path, F_OK, 0) < 0 ||
	    conf_experiment_load(h->fd, path, &x, NULL, &ignored))
		return 0;
	n = conf_experiment_iterations(&x, run->job);
	if (n && x.iterations_from &&
	    block_begun(l, run) <= x.iterations_from)
		n = 0;
	conf_experiment_free(&x);
	return n;
}

int runjob_load(const struct home *h, const struct lease_log *l,
		const struct lease_event *run, struct conf_job *j,
		bool *changed, struct err *e)
{
	char path[128];
	int n;

	snprintf(path, sizeof(path), "conf/jobs/%.64s.cfg", run->job);
	if (conf_job_load(h->fd, path, j, NULL, e))
		return -1;
	n = wanted(h, l, run);
	if (changed)
		*changed = n && n != j->iterations;
	if (n)
		runjob_iterations(j, n);
	return 0;
}
