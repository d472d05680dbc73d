/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PLANSIM_H
#define IRONRIG_PLANSIM_H

/*
 * A box made of a few lines that drives the plan: it boots what it is asked
 * for, runs what it gets, and a test says what becomes of each run.
 */

#define UNUSED __attribute__((unused))

#include "plan.h"
#include "tap.h"

#include <stdint.h>

#define KA "base:aaaa"
#define KB "head:bbbb"

struct sim {
	struct lease_log log;
	struct strlist done, bad;
	struct plan_in in;
	struct plan_experiment x[2];
	const char *kernel[3];
	struct plan_job job[3];
	struct plan_step step;
	char boot_id[LEASE_BOOT_ID];
	int boots, leases;
};

UNUSED static void event(struct sim *s, const struct lease_event *ev)
{
	struct err e = ERR_INIT;

	if (lease_log_append(&s->log, ev, &e))
		exit(1);
}

UNUSED static void boot(struct sim *s, const char *kernel, const char *mode)
{
	struct lease_event ev = { .kind = LEASE_BOOT };

	snprintf(s->boot_id, sizeof(s->boot_id),
		 "%08x-0000-4000-8000-000000000000", (unsigned)++s->boots);
	s->in.boot_id = s->boot_id;
	strcpy(ev.boot_id, s->boot_id);
	strcpy(ev.kernel, kernel);
	strcpy(ev.mode, mode);
	event(s, &ev);
}

UNUSED static enum plan_kind next(struct sim *s)
{
	struct err e = ERR_INIT;

	if (plan_next(&s->in, &s->step, &e)) {
		printf("# %s\n", e.msg);
		return (enum plan_kind) - 1;
	}
	return s->step.kind;
}

/* Takes the run of the last step; its lease is in step.ev.lease. */
UNUSED static void lease(struct sim *s)
{
	s->step.ev.kind = LEASE_RUN;
	snprintf(s->step.ev.lease, sizeof(s->step.ev.lease), "%032x",
		 (unsigned)++s->leases);
	event(s, &s->step.ev);
}

UNUSED static void want(struct sim *s)
{
	if (!s->step.again)
		event(s, &s->step.ev);
}

UNUSED static void end(struct sim *s, const char *how, bool stable, bool file)
{
	const struct lease_event *run = lease_last(&s->log, LEASE_RUN);
	struct lease_event ev = { .kind = LEASE_END, .stable = stable };
	struct err e = ERR_INIT;

	strcpy(ev.lease, run->lease);
	strcpy(ev.how, how);
	event(s, &ev);
	if (file && strlist_add(&s->done, ev.lease, &e))
		exit(1);
}

UNUSED static struct conf_experiment queue_of(int count)
{
	static char lock1[] = "lock1", name[] = "q", kind[] = "queue";
	static char *job[] = { lock1 };

	return (struct conf_experiment){
		.name = name,
		.kind = kind,
		.jobs = { job, 1 },
		.count = count,
		.attempts = 3,
	};
}

UNUSED static struct conf_experiment ab_of(int blocks, uint64_t seed)
{
	static char ab[] = "ab";
	struct conf_experiment x = queue_of(0);

	x.name = ab;
	x.kind = ab;
	x.blocks = blocks;
	x.max_blocks = 30;
	x.seed = seed;
	return x;
}

UNUSED static void start(struct sim *s, struct conf_experiment *x,
			 size_t nkernel)
{
	*s = (struct sim){ .kernel = { KA, KB, "third:cccc" } };
	s->x[0] = (struct plan_experiment){
		.x = x, .kernel = s->kernel, .nkernel = nkernel, .job = s->job
	};
	s->job[0].unstable_retries = 2;
	s->in = (struct plan_in){ .log = &s->log,
				  .done = &s->done,
				  .bad = &s->bad,
				  .v = s->x,
				  .n = 1 };
}

UNUSED static void stop(struct sim *s)
{
	s->log.fd = -1;
	lease_log_close(&s->log);
	strlist_free(&s->done);
	strlist_free(&s->bad);
}

/* Boots as asked until a run comes; false when there is nothing to do. */
UNUSED static bool until_run(struct sim *s)
{
	for (int i = 0; i < 3; i++) {
		switch ((int)next(s)) {
		case PLAN_RUN:
			return true;
		case PLAN_BOOT:
			want(s);
			boot(s, s->step.ev.kernel, s->step.ev.mode);
			break;
		case PLAN_LOST:
			end(s, "lost", false, true);
			break;
		case PLAN_NO_BOOT:
			lease(s);
			end(s, "lost", false, true);
			break;
		default:
			return false;
		}
	}
	return false;
}

UNUSED static struct plan_progress how_far(struct sim *s)
{
	struct plan_progress p;

	plan_progress(&s->in, &s->x[0], &p);
	return p;
}

#endif
