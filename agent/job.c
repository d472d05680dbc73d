// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * One run, in order: needs, tuning, evidence, set-up, warm-up, iterations under
 * monitors, profile, tear-down, proof, restore, result. Whatever fails on the
 * way, everything from the tear-down on is done, and what there is goes home.
 */
#include "jobrun.h"
#include "evidence.h"
#include "identity.h"
#include "io.h"
#include "reproduce.h"
#include "tunetext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define TUNE_MS	    60000
#define EVIDENCE_MS 120000

/* ---- before ---- */

static int64_t available_kb(int root)
{
	struct buf b = { 0 };
	const char *at = NULL;
	int64_t kb = -1;

	if (!io_read_file(root, "proc/meminfo", &b, 65536, NULL))
		at = strstr(buf_str(&b), "MemAvailable:");
	if (at)
		kb = strtoll(at + strlen("MemAvailable:"), NULL, 10);
	buf_free(&b);
	return kb;
}

static bool needs(struct run *run)
{
	const struct conf_job *job = run->job;
	int64_t kb = available_kb(run->rq->root);

	if (job->needs.cpus > (int)run->online) {
		jobout_end(run, OUTCOME_REFUSED,
			   "the job needs %d CPUs, %u are online",
			   job->needs.cpus, run->online);
		return false;
	}
	if (job->needs.memory && kb >= 0 &&
	    job->needs.memory / 1024 > (uint64_t)kb) {
		jobout_end(run, OUTCOME_REFUSED,
			   "the job needs %llu MiB of memory, %lld MiB are "
			   "available",
			   (unsigned long long)(job->needs.memory >> 20),
			   (long long)(kb >> 10));
		return false;
	}
	return true;
}

static bool tune(struct run *run)
{
	struct buf text = { 0 };
	struct err e = ERR_INIT;
	int rc;

	jobcmd_phase(run, "tune", TUNE_MS);
	rc = tune_apply(run->rq->root, &run->want, &run->tuned, &e);
	if (run->tuned)
		tunetext_write(run->tuned, &text);
	jobout_log_lines(run, buf_str(&text));
	buf_free(&text);
	if (!rc)
		return true;
	jobout_end(run, OUTCOME_REFUSED, "tuning: %s", e.msg);
	return false;
}

/* The fence, the sampler, the proof: all that must stand before a command. */
static bool prepare(struct run *run)
{
	const struct conf_job *job = run->job;
	const struct cgroup_limits l = { .pids = job->limit.pids,
					 .memory = job->limit.memory };
	const struct monitor_request m = {
		.root = run->rq->root,
		.out = run->out,
		.interval_ms = job->monitor.interval_ms,
		.slow_interval_ms = job->monitor.slow_interval_ms,
		.add = &job->monitor.add,
		.drop = &job->monitor.drop,
	};
	struct buf notes = { 0 };
	struct err e = ERR_INIT;
	char name[48];
	bool good;

	evidence_take(run->rq->root, run->out, EVIDENCE_BEFORE, &notes);
	if (!strcmp(run->rq->boot_mode, "running"))
		evidence_crash(run->rq->root, run->out, &notes);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	snprintf(name, sizeof(name), "ironrig-%.32s", run->rq->lease);
	cgroup_open(name, &l, &run->group, &notes);
	if (monitor_start(&m, &run->monitor, &notes, &e))
		buf_printf(&notes, "no monitors: %s\n", e.msg);
	else
		cgroup_spare(&run->group, monitor_pid(run->monitor));
	run->stable = stable_new(run->rq->root, &e);
	good = run->stable &&
	       !cgroup_sub(&run->group, "setup", &run->setup, &e) &&
	       !pump_open(run->out, "setup.log", job->limit.output,
			  &run->output, &e);
	jobout_log_lines(run, buf_str(&notes));
	buf_free(&notes);
	if (!good)
		jobout_end(run, OUTCOME_FAILED, "%s", e.msg);
	return good;
}

/* ---- the commands ---- */

static void iterations(struct run *run)
{
	const struct conf_job *job = run->job;

	for (int i = 1; i <= job->warmup; i++)
		if (!jobcmd_iterate(run, WARM_UP, i))
			return;
	for (int i = 1; i <= job->iterations; i++)
		if (!jobcmd_iterate(run, MEASURED, i))
			return;
	if (job->profile.record &&
	    !jobcmd_iterate(run, PROFILE, job->iterations + 1))
		jobout_log(run, "the profile is not complete");
}

