// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The measuring half of `ironrig bisect': experiments with names that are
 * found again, and the judgement. How a candidate comes to be a registered
 * kernel is cmd_bisect.c's.
 */
#include "bisect.h"
#include "sha256.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	ENDS_BLOCKS = 8, /* the ends are measured once: better than a step */
	LOST_S = 60,	 /* behind the box's own deadlines */
};
#define CONFIDENCE .99 /* DESIGN: 125 when this interval holds the middle */

/* ---- experiments ---------------------------------------------------------------- */

/* The same question has the same name, so that a second call goes on. */
static int name_of(const struct bisect *b, const char *what, const char *head,
		   char out[64], struct err *e)
{
	struct sha256 *s = sha256_new();
	struct buf text = { 0 };
	char hex[SHA256_HEX];
	int rc;

	buf_printf(&text, "%s\n%s\n%s\n%d\n", b->good, head, b->job, b->blocks);
	for (size_t i = 0; i < b->boxes->n; i++)
		buf_printf(&text, "%s\n", b->boxes->v[i]);
	rc = s ? buf_ok(&text, e) : err_set(e, ERR_LIMIT, "out of memory");
	if (!rc) {
		sha256_add(s, text.data, text.len);
		sha256_hex(s, hex);
		snprintf(out, 64, "bisect-%s-%.12s", what, hex);
	}
	sha256_free(s);
	buf_free(&text);
	return rc;
}

static int begin(const struct bisect *b, const char *name, const char *head,
		 int blocks, struct conf_experiment *x, struct err *e)
{
	struct ab_ask ask = {
		.boxes = *b->boxes,
		.name = name,
		.blocks = blocks,
		.boot_given = b->boot_given,
		.boot = b->boot,
		.delta = b->delta,
	};
	struct strlist notes = { 0 };
	int rc = strlist_add(&ask.kernels, b->good, e);

	if (!rc)
		rc = strlist_add(&ask.kernels, head, e);
	if (!rc)
		rc = strlist_add(&ask.jobs, b->job, e);
	if (!rc)
		rc = ab_make(b->home, &ask, x, &notes, e);
	if (!rc) {
		rc = ab_start(b->home, x, e);
		if (rc)
			conf_experiment_free(x);
	}
	strlist_free(&ask.kernels);
	strlist_free(&ask.jobs);
	strlist_free(&notes);
	return rc;
}

static int go_on(const struct bisect *b, struct conf_experiment *x,
		 struct err *e)
{
	int lock, rc;

	if (!x->stopped)
		return 0;
	if (ab_lock(b->home, &lock, e))
		return -1;
	rc = ab_resume(b->home, x, 0, 0, e);
	if (!rc)
		rc = ab_save(b->home, x, e);
	close(lock);
	return rc;
}

/* Nobody waits for it any more: the box is free for what comes next. */
static int halt(const struct bisect *b, struct conf_experiment *x,
		struct err *e)
{
	int lock, rc;

	if (ab_lock(b->home, &lock, e))
		return -1;
	x->stopped = true;
	rc = ab_save(b->home, x, e);
	close(lock);
	return rc;
}

static const char *why_not(enum ab_end end)
{
	switch (end) {
	case AB_FINISHED:
		return NULL;
	case AB_STOPPED:
		return "was stopped";
	case AB_GIVEN_UP:
		return "was given up: too many of its boots failed";
	case AB_LOST:
		return "lost its box";
	case AB_BLOCKED:
		return "lost a kernel";
	case AB_INTERRUPTED:
		break;
	}
	return "was interrupted";
}

/* *f is what is known by then, also when it did not come to its end. */
static int measure(const struct bisect *b, const char *what, const char *head,
		   int blocks, struct ab_effect *f, enum ab_end *end,
		   struct err *e)
{
	const struct ab_wait w = { .home = b->home,
				   .stop = b->stop,
				   .lost_after_s = LOST_S,
				   .say = b->say,
				   .arg = b->arg };
	struct conf_experiment x;
	char name[64], path[160];
	int rc;

