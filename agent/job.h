/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_JOB_H
#define IRONRIG_JOB_H

#include "conf.h"
#include "result.h"

#include <signal.h>

/*
 * One run of one job: check needs, tune, set up, warm up, iterate under
 * monitors, tear down, prove stability, restore, write the result's tree below
 * out_dir/LEASE/ (layout: DESIGN section 4, less the tar).
 *
 * The caller is an ordinary process with a writable out_dir and work_dir. While
 * job_run() is in progress it is made a child subreaper and the job's orphans
 * are its children; when job_run() returns none of them is left.
 */
struct job_request {
	const struct conf_host *host;
	const struct conf_job *job;
	int root; /* folder of "/" or of a fixture */
	const char *work_dir; /* the job's current folder, absolute */
	const char *out_dir; /* absolute */
	const char *lease; /* 32 hex digits */
	const char *experiment; /* NULL outside of a plan */
	const char *kernel; /* name, NULL: uname -r */
	const char *kernel_id; /* NULL when not known */
	const char *boot_id; /* NULL: /proc/sys/kernel/random/boot_id */
	const char *boot_mode; /* "firmware", "kexec", "running" */
	const char *prev_kernel; /* NULL when not known */
	int block, position, attempt;
	/*
	 * Called at the start of each phase ("tune", "setup", "warmup",
	 * "iteration-3/10", "profile", "teardown", "evidence"); deadline_ms is
	 * how long from now the phase may take before the run hangs and should
	 * be killed from outside. May be NULL.
	 */
	void (*on_phase)(void *arg, const char *phase, int64_t deadline_ms);
	void *arg;
	volatile sig_atomic_t *stop; /* non-zero ends the run early */
};

/*
 * 0 also when the outcome is not OK: *r says why. -1 only when not even a
 * result could be written. *r is the caller's to free in both cases.
 */
int job_run(const struct job_request *rq, struct result *r,
	    struct err *e) MUST_CHECK;

#endif