static void commands(struct run *run)
{
	const struct conf_job *job = run->job;
	struct err e = ERR_INIT;

	jobcmd_limits(run);
	if (jobcmd_list(run, "setup", &job->setup, false) &&
	    jobcmd_program(run)) {
		jobout_log(run, "ready");
		iterations(run);
	}
	if (!jobcmd_list(run, "teardown", &job->teardown, true))
		jobout_log(run, "the tear-down was not complete");
	if (cgroup_kill(&run->group, &e))
		jobout_end(run, OUTCOME_FAILED, "%s", e.msg);
	cgroup_reap(&run->group);
}

/* ---- after ---- */

static void write_job(struct run *run)
{
	struct conf_job job = run->as_run;
	struct buf text = { 0 };
	struct err e = ERR_INIT;

	job.tune = run->want;
	if (conf_job_write(&job, &text, &e))
		jobout_log(run, "job.cfg: %s", e.msg);
	else
		jobout_file(run, "job.cfg", &text);
	buf_reset(&text);
	if (reproduce_text(run->r, &run->as_run, &run->want, &run->env, &text,
			   &e))
		jobout_log(run, "reproduce.sh: %s", e.msg);
	else
		jobout_file(run, "reproduce.sh", &text);
	buf_free(&text);
}

static void prove(struct run *run)
{
	struct buf text = { 0 };
	struct err e = ERR_INIT;

	if (run->tuned) {
		if (tune_verify(run->tuned, &e))
			jobout_log(run, "tuning: %s", e.msg);
		if (tunetext_rows(run->tuned, run->r, &e))
			jobout_log(run, "tuning: %s", e.msg);
		tunetext_write(run->tuned, &text);
		jobout_file(run, "meta/tuning", &text);
	}
	buf_reset(&text);
	if (run->stable && stable_finish(run->stable, run->r, &e))
		jobout_log(run, "stability: %s", e.msg);
	monitor_stop(run->monitor, &text);
	run->monitor = NULL;
	evidence_take(run->rq->root, run->out, EVIDENCE_AFTER, &text);
	jobout_log_lines(run, buf_str(&text));
	buf_free(&text);
}

static void restore(struct run *run)
{
	struct err e = ERR_INIT;

	if (run->tuned && tune_restore(run->tuned, &e))
		jobout_log(run, "restore: %s", e.msg);
}

static void release(struct run *run)
{
	pump_close(&run->output);
	if (run->group.fd >= 0) {
		cgroup_close(&run->setup);
		cgroup_close(&run->group);
	}
	stable_free(run->stable);
	tune_free(run->tuned);
	conf_tune_free(&run->want);
	jobenv_free(run);
	buf_free(&run->log);
	io_close(&run->out);
}

static int begin(struct run *run, struct err *e)
{
	const struct job_request *rq = run->rq;

	if (conf_tune_merge(&rq->host->tune, &rq->job->tune, &run->want, e) ||
	    identity_fill(rq, run->want.governor, run->r, e))
		return -1;
	run->start_ns = io_monotonic_ns();
	run->online = run->r->cpus_online;
	if (rq->job->run_limit_ms)
		run->end_ns =
			run->start_ns + rq->job->run_limit_ms * 1000000;
	if (jobenv_make(run, e))
		return -1;
	return jobout_open(run, e);
}

int job_run(const struct job_request *rq, struct result *r, struct err *e)
{
	struct run run = {
		.rq = rq,
		.job = rq->job,
		.as_run = *rq->job,
		.r = r,
		.out = -1,
		.group = { .fd = -1 },
		.setup = { .fd = -1 },
		.output = { .rd = -1, .wr = -1, .out = -1, .null = -1 },
	};
	int rc = -1;

	*r = (struct result){ .outcome = OUTCOME_OK };
	if (begin(&run, e))
		goto out;
	write_job(&run);
	if (needs(&run) && tune(&run) && prepare(&run))
		commands(&run);
	jobcmd_phase(&run, "evidence", EVIDENCE_MS);
	prove(&run);
	restore(&run);
	/* not by the wall clock, which the job may have set */
	r->end_s = r->start_s +
		   (io_monotonic_ns() - run.start_ns) / 1000000000;
	rc = jobout_finish(&run, e);
out:
	release(&run);
	return rc;
}
