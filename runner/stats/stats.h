/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_STATS_H
#define IRONRIG_STATS_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Raw text -> stats. An extractor is a row of the table in extractors.c and a file
 * of its own. Rules that all keep:
 *
 * - Counters are last minus first inside the window, never since boot; what
 *   is not there at both ends, or went backwards, is missing, not 0.
 * - A number that cannot be understood is an error that names the line; there
 *   is no guess. Decimal commas are such a number.
 * - Text may hold several runs of a tool, CRLF, and lines that are not the
 *   tool's.
 */
enum stat_better { STAT_NONE, STAT_HIGHER, STAT_LOWER };

struct stat_value {
	const char *name; /* valid during the call only */
	const char *unit;
	enum stat_better better;
	/*
	 * From 1: the run within the text (workloads) or the window
	 * (monitors). 0: of the text as a whole.
	 */
	int run;
	double value;
};

typedef int stat_sink(void *arg, const struct stat_value *v, struct err *e);

struct stat_out {
	stat_sink *sink;
	void *arg;
	int run;
};

/*
 * How many operations a run did, under this name, for CPU time per operation:
 * no stat of its own.
 */
#define STAT_OPS ".ops"

/* Gives one value to the sink. A value that is not finite is ERR_FORMAT. */
int stat_put(struct stat_out *o, const char *unit, enum stat_better better,
	     double value, struct err *e, const char *fmt, ...)
	PRINTF_LIKE(6, 7) MUST_CHECK;

/* Of one iteration, CLOCK_MONOTONIC; ordered and not overlapping. */
struct stat_window {
	int64_t start_ns, end_ns;
};

struct text;
struct monitor;

struct stat_extractor {
	const char *name;
	/*
	 * Where its text is in a result: "monitor/NAME", "meta/NAME",
	 * "profile/NAME", or "stdout" for that of every iteration.
	 */
	const char *file;
	const char *what; /* one line */
	/* What is measured first of all, names separated by blanks; or NULL. */
	const char *primary;
	int (*text)(struct text *t, struct stat_out *o, struct err *e);
	const struct monitor *monitor; /* instead of text, for "@ns" blocks */
};

extern const struct stat_extractor stats_table[]; /* ends with name NULL */
const struct stat_extractor *stats_find(const char *name); /* NULL: none */

/*
 * Feeds one extractor with a text in pieces of any size. Monitors keep no
 * more than two samples; other texts are kept whole, up to 64 MiB. No window
 * at all means one that holds every sample. name is used in messages; name,
 * window and out must outlive the feed.
 */
struct stat_feed;
int stat_feed_new(const struct stat_extractor *x, const char *name,
		  const struct stat_window *window, size_t nwindow,
		  struct stat_out *out, struct stat_feed **f, struct err *e)
	MUST_CHECK;
int stat_feed_add(struct stat_feed *f, const void *p, size_t n, struct err *e)
	MUST_CHECK;
int stat_feed_end(struct stat_feed *f, struct err *e) MUST_CHECK;
void stat_feed_free(struct stat_feed *f);

#endif