	if (name_of(b, what, head, name, e))
		return -1;
	snprintf(path, sizeof(path), "conf/experiments/%s.cfg", name);
	if (faccessat(b->home->fd, path, F_OK, 0) < 0)
		rc = begin(b, name, head, blocks, &x, e);
	else
		rc = ab_load(b->home, name, &x, e);
	if (rc)
		return -1;
	rc = go_on(b, &x, e);
	if (!rc)
		rc = ab_wait(&w, &x, end, e);
	if (!rc && (*end == AB_INTERRUPTED || *end == AB_LOST))
		rc = halt(b, &x, e);
	if (!rc)
		rc = ab_effect(b->home, &x, b->job, b->stat, CONFIDENCE, f, e);
	conf_experiment_free(&x);
	return rc;
}

/* ---- judging ------------------------------------------------------------------------ */

enum bisect_answer bisect_judge(const struct ab_effect *f, double middle)
{
	if (isnan(f->lo) || (f->lo <= middle && middle <= f->hi))
		return BISECT_SKIP;
	return (f->diff > middle) == (middle > 0) ? BISECT_BAD : BISECT_GOOD;
}

static void shown(const struct ab_effect *f, double y, char out[48])
{
	if (f->linear)
		snprintf(out, 48, "%+.4g %.20s", y, f->unit);
	else
		snprintf(out, 48, "%+.2f %%", 100 * expm1(y));
}

static void describe(const struct ab_effect *f, const char *head,
		     double middle, const char *word, char text[BISECT_TEXT])
{
	char diff[48], lo[48], hi[48], mid[48];

	shown(f, f->diff, diff);
	shown(f, f->lo, lo);
	shown(f, f->hi, hi);
	shown(f, middle, mid);
	snprintf(text, BISECT_TEXT,
		 "%.64s: %.100s %s [99 %%: %s, %s], middle %s%s", head, f->stat,
		 diff, lo, hi, mid, word);
}

/* Without a bad kernel: half of the change that was told, else delta. */
static int told(const struct bisect *b, const struct ab_effect *f,
		double *middle, struct err *e)
{
	double change = b->change / 2;

	if (change < 0 || change > 0) {
		*middle = f->linear ? change * f->value : log1p(b->change) / 2;
		return 0;
	}
	if (!f->better || f->linear)
		return err_set(e, ERR_INPUT,
			       "%.64s does not tell good from bad by itself: "
			       "--bad-kernel or --change is needed",
			       f->stat);
	*middle = log1p(f->better > 0 ? -b->delta : b->delta);
	return 0;
}

int bisect_step(const struct bisect *b, const char *candidate, double middle,
		enum bisect_answer *answer, char text[BISECT_TEXT], struct err *e)
{
	struct ab_effect f;
	enum ab_end end;

	*answer = BISECT_SKIP;
	if (measure(b, "step", candidate, b->blocks, &f, &end, e))
		return -1;
	if (end != AB_FINISHED || !f.blocks) {
		snprintf(text, BISECT_TEXT, "%.64s: its experiment %s", candidate,
			 end == AB_FINISHED ? "has no results" : why_not(end));
		if (end == AB_INTERRUPTED)
			*answer = BISECT_ABORT;
		return 0;
	}
	if (isnan(middle) && told(b, &f, &middle, e)) {
		*answer = BISECT_ABORT;
		return -1;
	}
	*answer = bisect_judge(&f, middle);
	describe(&f, candidate, middle,
		 *answer == BISECT_GOOD ? ": good" :
		 *answer == BISECT_BAD	? ": bad" :
					  ": cannot be told",
		 text);
	return 0;
}

int bisect_middle(const struct bisect *b, double *middle,
		  enum bisect_answer *answer, char text[BISECT_TEXT], struct err *e)
{
	struct ab_effect f;
	enum ab_end end;

	*answer = BISECT_GOOD;
	*middle = NAN;
	if (!b->bad)
		return 0;
	*answer = BISECT_ABORT;
	if (measure(b, "ends", b->bad, ENDS_BLOCKS, &f, &end, e))
		return -1;
	if (end != AB_FINISHED || !f.blocks) {
		snprintf(text, BISECT_TEXT, "the ends: their experiment %s",
			 end == AB_FINISHED ? "has no results" : why_not(end));
		return 0;
	}
	*middle = f.diff / 2;
	/* a change below delta is not what anybody hunts */
	if ((f.lo > 0 || f.hi < 0) &&
	    (f.linear || fabs(expm1(f.diff)) >= b->delta))
		*answer = BISECT_GOOD;
	describe(&f, b->bad, *middle,
		 *answer == BISECT_GOOD ? "" :
					  ": the ends do not differ, there is "
					  "nothing to hunt for",
		 text);
	return 0;
}
