/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_MONITOR_H
#define IRONRIG_MONITOR_H

#include "buf.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * The monitors: a child that copies files of /proc and /sys, raw, into one file
 * a monitor. Each sample is a line "@NS" (CLOCK_MONOTONIC when its reading
 * began) and then the text as read; a monitor of several files puts
 * "==> PATH <==" before each. perf_counters are made here, one line a CPU and
 * event: "CPU0,COUNT,EVENT,ENABLED_NS,RUNNING_NS", or
 * "CPU0,<not supported>,EVENT".
 *
 * A window is one iteration. Its first sample is stamped before the start_ns
 * in result.cfg and its last one behind end_ns; between them there is one every
 * interval of what is cheap, and of what is dear (slow) only at slow_interval.
 * Between windows the child sleeps.
 */
struct monitor; /* opaque, heap */

struct monitor_request {
	int root; /* folder of "/" or of a fixture */
	int out; /* folder of the result, which gets monitor/NAME */
	int64_t interval_ms;
	int64_t slow_interval_ms; /* 0: at a window's start and end only */
	const struct strlist *add; /* may be NULL */
	const struct strlist *drop; /* may be NULL */
};

/*
 * Opens the files, allocates, forks. A file that this kernel does not have, and
 * a name that no monitor has, are lines in *notes and no error.
 */
int monitor_start(const struct monitor_request *rq, struct monitor **out,
		  struct buf *notes, struct err *e) MUST_CHECK;
pid_t monitor_pid(const struct monitor *m);
/* Return when the sample is made. Without effect when the child died. */
void monitor_window_begin(struct monitor *m);
/* CPU time of the child since the begin (the last sample not counted), µs; -1
 * when it died.
 */
int64_t monitor_window_end(struct monitor *m);
/* Ends and reaps the child. Lines about what was lost go to *notes. */
void monitor_stop(struct monitor *m, struct buf *notes); /* frees; NULL ok */

#endif
