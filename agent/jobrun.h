/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_JOBRUN_H
#define IRONRIG_JOBRUN_H

#include "cgroup.h"
#include "job.h"
#include "monitor.h"
#include "pump.h"
#include "scarce.h"
#include "stable.h"
#include "tune.h"

/*
 * One run in progress, shared by job.c (the order of things), jobcmd.c (the
 * commands), jobenv.c (parameters and environment) and jobout.c (the result's
 * files). Nobody else includes this.
 */
struct run {
	const struct job_request *rq;
	const struct conf_job *job; /* as written */
	struct conf_job as_run; /* shallow copy, parameters resolved */
	struct result *r;
	struct conf_tune want; /* host's and job's */
	struct strlist env;
	char **envp; /* env.v and a NULL */
	unsigned int online;
	int64_t start_ns; /* CLOCK_MONOTONIC; result.h has the wall clock's */
	int64_t end_ns; /* of the whole run, CLOCK_MONOTONIC; 0: no limit */

	int out; /* folder out_dir/LEASE */
	struct buf log; /* agent.log; its memory is there from the start */
	bool reserved; /* out/.reserve holds room for the last files */
	unsigned int kept; /* members that keep has made */

	struct tune *tuned;
	struct cgroup group, setup; /* all of the job; what set-up left */
	struct scarce before; /* when the current command began */
	struct pump output; /* setup.log */
	struct monitor *monitor;
	struct stable *stable;
};

/* ---- jobenv.c ---- */

/* run->as_run, env and envp. ERR_INPUT names the parameter. */
int jobenv_make(struct run *run, struct err *e) MUST_CHECK;
void jobenv_free(struct run *run);

/* ---- jobout.c ---- */

int jobout_open(struct run *run, struct err *e) MUST_CHECK;
/* A line in agent.log, with the time. */
void jobout_log(struct run *run, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The same for each line of text. */
void jobout_log_lines(struct run *run, const char *text);
/* Sets outcome and reason, the first time only, and logs it. */
void jobout_end(struct run *run, enum outcome o, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* A file of the result; a failure is a line in agent.log. */
void jobout_file(struct run *run, const char *path, const struct buf *text);
/* What job.keep asks for, from the work folder to the folder `to`. */
void jobout_keep(struct run *run, const char *to);
/* The last line of a file of the result that is not empty. */
void jobout_last_line(struct run *run, const char *path, char *line,
		      size_t size);
/* agent.log and result.cfg, from the reserve. */
int jobout_finish(struct run *run, struct err *e) MUST_CHECK;

/* ---- jobcmd.c ---- */

enum iterate {
	WARM_UP,
	MEASURED,
	PROFILE
};

/*
 * A list of commands in the set-up's group; what ("set-up 2") is for messages.
 * False: one failed, and the outcome says so. With `always`, a request to stop
 * does not keep them from running.
 */
bool jobcmd_list(struct run *run, const char *what, const struct strlist *list,
		 bool always) MUST_CHECK;
/* One iteration with its clean-up; false: the run cannot go on. */
bool jobcmd_iterate(struct run *run, enum iterate kind, int number) MUST_CHECK;
/* The command's program exists; otherwise the outcome says what brings it. */
bool jobcmd_program(struct run *run) MUST_CHECK;
/* The limits that the job's processes have, as meta/limits. */
void jobcmd_limits(struct run *run);
/* Tells the caller about a phase that may take ms and some. */
void jobcmd_phase(struct run *run, const char *phase, int64_t ms);

#endif
