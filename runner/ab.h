/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_AB_H
#define IRONRIG_AB_H

#include "conf.h"
#include "home.h"

#include <signal.h>

/*
 * Experiments of kind "ab", from the controller's side: made, estimated,
 * waited for, judged. What a box does next is the plan's (plan.h), which reads
 *
 *   conf/experiments/NAME.cfg      what was asked; edited while it runs
 *   conf/experiments/NAME.decided  it is; the text says by which look
 *   conf/experiments/NAME.looks    one line a look: BLOCKS SETTLED OF TIME
 */

/* Added to the name of one that starts over by firmware. */
#define AB_OVER "-firmware"

/* What the user asked for; 0, NULL or false: not given. */
struct ab_ask {
	struct strlist kernels; /* base first */
	struct strlist boxes, jobs;
	const char *name;
	int64_t blocks, max_blocks;
	bool until_decided, share_boot;
	int64_t iterations; /* of every run; 0: to be chosen, or */
	bool own_iterations; /* as the jobs say */
	bool builds; /* all that are registered of each kernel */
	bool boot_given, seed_given;
	enum boot_mode boot;
	uint64_t seed;
	double delta, alpha;
};

/* ---- the file (ab_file.c) ------------------------------------------------- */

/* ERR_NOTFOUND names near ones; ERR_INPUT when it is no A/B experiment. */
int ab_load(const struct home *h, const char *name, struct conf_experiment *x,
	    struct err *e) MUST_CHECK;
int ab_save(const struct home *h, const struct conf_experiment *x,
	    struct err *e) MUST_CHECK;
/* All that is changed in the folder of experiments is changed under this. */
int ab_lock(const struct home *h, int *fd, struct err *e) MUST_CHECK;
bool ab_decided(const struct home *h, const char *name);
int ab_decide(const struct home *h, const char *name, const char *why,
	      struct err *e) MUST_CHECK;
/* A look, kept for the report. */
int ab_note_look(const struct home *h, const char *name, size_t blocks,
		 size_t settled, size_t of, struct err *e) MUST_CHECK;

/* ---- making one (ab_make.c) ------------------------------------------------ */

/*
 * Checks that every name means something, and fills in what was not given;
 * notes receives what the user should know. conf_experiment_free(x).
 */
int ab_make(const struct home *h, const struct ab_ask *ask,
	    struct conf_experiment *x, struct strlist *notes,
	    struct err *e) MUST_CHECK;
/*
 * For ab_make(): with --builds, the builds of each kernel, and as many blocks
 * as they take where no number was given. x->kernels is set.
 */
int ab_builds(const struct home *h, const struct ab_ask *ask,
	      struct conf_experiment *x, struct strlist *notes,
	      struct err *e) MUST_CHECK;
/*
 * Gives it a name unless it has one, and its start: from here on boxes that
 * ask are served. A box without an iPXE script is pointed at its home kernel,
 * or at the base when it has none.
 */
int ab_start(const struct home *h, struct conf_experiment *x,
	     struct err *e) MUST_CHECK;
/*
 * Changes *x so that it goes on: other numbers of blocks (0: as they are), no
 * stop, and as many attempts more when it was given up. ERR_CONFLICT: it is
 * decided. The caller saves it.
 */
int ab_resume(const struct home *h, struct conf_experiment *x, int blocks,
	      int max_blocks, struct err *e) MUST_CHECK;

/* ---- a borrowed box (ab_borrow.c) ---------------------------------------- */

/*
 * Finds out whether the box that ssh reaches as target can be taken over,
 * makes it a box of this home, and asks for it. Nothing on it is changed.
 */
int ab_borrow(const struct home *h, const char *target, const char *controller,
	      struct ab_ask *ask, struct strlist *notes,
	      struct err *e) MUST_CHECK;
/* Takes it over for the experiment that waits for it. */
int ab_take(const struct home *h, const char *target, struct err *e)
	MUST_CHECK;

/* ---- time (ab_time.c) ------------------------------------------------------- */

struct ab_part {
	double s;   /* median */
	int seen;   /* of so many; 0: s is a limit from the files */
};

struct ab_cost {
	struct ab_part boot; /* from the answer to the next hello */
	struct ab_part *job; /* a run of each of x->jobs */
	size_t njob;
};

/* From the lease logs of its boxes, by the experiment's way of booting. */
int ab_cost(const struct home *h, const struct conf_experiment *x,
	    struct ab_cost *c, struct err *e) MUST_CHECK;
