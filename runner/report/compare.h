/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_COMPARE_H
#define IRONRIG_COMPARE_H

#include "../analysis/exact.h"
#include "../analysis/fieller.h"
#include "../analysis/sample.h"
#include "../analysis/variance.h"
#include "../analysis/verdict.h"
#include "buf.h"

#include <math.h>

/*
 * A comparison of kernels as data: filled from value files (values.h) or the
 * store (match.h), evaluated here, rendered by table.h, json.h and mail.h.
 * All strings and arrays are owned by the struct; compare_free() frees them.
 */

/* Boots a side below which their spread is known to a third at best. */
#define COMPARE_ROUGH 8

/* What the user asked for. */
struct compare_rule {
	double alpha;
	double delta; /* fraction, for stats compared by ratio */
	double delta_units; /* for linear stats; NAN: none */
	double floor; /* layout floor as a fraction; NAN: one build */
	bool linear; /* all stats in their own unit */
	bool aa; /* one kernel against itself: calibration */
};

/* One stat of one group. */
struct compare_stat {
	char *name, *unit;
	enum verdict_better better;
	bool primary;
	struct power_floor layout; /* of several builds; primaries */
	struct power_pool pool; /* earlier experiments' spread (pool.h) */
	bool per_run; /* one value a boot, not one an iteration */
	/* n_base and n_head slots of the group; n == 0 where missing */
	struct sample_boot *base, *head;

	/* by compare_evaluate() */
	bool linear;
	size_t dropped; /* blocks or boots with too few iterations */
	struct sample_kept kept; /* primaries: what was compared, y by boot */
	size_t iterations_min, iterations_max; /* of the slots with any */
	struct estimate estimate;
	struct interval position; /* 95 %, scale of y; NAN unknown */
	struct exact exact; /* primaries; p NAN otherwise */
	double p_adjusted; /* Holm among primaries, BH among the others */
	struct verdict verdict; /* primaries; others: ci and p only */
	struct fieller fieller; /* linear stats: a percentage */
	struct variance variance; /* primaries */
};

/* Runs that did not end well, one row a kind: "fail:runs". */
struct compare_failure {
	char *what; /* "crashed", "dmesg.WARNING", … */
	unsigned int base, head; /* runs that show it */
	bool crash; /* of the kernel, or a box that never came back */
	bool setup; /* not the kernel's doing: refused, or stopped by hand */
	double p; /* Fisher */
	/* a run that shows it, of head if there is one; NULL: not known */
	char *reason;
	char *file; /* its result, below the store as the others */
	char *log; /* the console text of its boot */
	char *after; /* the box's next result: pstore's records come with it */
};

/* One side's boots in one group, for the line under its table. */
struct compare_side {
	char *kernel;
	unsigned int runs; /* all, for fail:runs */
	unsigned int unstable; /* left out */
	double observer_us; /* agent.cpu_us_per_s, mean; NAN unknown */
	char *file; /* a kept run's result below the store; NULL: none */
	char *build_id; /* of that run's kernel image; NULL: not known */
	int64_t first_s, last_s; /* start of the first and of the last run */
};

enum compare_design {
	COMPARE_BLOCKS, /* interleaved boots, paired */
	COMPARE_PAIRS, /* paired by the user's word, order unknown */
	COMPARE_UNBLOCKED, /* drift is not separable */
	COMPARE_INDEPENDENT, /* unblocked, but vouched for */
	COMPARE_VALUES, /* value files: counts as vouched for */
};

struct compare_group {
	char *name; /* testcase/params/box-group; "" for value files */
	char *job, *job_id, *box; /* job_id "": not told */
	bool edited; /* there are runs of another version of the job */
	char *boot_mode; /* "firmware", "kexec", ...; NULL: value files */
	enum compare_design design;
	bool sequential; /* blocks of an experiment that ran until decided */
	unsigned int looks; /* that were taken of it, as far as is known */
	struct compare_side base, head;
	size_t n_base, n_head; /* slots; equal when paired */
	/* which build of its kernel a boot was of; NULL: one each */
	unsigned int *base_build, *head_build;
	signed char *order; /* a block: +1 head second, -1 first; or NULL */
	size_t planned; /* iterations a boot; 0: the most seen */
	struct compare_stat *stat;
	size_t nstat;
	struct compare_failure *failure;
	size_t nfailure;
	struct strlist experiments; /* whose blocks these are */
	struct compare_chunk *chunk; /* memory of the samples */
};

struct compare {
	struct compare_rule rule;
	struct compare_group *group;
	size_t ngroup;
	size_t primaries; /* Holm's k, by compare_evaluate() */
};

#define COMPARE_RULE_DEFAULT                                                   \
	{                                                                      \
		.alpha = .05, .delta = .01, .delta_units = NAN, .floor = NAN,  \
		.linear = false, .aa = false                                   \
	}

/* A zeroed group at the end of the list, until the next call; NULL with *e. */
struct compare_group *compare_add_group(struct compare *c, struct err *e);
/* A stat with n_base and n_head empty slots. unit NULL is "". */
struct compare_stat *compare_add_stat(struct compare_group *g, const char *name,
				      const char *unit, struct err *e);
/* Room for n values that lives as long as the group; NULL with *e. */
double *compare_room(struct compare_group *g, size_t n, struct err *e);
struct compare_failure *compare_add_failure(struct compare_group *g,
					    const char *what, struct err *e);
/*
 * Estimates, families, verdicts. Groups and the stats in them come to stand in
 * the order of a report: failures on head, then primaries by verdict
 * (regressions first, by the bound nearest zero), then the rest by adjusted p.
 * ERR_INPUT for NaN or infinite values, ERR_LIMIT.
 */
int compare_evaluate(struct compare *c, struct dist *d,
		     struct err *e) MUST_CHECK;
/* Groups and stats in the order above; a part of compare_evaluate(). */
void compare_sort(struct compare *c);
/* 0 none, 10 regression or a failure on head alone, 11 not settled. */
int compare_exit_status(const struct compare *c);
enum {
	COMPARE_REGRESSION = 10,
	COMPARE_UNSETTLED = 11
};

/* Whether head alone shows it, and it may be the kernel's doing. */
bool compare_failure_on_head(const struct compare_failure *f);
bool compare_is_paired(const struct compare_group *g);
/* Whether this stat is compared in its own unit, not by ratio. */
bool compare_is_linear(const struct compare_rule *rule,
		       const struct compare_group *g,
		       const struct compare_stat *s);
/* One image on both sides, by its build-id: a change of its command line. */
bool compare_same_image(const struct compare_group *g);
void compare_free(struct compare *c);

#endif
