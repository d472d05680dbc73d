/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_BISECT_H
#define IRONRIG_BISECT_H

#include "ab.h"

/*
 * One step of a hunt over history: the candidate against the good kernel, in
 * interleaved boots, and nearer to good or to bad by the midpoint between the
 * two ends. Good is measured again in every step: a figure of yesterday is no
 * figure of today.
 */
struct bisect {
	const struct home *home;
	const struct strlist *boxes;
	const char *job, *stat; /* stat NULL: the job's first primary */
	const char *good;
	const char *bad;    /* NULL: change or delta tell where the middle is */
	double change;	    /* of bad against good, a fraction; 0: not given */
	double delta;	    /* without both: worse by more than this is bad */
	int blocks;
	bool boot_given;
	enum boot_mode boot;
	const volatile sig_atomic_t *stop;
	void (*say)(void *arg, const char *line);
	void *arg;
};

#define BISECT_TEXT 512 /* what an answer rests on, a line for people */

enum bisect_answer {
	BISECT_GOOD,
	BISECT_BAD,
	BISECT_SKIP,  /* this candidate cannot be told */
	BISECT_ABORT, /* no candidate can: the ends do not differ, or a signal */
};

/*
 * Where good ends and bad begins: half of the change between the ends, on the
 * scale of estimate.h. With a bad kernel it is measured, once: the experiment
 * has a name of its own and is found again. Without one *middle is NAN, and a
 * step takes it from change or delta. *answer other than BISECT_GOOD: there is
 * no middle, text says why.
 */
int bisect_middle(const struct bisect *b, double *middle,
		  enum bisect_answer *answer, char text[BISECT_TEXT],
		  struct err *e) MUST_CHECK;
/* Measures the candidate, or takes up where an earlier call stopped. */
int bisect_step(const struct bisect *b, const char *candidate, double middle,
		enum bisect_answer *answer, char text[BISECT_TEXT],
		struct err *e) MUST_CHECK;
/* The judgement alone. */
enum bisect_answer bisect_judge(const struct ab_effect *f, double middle);

#endif