void ab_cost_free(struct ab_cost *c);
/* How long kept more blocks (and the warm-up) take, in prose. */
void ab_cost_text(const struct conf_experiment *x, const struct ab_cost *c,
		  int blocks, struct buf *out);
/*
 * "about 12 min left" of an experiment of either kind that is so far;
 * nothing when it is over. What runs now is taken as not begun.
 */
struct plan_progress;
void ab_left_text(const struct conf_experiment *x, const struct ab_cost *c,
		  const struct plan_progress *p, struct buf *out);

/* ---- looking (ab_look.c) ------------------------------------------------------ */

struct ab_look {
	size_t blocks;	 /* fewest kept ones behind a primary */
	size_t settled, of; /* primaries x jobs x heads */
	char text[256];	 /* what is open, or how it is settled */
};

/* Compares what was collected. Nothing yet is no error. */
int ab_look(const struct home *h, const struct conf_experiment *x,
	    struct ab_look *l, struct err *e) MUST_CHECK;
/* The change of one stat of a job, on the scale of estimate.h. */
struct ab_effect {
	size_t blocks; /* kept; 0: nothing is known, and nothing else is set */
	double diff;
	double lo, hi; /* its interval at that confidence; NAN: none */
	double value;  /* the base's mean, as a table shows it */
	bool linear;
	int better;    /* 1 higher, -1 lower, 0 neither */
	char stat[128], unit[32];
	bool failed;   /* the head alone shows failures of its own */
};

/*
 * Of the first head against the base; stat NULL: the job's first primary.
 * ERR_NOTFOUND: there are results, but none has that stat.
 */
int ab_effect(const struct home *h, const struct conf_experiment *x,
	      const char *job, const char *stat, double confidence,
	      struct ab_effect *out, struct err *e) MUST_CHECK;

/* ---- iterations (ab_iterations.c) ---------------------------------------------- */

#define AB_CHOOSE_BLOCKS 3 /* fewer tell nothing of the spread of boots */

/*
 * Under the lock: once so many blocks are kept, chooses how many iterations
 * the runs of each job have from then on, writes it into the experiment, and
 * appends to why what it was, and why. Before that, or when it is chosen
 * already or not to be, nothing.
 */
int ab_choose_iterations(const struct home *h, const char *name,
			 struct buf *why, struct err *e) MUST_CHECK;
/*
 * Afterwards: what was chosen; or how many would have been best, a line for
 * each job, none where nothing is known.
 */
int ab_advice(const struct home *h, const struct conf_experiment *x,
	      struct buf *out, struct err *e) MUST_CHECK;

/* ---- whenever results were collected (ab_attend.c) ----------------------------- */

/* A line for people. */
typedef void ab_say_fn(void *arg, const char *line);

/*
 * Takes the look that is due, writes it down, and says so; when all is
 * settled, the experiment is decided, and no box gets more of it. Chooses the
 * iterations when their time has come. say may be NULL.
 */
int ab_attend(const struct home *h, const struct conf_experiment *x,
	      ab_say_fn *say, void *arg, struct err *e) MUST_CHECK;
/*
 * All experiments. What goes wrong with one is said, and is no error of the
 * others.
 */
int ab_attend_all(const struct home *h, ab_say_fn *say, void *arg,
		  struct err *e) MUST_CHECK;

/* ---- waiting (ab_wait.c) ----------------------------------------------------- */

enum ab_end {
	AB_FINISHED,  /* all blocks, or decided */
	AB_STOPPED,
	AB_GIVEN_UP,  /* too many dropped blocks */
	AB_LOST,      /* no box of it will come back by itself */
	AB_BLOCKED,   /* a kernel of it is gone */
	AB_INTERRUPTED,
};

struct ab_wait {
	const struct home *home;
	const volatile sig_atomic_t *stop;
	int64_t lost_after_s; /* silence of all boxes; 0: for ever */
	/* a line for people, at every change; NULL: none */
	void (*say)(void *arg, const char *line);
	void *arg;
};

/*
 * Until it is over: collects, looks after each block, tends its boxes. x is
 * loaded anew as it is edited, and is another one (name and boot) when it was
 * started over.
 */
int ab_wait(const struct ab_wait *w, struct conf_experiment *x,
	    enum ab_end *end, struct err *e) MUST_CHECK;

#endif
