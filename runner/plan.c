// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The next step of a box: what of its log is still open, then the first slot
 * that an experiment still wants, then whether this boot may run it. What an
 * experiment wants is planslot.c's.
 */
#include "planslot.h"

#include <stdio.h>
#include <string.h>

/* Since the box's last hello of another boot than this one, nothing is. */
static const struct lease_event *this_boot(const struct plan_in *in,
					   struct err *e)
{
	const struct lease_event *b = lease_last(in->log, LEASE_BOOT);

	if (b && !strcmp(b->boot_id, in->boot_id))
		return b;
	for (size_t i = in->log->n; i-- > 0;)
		if (in->log->v[i].kind == LEASE_BOOT &&
		    !strcmp(in->log->v[i].boot_id, in->boot_id)) {
			err_set(e, ERR_CONFLICT,
				"boot %s is over: %s said hello after it",
				in->boot_id, b->boot_id);
			return NULL;
		}
	err_set(e, ERR_CONFLICT, "boot %s: hello comes first", in->boot_id);
	return NULL;
}

static void describe(struct plan_step *out, enum plan_kind kind,
		     const struct lease_event *ev)
{
	out->kind = kind;
	out->ev = *ev;
}

/* A run that this or an earlier boot has not brought to an end. */
static bool open_run(const struct plan_in *in, struct plan_step *out)
{
	const struct lease_event *run = lease_last(in->log, LEASE_RUN);

	if (!run || plan_run_state(in, run) != RUN_OPEN)
		return false;
	if (!strcmp(run->boot_id, in->boot_id)) {
		describe(out, PLAN_REPEAT, run);
		return true;
	}
	describe(out, PLAN_LOST, run);
	snprintf(out->reason, sizeof(out->reason),
		 "boot %s ended without a result, boot %s came after it",
		 run->boot_id, in->boot_id);
	return true;
}

/* The last want, when no run followed it. */
static const struct lease_event *open_want(const struct plan_in *in)
{
	for (size_t i = in->log->n; i-- > 0;) {
		if (in->log->v[i].kind == LEASE_RUN)
			return NULL;
		if (in->log->v[i].kind == LEASE_WANT)
			return &in->log->v[i];
	}
	return NULL;
}

static bool kernel_fits(const char *wanted, const char *got)
{
	return !strcmp(wanted, "-") || !strcmp(wanted, got);
}

/*
 * Whether the boot that followed want is the asked one. Only the first counts:
 * when it died before it asked for work, the kernel is to blame and not the
 * boot that came after.
 */
static bool want_met(const struct plan_in *in, const struct lease_event *want,
		     struct plan_step *out)
{
	const struct lease_event *end = in->log->v + in->log->n, *b = want + 1;

	while (b < end && b->kind != LEASE_BOOT)
		b++;
	if (b == end)
		return false;
	if (!kernel_fits(want->kernel, b->kernel))
		snprintf(out->reason, sizeof(out->reason),
			 "asked for kernel %.48s, %.48s came up", want->kernel,
			 b->kernel);
	else if (strcmp(b->mode, "-") != 0 && strcmp(b->mode, want->mode) != 0)
		snprintf(out->reason, sizeof(out->reason),
			 "asked for a boot by %s, it came by %s", want->mode,
			 b->mode);
	else if (strcmp(b->boot_id, in->boot_id) != 0)
		snprintf(out->reason, sizeof(out->reason),
			 "boot %s came up and ended before it asked for work",
			 b->boot_id);
	else
		return true;
	return false;
}

static bool same_slot(const struct lease_event *a, const struct lease_event *b)
{
	return !strcmp(a->experiment, b->experiment) && a->block == b->block &&
	       a->position == b->position && !strcmp(a->job, b->job) &&
	       !strcmp(a->kernel, b->kernel);
}

/*
 * The runs of this boot: 0 none, 1 all of those that may share it with ev, 2
 * others. Runs of an A/B share a boot within their place in a block only.
 */
static int used_for(const struct plan_in *in, const struct conf_experiment *x,
		    const struct lease_event *ev)
{
	bool ab = !strcmp(x->kind, "ab");
	int used = 0;

	for (size_t i = 0; i < in->log->n; i++) {
		const struct lease_event *r = &in->log->v[i];

		if (r->kind != LEASE_RUN || strcmp(r->boot_id, in->boot_id))
			continue;
		if (strcmp(r->experiment, ev->experiment) != 0 ||
		    (ab && (r->block != ev->block ||
			    r->position != ev->position)))
			return 2;
		used = 1;
	}
	return used;
}

static const char *mode_name(enum boot_mode m)
{
	return m == BOOT_KEXEC ? "kexec" : "firmware";
}

static void decide(const struct plan_in *in, const struct plan_slot *s,
		   const struct lease_event *boot,
		   const struct lease_event *want, bool met,
		   struct plan_step *out)
{
	const struct conf_experiment *x = s->from->x;
	bool asked = met && !strcmp(want->experiment, x->name);
	int used = used_for(in, x, &s->ev);

	out->ev = s->ev;
	snprintf(out->ev.boot_id, sizeof(out->ev.boot_id), "%s", in->boot_id);
	if (kernel_fits(s->ev.kernel, boot->kernel) &&
	    ((used == 1 && x->jobs_share_boot) ||
	     (used == 0 && (asked || !s->must_ask)))) {
		out->kind = PLAN_RUN;
		out->ev.kind = LEASE_RUN;
		return;
	}
	out->kind = PLAN_BOOT;
	out->ev.kind = LEASE_WANT;
	snprintf(out->ev.mode, sizeof(out->ev.mode), "%s",
		 mode_name(x->boot));
	out->again = want && !strcmp(want->boot_id, in->boot_id) &&
		     same_slot(want, &out->ev) &&
		     !strcmp(want->mode, out->ev.mode);
}

static bool active(const struct plan_in *in, const char *experiment)
{
	for (size_t i = 0; i < in->n; i++) {
		struct plan_progress p;

		if (strcmp(in->v[i].x->name, experiment) != 0)
			continue;
		plan_progress(in, &in->v[i], &p);
		return p.end == PLAN_ACTIVE;
	}
	return false;
}

int plan_next(const struct plan_in *in, struct plan_step *out, struct err *e)
{
	const struct lease_event *boot, *want;
	bool met = false;

	*out = (struct plan_step){ .kind = PLAN_IDLE };
	boot = this_boot(in, e);
	if (!boot)
		return -1;
	if (open_run(in, out))
		return 0;
	want = open_want(in);
	if (want && strcmp(want->boot_id, in->boot_id) != 0) {
		met = want_met(in, want, out);
		if (!met && active(in, want->experiment)) {
			describe(out, PLAN_NO_BOOT, want);
			return 0;
		}
	}
	for (size_t i = 0; i < in->n; i++) {
		struct plan_slot s;

		if (plan_slot(in, &in->v[i], &s)) {
			decide(in, &s, boot, want, met, out);
			break;
		}
	}
	return 0;
}
