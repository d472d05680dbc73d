/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PLAN_H
#define IRONRIG_PLAN_H

#include "lease.h"
#include "planorder.h"

/*
 * What a box does next. A pure function of the experiments, the box's lease
 * log and which results there are; it reads no file, no clock and no index,
 * so that asking twice gives the same answer and deleting the index nothing
 * to lose.
 *
 * A slot is one run that an experiment wants: (experiment, block, position,
 * kernel, job).
 *
 * "queue": blocks 1..count of each job, on each of its boxes, in the home
 * kernel when it names none. A run whose result came is done whatever its
 * outcome, but for unstable ones, which run again up to the job's
 * unstable_retries; one that left no result of its own (lost, crashed,
 * aborted, gone, quarantined) runs again until `attempts` of them are spent.
 *
 * "ab": block 0 is warm-up, then blocks of one boot per kernel. In every k
 * blocks of k kernels each kernel has each position once, in seeded random
 * order: for two kernels AB and BA; of a kernel with several builds each block
 * takes one (planorder.h), the warm-up the first. A block counts ("kept") when every run in
 * it is OK and stable; at the first that is not, the block is dropped and a
 * new one takes its order. The experiment ends when enough blocks are kept
 * over all its boxes, when it is decided or stopped, or is given up after
 * `attempts` dropped blocks in a row, or more dropped than were wanted.
 */
struct plan_job {
	int unstable_retries;
	bool bundles; /* its programs come with an asked boot only */
};

/* "NAME:ID" of each; NULL: not registered. At least one. */
struct plan_builds {
	const char *const *word;
	size_t n;
};

struct plan_experiment {
	const struct conf_experiment *x;
	/*
	 * "NAME:ID" of each kernel; NULL: not registered. "-" is whatever
	 * boots. At least one, also when x names none.
	 */
	const char *const *kernel;
	size_t nkernel;
	/* of each kernel, its own word first; NULL: each is its only one */
	const struct plan_builds *builds;
	const struct plan_job *job;	 /* of each of x->jobs */
	const struct lease_log *others; /* logs of its other boxes */
	size_t nothers;
	bool decided;
};

struct plan_in {
	const struct lease_log *log;
	/* leases with a file in incoming or store, and in quarantine; sorted */
	const struct strlist *done, *bad;
	const struct plan_experiment *v; /* in the order they are served */
	size_t n;
	const char *boot_id; /* the boot that asks */
};

enum plan_kind {
	PLAN_IDLE,
	PLAN_REPEAT,  /* ev is the open run of this boot */
	PLAN_RUN,     /* ev is a new run: all but lease and time */
	PLAN_BOOT,    /* ev is a want; "again": it stands in the log already */
	PLAN_LOST,    /* ev is an open run whose boot is gone */
	PLAN_NO_BOOT, /* ev is a want that did not lead to its kernel */
};

struct plan_step {
	enum plan_kind kind;
	struct lease_event ev;
	bool again;
	char reason[160]; /* PLAN_LOST, PLAN_NO_BOOT: what was seen */
};

/*
 * After PLAN_LOST and PLAN_NO_BOOT the caller records the end (of a new lease
 * for the latter) and asks again. ERR_CONFLICT: boot_id never said hello, or
 * another boot said it since.
 */
int plan_next(const struct plan_in *in, struct plan_step *out, struct err *e)
	MUST_CHECK;

enum plan_end {
	PLAN_ACTIVE,
	PLAN_FINISHED, /* has all it wanted */
	PLAN_DECIDED,
	PLAN_STOPPED,
	PLAN_GIVEN_UP,
	PLAN_BLOCKED, /* names a kernel that is not registered */
};

/* How far one experiment is; in->n and in->boot_id play no part. */
struct plan_progress {
	enum plan_end end;
	int done, wanted; /* queue: runs on this box; ab: blocks kept */
	int failed;	  /* queue: slots given up; ab: blocks dropped */
	int block;	  /* the one in progress or next on this box */
};
void plan_progress(const struct plan_in *in, const struct plan_experiment *x,
		   struct plan_progress *out);

#endif
