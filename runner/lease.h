/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_LEASE_H
#define IRONRIG_LEASE_H

#include "conf.h"
#include "result.h"

/*
 * What happened to one box, in order: store/BOX/leases, append-only, one line
 * an event, each fsynced before anybody is told of it. With the names of the
 * files in incoming/, store/ and quarantine/ it is all that the plan is made
 * of.
 *
 *   boot BOOT_ID KERNEL MODE TIME       the box said hello; MODE "-" unknown
 *   want EXPERIMENT BLOCK POSITION KERNEL JOB ATTEMPT BOOT_ID MODE TIME
 *                                       that boot was told to boot KERNEL
 *   run LEASE EXPERIMENT BLOCK POSITION KERNEL JOB ATTEMPT BOOT_ID TIME
 *   end LEASE HOW STABLE TIME           HOW: an outcome's name when a result
 *                                       came (STABLE 0 or 1), else "gone"
 *
 * KERNEL is NAME:ID, or "-" for whatever boots. TIME is UNIX time in seconds.
 */
enum lease_kind { LEASE_BOOT, LEASE_WANT, LEASE_RUN, LEASE_END };

#define LEASE_NAME   65	 /* conf_name_ok()'s 64 and NUL */
#define LEASE_KERNEL 130 /* NAME:SHA-256 */
#define LEASE_BOOT_ID 37

#define LEASE_BUCKETS 256 /* a power of two */

struct lease_event {
	enum lease_kind kind;
	char lease[LEASE_LEN + 1]; /* run, end */
	char boot_id[LEASE_BOOT_ID]; /* boot, want, run */
	char experiment[LEASE_NAME]; /* want, run */
	char job[LEASE_NAME];
	char kernel[LEASE_KERNEL]; /* boot, want, run */
	int block, position, attempt;
	char mode[9]; /* boot, want: "firmware", "kexec", "-" */
	char how[10]; /* end */
	bool stable;
	int64_t time_s;
	/*
	 * The log's own, of a run: its last end, and the runs before it whose
	 * experiment or lease falls into the same bucket; 1 + index, 0: none.
	 */
	size_t end, before_experiment, before_lease;
};

struct lease_log {
	int fd; /* -1: read without a lock */
	struct lease_event *v;
	size_t n;
	/* the last run of each bucket, as above */
	size_t of_experiment[LEASE_BUCKETS], of_lease[LEASE_BUCKETS];
};

/*
 * Opens box_fd's (store/BOX) log, making it when there is none, takes the
 * box's lock and reads it. A last line without its newline was never
 * acknowledged: it is cut off. A malformed line before it is ERR_FORMAT with
 * its number; a lock held for over 30 s ERR_TIMEOUT. The lock lasts until
 * lease_log_close(), which takes a zeroed struct too.
 */
int lease_log_open(int box_fd, struct lease_log *l, struct err *e) MUST_CHECK;
/* Reads without a lock and without changing anything; no file is no event. */
int lease_log_read(int box_fd, struct lease_log *l, struct err *e) MUST_CHECK;
/*
 * Appends text's whole lines as events; *used (may be NULL) is where the last
 * of them ends. For tests, too.
 */
int lease_log_parse(const char *text, size_t n, struct lease_log *l,
		    size_t *used, struct err *e) MUST_CHECK;
/* In memory only: what the two above and below do with each event. */
int lease_log_append(struct lease_log *l, const struct lease_event *ev,
		     struct err *e) MUST_CHECK;
/* One line, durable when this returns; then *ev is in l too. */
int lease_log_add(struct lease_log *l, const struct lease_event *ev,
		  struct err *e) MUST_CHECK;
void lease_log_close(struct lease_log *l);

/* The last event of that kind; NULL when there is none. */
const struct lease_event *lease_last(const struct lease_log *l,
				     enum lease_kind kind);
/* The run of that lease, and its last end; NULL when there is none. */
const struct lease_event *lease_run(const struct lease_log *l,
				    const char *lease);
const struct lease_event *lease_end(const struct lease_log *l,
				    const char *lease);
/*
 * The runs of an experiment, the newest first: the one before run, or the last
 * with NULL; NULL when there is none. A plan asks this of every experiment
 * that there ever was: it must not cost the length of the log.
 */
const struct lease_event *lease_before(const struct lease_log *l,
				       const char *experiment,
				       const struct lease_event *run);
/* "NAME" of "NAME:ID" into out. */
void lease_kernel_name(const char *kernel, char out[LEASE_NAME]);

#endif
