/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_TOOL_H
#define IRONRIG_TOOL_H

#include "buf.h"

#include <sys/types.h>

/*
 * Short-lived programs of the box's own (busybox applets), run by the session
 * with a deadline. Jobs run elsewhere, in their cgroup (exec.h).
 */
#define TOOL_BUSYBOX "/bin/busybox"
#define TOOL_OUT_MAX 65536 /* of its output; the rest is read and dropped */

/*
 * Runs argv (an absolute path first, NULL last) with in as standard input (-1:
 * /dev/null), its output appended to *out. -1: could not be run, exited
 * non-zero or was killed at the deadline, with its last line as the reason.
 */
int tool_run(const char *const *argv, int in, int timeout_ms, struct buf *out,
	     struct err *e) MUST_CHECK;
/* Starts it and leaves it running, output to /dev/null. The caller's child. */
int tool_start(const char *const *argv, pid_t *pid, struct err *e) MUST_CHECK;

#endif
