// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Sitting beside an experiment: results are collected as they arrive, the
 * stopping rule is asked after each block, boxes past their deadlines are
 * tended. Nothing of the experiment depends on it but `--until decided': the
 * boxes and `receive' go on without.
 */
#include "ab.h"
#include "boxview.h"
#include "collect.h"
#include "tend.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	POLL_MS = 500,
	STEP_MS = 50,
	TEND_S = 10,
};

struct watch {
	const struct ab_wait *w;
	struct conf_experiment *x;
	struct index *index;
	time_t tended;
	bool changed;      /* results came since the last look */
	int quarantined;
	char line[256];	   /* the last one said */
	/* of this turn */
	int kept, wanted, dropped, block, active, idle_end[PLAN_BLOCKED + 1];
	size_t lost; /* boxes */
};

static void say(struct watch *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void say(struct watch *s, const char *fmt, ...)
{
	char line[sizeof(s->line)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (!s->w->say || !strcmp(line, s->line))
		return;
	memcpy(s->line, line, sizeof(line));
	s->w->say(s->w->arg, line);
}

/* ---- collecting ------------------------------------------------------------- */

static void on_event(void *arg, enum collect_event ev, const char *box,
		     const char *file, const struct store_read *r,
		     const char *what)
{
	struct watch *s = arg;

	(void)r;
	switch (ev) {
	case COLLECT_STORED:
	case COLLECT_INDEXED:
		s->changed = true;
		break;
	case COLLECT_DUPLICATE:
		break;
	case COLLECT_QUARANTINED:
		s->quarantined++;
		say(s, "quarantined %s/%s: %s", box, file, what);
		break;
	case COLLECT_UNREADABLE:
		say(s, "store/%s/%s is no result: %s", box, file, what);
		break;
	case COLLECT_LEFT:
		say(s, "left %s/%s: %s", box, file, what);
	}
}

/* Only then is the lock worth taking. */
static int something_came(const struct watch *s, bool *came, struct err *e)
{
	*came = false;
	for (size_t i = 0; !*came && i < s->x->boxes.n; i++) {
		struct strlist files;
		char dir[128];

		snprintf(dir, sizeof(dir), "incoming/%s", s->x->boxes.v[i]);
		if (collect_names(s->w->home, dir, COLLECT_SUFFIX, &files, e))
			return -1;
		*came = files.n > 0;
		strlist_free(&files);
	}
	return 0;
}

static int collect(struct watch *s, bool always, struct err *e)
{
	const struct collect c = { .home = s->w->home,
				   .x = s->index,
				   .event = on_event,
				   .arg = s,
				   .stop = s->w->stop };
	bool came = always;
	int lock, rc;

	if (!always && something_came(s, &came, e))
		return -1;
	if (!came)
		return 0;
	lock = collect_lock(s->w->home, e);
	if (lock < 0)
		return -1;
	rc = always ? collect_pass(&c, e) : collect_incoming(&c, e);
	close(lock);
	return rc;
}

/* ---- looking ------------------------------------------------------------------ */

static void say_line(void *arg, const char *line)
{
	say(arg, "%s", line);
}

static int look(struct watch *s, struct err *e)
{
	if (!s->changed)
		return 0;
	s->changed = false;
	return ab_attend(s->w->home, s->x, say_line, s, e);
}

/* ---- how far it is ---------------------------------------------------------------- */

static int see_box(struct watch *s, const char *box, bool *found,
		   struct err *e)
{
	struct boxview v;

	if (boxview_load(s->w->home, box, time(NULL), &v, e))
		return -1;
	for (size_t i = 0; i < v.plan.n; i++) {
		struct plan_progress p;

		if (strcmp(v.plan.v[i].x->name, s->x->name) != 0)
			continue;
		plan_progress(&v.plan.in, &v.plan.v[i], &p);
		*found = true;
		s->kept = p.done;
		s->wanted = p.wanted;
		s->dropped += p.failed;
		s->block = p.block;
		/* what it runs now is still to come, decided or not */
		if (p.end == PLAN_ACTIVE ||
		    (v.run && !strcmp(v.run->experiment, s->x->name)))
			s->active++;
		else
			s->idle_end[p.end]++;
	}
	boxview_free(&v);
	return 0;
}

static int see(struct watch *s, struct err *e)
{
	s->kept = s->wanted = s->dropped = s->block = s->active = 0;
	memset(s->idle_end, 0, sizeof(s->idle_end));
	for (size_t i = 0; i < s->x->boxes.n; i++) {
		bool found = false;

		if (see_box(s, s->x->boxes.v[i], &found, e))
			return -1;
		if (!found)
			return err_set(e, ERR_CONFLICT,
				       "the plan of box %s leaves %s out: "
				       "`ironrig status %s' says why",
				       s->x->boxes.v[i], s->x->name,
				       s->x->boxes.v[i]);
	}
	if (s->active && s->dropped)
		say(s, "block %d: %d of %s%d kept, %d dropped", s->block,
		    s->kept, s->x->until_decided ? "at most " : "", s->wanted,
		    s->dropped);
	else if (s->active)
		say(s, "block %d: %d of %s%d kept", s->block, s->kept,
		    s->x->until_decided ? "at most " : "", s->wanted);
	return 0;
}

static enum ab_end end_of(const struct watch *s)
{
	return s->idle_end[PLAN_FINISHED] || s->idle_end[PLAN_DECIDED] ?
		       AB_FINISHED :
	       s->idle_end[PLAN_GIVEN_UP] ? AB_GIVEN_UP :
	       s->idle_end[PLAN_BLOCKED]  ? AB_BLOCKED :
					    AB_STOPPED;
}

static int tend(struct watch *s, struct err *e)
{
	time_t now = time(NULL);

	if (now - s->tended < TEND_S)
		return 0;
	s->tended = now;
	s->lost = 0;
	for (size_t i = 0; i < s->x->boxes.n; i++) {
		const char *box = s->x->boxes.v[i];
		struct tend t;

		if (tend_box(s->w->home, box, now, &t, e))
			return -1;
		if (t.did == TEND_CYCLED || t.did == TEND_FAILED)
			say(s, "box %s: %s", box, t.text);
		/* a person may be on the way to it */
		s->lost += tend_lost(&t) && s->w->lost_after_s &&
			   t.silent_s >= s->w->lost_after_s;
	}
	return 0;
}

/* ---- the sitting -------------------------------------------------------------------- */

static void rest(const struct watch *s)
{
	for (int ms = 0; ms < POLL_MS && !*s->w->stop; ms += STEP_MS)
		usleep(STEP_MS * 1000);
}

/* As it is on disk now: blocks may have been edited, or a stop asked for. */
static int reload(struct watch *s, struct err *e)
{
	struct conf_experiment x;

	if (ab_load(s->w->home, s->x->name, &x, e))
		return -1;
	conf_experiment_free(s->x);
	*s->x = x;
	return 0;
}

/* A box of it could not kexec: the firmware's turn is another experiment. */
static int follow(struct watch *s, struct err *e)
{
	struct conf_experiment x;
	char name[128];

	if (!s->x->stopped || s->x->boot != BOOT_KEXEC)
		return 0;
	snprintf(name, sizeof(name), "%s" AB_OVER, s->x->name);
	if (ab_load(s->w->home, name, &x, e))
		return e->kind == ERR_NOTFOUND ? 0 : -1;
	say(s, "kexec was refused: it starts over by firmware, as %s", name);
	conf_experiment_free(s->x);
	*s->x = x;
	s->changed = true;
	return 0;
}

/* 1: it is over, *end says how. */
static int turn(struct watch *s, enum ab_end *end, struct err *e)
{
	enum boot_mode was;

	if (reload(s, e) || follow(s, e) || collect(s, false, e) ||
	    look(s, e) || see(s, e))
		return -1;
	was = s->x->boot;
	if (!s->active) {
		/* it may have been started over since it was read */
		if (reload(s, e) || follow(s, e))
			return -1;
		*end = end_of(s);
		return s->x->boot == was;
	}
	if (tend(s, e))
		return -1;
	if (s->lost < s->x->boxes.n)
		return 0;
	*end = AB_LOST;
	return 1;
}

int ab_wait(const struct ab_wait *w, struct conf_experiment *x,
	    enum ab_end *end, struct err *e)
{
	struct watch s = { .w = w, .x = x, .changed = true };
	int rc = index_open(w->home->path, &s.index, e);

	if (!rc)
		rc = collect(&s, true, e);
	*end = AB_INTERRUPTED;
	while (!rc && !*w->stop) {
		rc = turn(&s, end, e);
		if (!rc)
			rest(&s);
	}
	if (rc > 0)
		rc = collect(&s, false, e);
	index_close(s.index);
	return rc;
}
