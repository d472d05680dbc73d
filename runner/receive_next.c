// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The verb "next": under the box's lock, writes down how the last run ended
 * when nobody else could, asks the plan, writes down the answer, and gives it.
 * What is decided stands in plan.c.
 */
#include "receive.h"
#include "plan_load.h"
#include "receive_point.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TURNS_MAX = 100 }; /* each ends a lost run; attempts end it sooner */

struct turn {
	struct receive *r;
	struct lease_log log;
	struct plan_load plan;
	struct plan_step step;
};

/* A run that ended without a result: its part is of no use to anybody now. */
static int give_up(struct turn *t, const struct lease_event *run,
		   const char *how, const char *reason, struct err *e)
{
	struct receive *r = t->r;
	char file[256], part[sizeof(file) + 1];

	if (receive_end(&t->log, run->lease, how, false, e))
		return -1;
	receive_note(r, how, run->lease, reason);
	if (r->put_lock < 0 &&
	    receive_take_lock(r->incoming, ".lock", &r->put_lock, e))
		return -1;
	snprintf(file, sizeof(file), "%s.%s.tar.lz4.part", r->host.box,
		 run->lease);
	snprintf(part, sizeof(part), ".%s", file);
	return receive_quarantine(r, part, file, reason, e);
}

/*
 * How the boot came about that a run is of (a want says how it should have),
 * and, for a lease of whatever kernel boots, which kernel had booted.
 */
static void fill_boot(const struct turn *t, struct lease_event *run)
{
	for (size_t i = 0; i < t->log.n; i++) {
		const struct lease_event *b = &t->log.v[i];

		if (b->kind != LEASE_BOOT ||
		    strcmp(b->boot_id, run->boot_id) != 0)
			continue;
		if (!*run->mode)
			memcpy(run->mode, b->mode, sizeof(run->mode));
		if (!strcmp(run->kernel, "-"))
			memcpy(run->kernel, b->kernel, sizeof(run->kernel));
	}
}

static int write_lost(struct turn *t, const struct lease_event *run,
		      const char *reason, struct err *e)
{
	struct lease_event copy = *run;

	fill_boot(t, &copy);
	return receive_lost(t->r, &copy, reason, e);
}

static int lose(struct turn *t, struct err *e)
{
	const char *how = outcome_name(OUTCOME_LOST);

	if (give_up(t, &t->step.ev, how, t->step.reason, e))
		return -1;
	return write_lost(t, &t->step.ev, t->step.reason, e);
}

/* A boot that failed is a lost run of the kernel that was asked for. */
static int lose_boot(struct turn *t, struct err *e)
{
	struct lease_event *ev = &t->step.ev;

	ev->kind = LEASE_RUN;
	ev->time_s = time(NULL);
	if (lease_new(ev->lease, e) || lease_log_add(&t->log, ev, e))
		return -1;
	return lose(t, e);
}

/*
 * A lost run whose end is logged and whose tarball is not there: a receiver
 * died in between. Only the last run can be such a one.
 */
static int mend_lost(struct turn *t, struct err *e)
{
	const struct lease_event *run = lease_last(&t->log, LEASE_RUN), *end;

	end = run ? lease_end(&t->log, run->lease) : NULL;
	if (!end || strcmp(end->how, outcome_name(OUTCOME_LOST)) != 0 ||
	    strlist_has(&t->plan.done, run->lease) ||
	    strlist_has(&t->plan.bad, run->lease))
		return 0;
	return write_lost(t, run, "no boot brought its result, and the "
				  "controller was stopped meanwhile", e);
}

/* "next BOOT DONE" without a result of DONE: the box could not bring it. */
static int close_done(struct turn *t, const char *boot_id, const char *done,
		      struct err *e)
{
	const struct lease_event *run = lease_last(&t->log, LEASE_RUN);
	struct lease_event copy;

