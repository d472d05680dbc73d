/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_EXEC_H
#define IRONRIG_EXEC_H

#include "cgroup.h"
#include "pump.h"

#include <signal.h>
#include <sys/resource.h>

/*
 * One shell command (`sh -ec TEXT`) of a job: in its group, in a session of its
 * own, stdin from /dev/null, output through pumps, under a time limit.
 */
struct exec_request {
	const char *text;
	const char *cwd;
	char *const *env; /* NULL-terminated, "NAME=value" */
	const struct cgroup *group;
	struct pump *out, *err; /* may be one */
	struct pump *also; /* drained too, or NULL: a daemon's output */
	int nofile; /* RLIMIT_NOFILE; less when we may not */
	int64_t limit_ms;
	int64_t grace_ms; /* between SIGTERM and SIGKILL */
	const volatile sig_atomic_t *stop; /* may be NULL */
	/*
	 * Called when all is prepared but the command does not run yet, and
	 * as soon as it has ended. May be NULL.
	 */
	void (*before)(void *arg);
	void (*after)(void *arg);
	void *arg;
};

struct exec_outcome {
	int64_t start_ns, end_ns; /* CLOCK_MONOTONIC, between the two calls */
	int exit_code; /* -1 when a signal ended it */
	int signal;
	bool timed_out; /* the limit ended it */
	bool stopped; /* *stop ended it */
	bool stuck; /* it survives SIGKILL; exit_code -1, signal 0 */
	struct rusage usage; /* wait4(2) */
};

/*
 * Runs it to its end. SIGTERM to the command's session at the limit, SIGKILL to
 * the whole group grace_ms later. What it left running is not touched
 * unless it was ended by force. -1: it could not be started.
 */
int exec_run(const struct exec_request *rq, struct exec_outcome *o,
	     struct err *e) MUST_CHECK;

#endif
