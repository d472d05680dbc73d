/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_INDEX_H
#define IRONRIG_INDEX_H

#include "buf.h"
#include "home.h"
#include "result.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The index of the store: one row a result, and the values of its stats, in
 * HOME/index.db (SQLite, WAL). The tarballs are the truth; this file can be
 * deleted, and `ironrig fsck --rebuild` makes it again.
 */
struct index;

/*
 * Opens, making the schema where there is none; that of another version is
 * ERR_CONFLICT, and the message names fsck --rebuild. dir is the home's path.
 */
int index_open(const char *dir, struct index **x, struct err *e) MUST_CHECK;
/* For reading only; ERR_NOTFOUND when there is no index yet. */
int index_open_read(const char *dir, struct index **x, struct err *e)
	MUST_CHECK;
/*
 * Both for reading: home_open() by opt, and its index. After an error neither
 * is open; else index_close(), then home_close().
 */
int index_open_home(const char *opt, struct home *h, struct index **x,
		    struct err *e) MUST_CHECK;
void index_close(struct index *x);

/* One boot's execution of one job. Strings are never NULL ("" instead). */
struct index_run {
	int64_t id; /* valid while the index is not rebuilt */
	char *box, *group, *job, *testcase, *params_path;
	char *job_id; /* "": not told */
	char *kernel, *kernel_id, *build_id, *release;
	char *boot_id, *lease, *experiment; /* experiment "" for none */
	char *boot_mode, *prev_kernel, *cpu_model, *reason;
	char *notes;   /* what extractors did not understand, in lines */
	char *file;    /* "BOX/BOX.LEASE.tar.lz4" below the store */
	int64_t bytes; /* its size */
	int block, position, attempt;
	int64_t start_s, end_s; /* UNIX time */
	enum outcome outcome;
	bool stable;
	int iterations; /* measured ones that completed */
	int planned;	/* measured ones that the job asked for; 0 unknown */
	int64_t cpus_online;
	int64_t memory_kb;
	struct strlist primary; /* the job's, in its order */
};

struct index_runs {
	struct index_run *v;
	size_t n;
};

/*
 * NULL, "" and 0 mean "any". All that is given must hold. Names may be globs,
 * with *, ? and [...]: no name has any of these in it.
 */
struct index_query {
	const char *kernel;
	const char *kernel_id;	/* exactly */
	const char *box, *group, *job, *testcase, *experiment;
	const char *lease;	/* a prefix */
	const char *outcome;	/* outcome_name() */
	int64_t since_s, until_s; /* start: from one up to before the other */
	int limit;		/* the newest so many */
};

/*
 * Ordered by start time, then lease. runs is overwritten; free it with
 * index_runs_free(), which takes a zeroed one.
 */
int index_runs(struct index *x, const struct index_query *q,
	       struct index_runs *runs, struct err *e) MUST_CHECK;
void index_runs_free(struct index_runs *runs);

/* Runs in blocks of one kind, "TESTCASE/PARAMS/GROUP" of one job and way. */
struct index_kind {
	const char *name, *job, *boot_mode;
	int64_t before_s; /* all started before */
};
/* Experiments with such runs, the newest first, at most so many. */
int index_experiments(struct index *x, const struct index_kind *k, int limit,
		      struct strlist *out, struct err *e) MUST_CHECK;
/* The two kernels with most of those runs in an experiment. */
int index_experiment_kernels(struct index *x, const struct index_kind *k,
			     const char *experiment, struct strlist *out,
			     struct err *e) MUST_CHECK;

enum index_better { INDEX_NONE, INDEX_HIGHER, INDEX_LOWER };
/* "none", "higher", "lower" */
const char *index_better_name(enum index_better better);

/*
 * One stat of one run, valid during the call only. value[i] belongs to the
 * i-th measured iteration, NAN when it is missing there; a stat of the whole
 * run (agent.*, dmesg.*) has n == 1 and per_run set. A stat that a run does
 * not have at all is not called for: missing is missing, not 0.
 */
struct index_stat {
	const char *name, *unit;
	enum index_better better;
	bool per_run;
	const double *value;
	size_t n;
	size_t id; /* of name, unit and so on: the same while x is open */
};

/* Of the values that are there; false when none is. */
bool index_stat_mean(const struct index_stat *s, double *mean);

/* -1 ends the walk; the caller's error is kept. */
typedef int index_stat_fn(void *arg, const struct index_stat *s,
			  struct err *e);

/*
 * Stats of a run whose name matches glob (fnmatch(3), NULL: all), in an order
 * that is the same for every run, so that runs can be merged.
 */
int index_stats(struct index *x, int64_t run, const char *glob,
		index_stat_fn *fn, void *arg, struct err *e) MUST_CHECK;

/*
 * A kernel by its name or by a unique prefix of its name, id, or build-id;
 * appends the name. ERR_NOTFOUND, or ERR_CONFLICT naming two that match.
 */
int index_kernel(struct index *x, const char *what, struct buf *name,
		 struct err *e) MUST_CHECK;

/*
 * A run by "@latest", by a unique prefix of its lease, or by its file's name
 * (a path before it is ignored). The same errors. *run is filled on success;
 * index_run_free() it.
 */
int index_find(struct index *x, const char *what, struct index_run *run,
	       struct err *e) MUST_CHECK;
void index_run_free(struct index_run *run);

/* Removes HOME/index.db and what SQLite keeps beside it. */
int index_delete(const char *dir, struct err *e) MUST_CHECK;

/* ---- writing: collect and fsck only -------------------------------------- */

/* All between begin and commit appears at once, or not at all. */
int index_begin(struct index *x, struct err *e) MUST_CHECK;
int index_commit(struct index *x, struct err *e) MUST_CHECK;
void index_rollback(struct index *x);
/*
 * Adds a run and sets run->id; one with the same box and lease is replaced
 * with its values.
 */
int index_add(struct index *x, struct index_run *run, struct err *e)
	MUST_CHECK;
int index_add_stat(struct index *x, int64_t run, const struct index_stat *s,
		   struct err *e) MUST_CHECK;
int index_remove(struct index *x, const char *box, const char *lease,
		 struct err *e) MUST_CHECK;
bool index_has(struct index *x, const char *box, const char *lease);
/*
 * A text that says all the index holds about runs and values, one line each,
 * sorted: two indexes of one store are equal when these are.
 */
typedef int index_line_fn(void *arg, const char *line, struct err *e);
int index_dump(struct index *x, index_line_fn *fn, void *arg, struct err *e)
	MUST_CHECK;

#endif