	if (!done || !run || strcmp(run->lease, done) != 0 ||
	    strcmp(run->boot_id, boot_id) != 0)
		return 0;
	if (strlist_has(&t->plan.done, done) || lease_end(&t->log, done))
		return 0;
	/* refused: over, whatever becomes of the file in quarantine */
	if (strlist_has(&t->plan.bad, done))
		return receive_end(&t->log, done, "gone", false, e);
	copy = *run; /* the log grows under it */
	return give_up(t, &copy, "gone",
		       "the box said done, but brought no result", e);
}

static const struct strlist *bundles_of(const struct turn *t)
{
	for (size_t i = 0; i < t->plan.n; i++)
		if (!strcmp(t->plan.one[i].x.name, t->step.ev.experiment))
			return &t->plan.one[i].bundles;
	return NULL;
}

static int run(struct turn *t, bool is_new, struct buf *answer, struct err *e)
{
	struct lease_event *ev = &t->step.ev;

	if (is_new) {
		ev->time_s = time(NULL);
		if (lease_new(ev->lease, e) || lease_log_add(&t->log, ev, e))
			return -1;
	}
	receive_note(t->r, "run", ev->lease, ev->job);
	buf_printf(answer, "run %s %s %s %d %s %d %d", ev->lease, ev->job,
		   ev->kernel, ev->attempt, ev->experiment, ev->block,
		   ev->position);
	return 0;
}

/* The script points there before the box is told to go. */
static int boot(struct turn *t, struct buf *answer, struct err *e)
{
	struct lease_event *ev = &t->step.ev;
	char name[LEASE_NAME];

	lease_kernel_name(ev->kernel, name);
	if (strcmp(name, "-") != 0 && !strcmp(ev->mode, "firmware") &&
	    receive_point(t->r, name, bundles_of(t), e))
		return -1;
	if (!t->step.again) {
		ev->time_s = time(NULL);
		if (lease_log_add(&t->log, ev, e))
			return -1;
	}
	receive_note(t->r, "boot", NULL, name);
	if (!strcmp(name, "-"))
		buf_puts(answer, "reboot");
	else
		buf_printf(answer, "boot %s %s", ev->mode, ev->kernel);
	return 0;
}

/* 1: answered, 0: ask again. */
static int turn(struct turn *t, struct buf *answer, struct err *e)
{
	t->plan.in.log = &t->log;
	if (plan_next(&t->plan.in, &t->step, e))
		return -1;
	switch (t->step.kind) {
	case PLAN_LOST:
		return lose(t, e);
	case PLAN_NO_BOOT:
		return lose_boot(t, e);
	case PLAN_REPEAT:
	case PLAN_RUN:
		return run(t, t->step.kind == PLAN_RUN, answer, e) ? -1 : 1;
	case PLAN_BOOT:
		return boot(t, answer, e) ? -1 : 1;
	case PLAN_IDLE:
		break;
	}
	if (t->r->host.borrowed) {
		receive_note(t->r, "home", NULL, NULL);
		buf_puts(answer, "reboot");
		return 1;
	}
	receive_note(t->r, "idle", NULL, NULL);
	buf_printf(answer, "idle %d", t->r->host.idle_s);
	return 1;
}

int receive_next(struct receive *r, const char *boot_id, const char *done,
		 struct buf *answer, struct err *e)
{
	struct turn t = { .r = r, .log = { .fd = -1 } };
	int rc;

	if (lease_log_open(r->store, &t.log, e))
		return -1;
	rc = plan_load(r->home, r->host.box, r->host.kernel, &t.plan, e);
	if (!rc) {
		t.plan.in.boot_id = boot_id;
		rc = mend_lost(&t, e);
		if (!rc)
			rc = close_done(&t, boot_id, done, e);
	}
	for (int i = 0; !rc && i < TURNS_MAX; i++)
		rc = turn(&t, answer, e);
	if (!rc)
		rc = err_set(e, ERR_LIMIT, "the plan comes to no answer");
	plan_load_free(&t.plan);
	lease_log_close(&t.log);
	return rc < 0 ? -1 : 0;
}
