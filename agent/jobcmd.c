// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The commands of a job: set-up, iterations with their window, clean-up,
 * profile, tear-down, and what their failures mean for the run.
 */
#include "jobrun.h"
#include "bundle.h"
#include "exec.h"
#include "io.h"
#include "profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GRACE_MS 2000
/* a forced end: grace, two waits of five seconds for what hangs, samples */
#define SLACK_MS  30000
#define SHORT_MS  10000 /* our own questions to the shell */
#define ABORT_MS  30000 /* tear-down of a run that was told to stop */
#define ITER_PATH 32

void jobcmd_phase(struct run *run, const char *phase, int64_t ms)
{
	jobout_log(run, "phase %s", phase);
	if (run->rq->on_phase)
		run->rq->on_phase(run->rq->arg, phase, ms + SLACK_MS);
}

/* limit_ms, or what the whole run has left (never below 1). */
static int64_t within(const struct run *run, int64_t limit_ms, bool *run_limit)
{
	int64_t left;

	*run_limit = false;
	if (!run->end_ns)
		return limit_ms;
	left = (run->end_ns - io_monotonic_ns()) / 1000000;
	*run_limit = left < limit_ms;
	if (left < 1)
		left = 1;
	return *run_limit ? left : limit_ms;
}

static bool stopped(const struct run *run)
{
	return run->rq->stop && *run->rq->stop;
}

/* ---- what an end means ---- */

/* What it was not given enough of; also when it came through all the same. */
static void scarcity(struct run *run, const char *what, char *text, size_t size)
{
	const struct cgroup_limits l = { .pids = run->job->limit.pids,
					 .memory = run->job->limit.memory };
	struct scarce now;

	scarce_now(&run->group, run->rq->root, &now);
	scarce_text(&run->before, &now, &l, text, size);
	if (*text)
		jobout_log(run, "%s: %s", what, text);
}

static void failed(struct run *run, const char *what, const char *stderr_file,
		   const struct exec_outcome *o, bool run_limit,
		   int64_t limit_ms)
{
	char last[160], scarce[128], why[240], program[64], hint[128];
	enum outcome outcome = OUTCOME_FAILED;

	jobout_last_line(run, stderr_file, last, sizeof(last));
	scarcity(run, what, scarce, sizeof(scarce));
	if (o->stopped) {
		outcome = OUTCOME_ABORTED;
		snprintf(why, sizeof(why), "stopped from outside");
	} else if (o->timed_out) {
		outcome = OUTCOME_TIMEOUT;
		snprintf(why, sizeof(why), "over %s of %lld ms%s",
			 run_limit ? "what the run's limit left" : "its limit",
			 (long long)limit_ms,
			 o->stuck ? ", and survives SIGKILL" : "");
	} else if (o->signal) {
		snprintf(why, sizeof(why), "died of signal %d (%s)", o->signal,
			 strsignal(o->signal));
	} else if (o->exit_code == 127 &&
		   bundle_not_found(last, program, sizeof(program))) {
		bundle_hint(run->rq->root, program, &run->job->bundles, hint,
			    sizeof(hint));
		snprintf(why, sizeof(why), "program \"%s\" is missing: %s",
			 program, hint);
	} else {
		snprintf(why, sizeof(why), "exit %d%s%s", o->exit_code,
			 *last ? ": " : "", last);
	}
	if (*scarce)
		jobout_end(run, outcome, "%s: %s (%s)", what, scarce, why);
	else
		jobout_end(run, outcome, "%s: %s", what, why);
}

static struct exec_request request(struct run *run, const char *text,
				   int64_t limit_ms)
{
	return (struct exec_request){
		.text = text,
		.cwd = run->rq->work_dir,
		.env = run->envp,
		.group = &run->setup,
		.out = &run->output,
		.err = &run->output,
		.also = &run->output,
		.nofile = run->job->limit.nofile,
		.limit_ms = limit_ms,
		.grace_ms = GRACE_MS,
		.stop = run->rq->stop,
	};
}

/* ---- set-up, clean-up, tear-down ---- */

static bool one(struct run *run, const char *what, const char *text,
		bool always)
{
	struct exec_outcome o;
	struct err e = ERR_INIT;
	bool run_limit = false;
	int64_t limit = run->job->setup_limit_ms;
	struct exec_request rq;

	if (!always)
		limit = within(run, limit, &run_limit);
	else if (stopped(run) && limit > ABORT_MS)
		limit = ABORT_MS;
	rq = request(run, text, limit);
	if (always)
		rq.stop = NULL;
	jobcmd_phase(run, what, limit);
	dprintf(run->output.out, "$ %s\n", text);
	scarce_now(&run->group, run->rq->root, &run->before);
	if (exec_run(&rq, &o, &e)) {
		jobout_end(run, OUTCOME_FAILED, "%s: %s", what, e.msg);
		return false;
	}
	if (!o.exit_code && !o.timed_out && !o.stopped)
		return true;
	failed(run, what, "setup.log", &o, run_limit, limit);
	return false;
}

bool jobcmd_list(struct run *run, const char *what, const struct strlist *list,
		 bool always)
{
	bool good = true;

	for (size_t i = 0; i < list->n; i++) {
		char name[48];

		snprintf(name, sizeof(name), "%s-%zu", what, i + 1);
		good &= one(run, name, list->v[i], always);
		if (!good && !always)
			return false;
	}
	return good;
}

void jobcmd_limits(struct run *run)
{
	struct exec_request rq = request(run, "ulimit -a", SHORT_MS);
	struct exec_outcome o;
	struct pump p;
	struct err e = ERR_INIT;

	rq.out = &p;
	if (pump_open(run->out, "meta/limits", 65536, &p, &e) ||
	    exec_run(&rq, &o, &e))
		jobout_log(run, "limits: %s", e.msg);
	pump_close(&p);
}

bool jobcmd_program(struct run *run)
{
	char word[128], text[256], hint[256];
	struct exec_request rq = request(run, text, SHORT_MS);
	struct exec_outcome o;
	struct err e = ERR_INIT;

	if (!bundle_program(run->job->command, word, sizeof(word)))
		return true;
	snprintf(text, sizeof(text), "command -v %s >/dev/null", word);
	if (exec_run(&rq, &o, &e)) {
		jobout_end(run, OUTCOME_FAILED, "%s", e.msg);
		return false;
	}
	if (!o.exit_code || o.timed_out || o.stopped)
		return true;
	bundle_hint(run->rq->root, word, &run->job->bundles, hint,
		    sizeof(hint));
	jobout_end(run, OUTCOME_REFUSED, "program \"%s\" is missing: %s", word,
		   hint);
	return false;
}

/* ---- one iteration ---- */

struct window {
	struct run *run;
	int64_t cgroup_us, agent_us, sampler_us;
};

static int64_t agent_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* What is dear first: the sample stands right before the command starts. */
static void open_window(void *arg)
{
	struct window *w = arg;

	stable_window_begin(w->run->stable);
	w->cgroup_us = cgroup_cpu_us(&w->run->group);
	if (w->run->monitor)
		monitor_window_begin(w->run->monitor);
	w->agent_us = agent_us();
}

static void close_window(void *arg)
{
	struct window *w = arg;
	int64_t us = agent_us() - w->agent_us;

	w->sampler_us = w->run->monitor ? monitor_window_end(w->run->monitor)
					: 0;
	w->run->r->agent_cpu_us += us + (w->sampler_us > 0 ? w->sampler_us : 0);
	us = cgroup_cpu_us(&w->run->group);
	w->cgroup_us = us < 0 || w->cgroup_us < 0 ? -1 : us - w->cgroup_us;
	stable_window_end(w->run->stable);
}

static int64_t tv_us(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

static bool record(struct run *run, enum iterate kind, int number,
		   const struct exec_outcome *o, bool cut, int64_t cgroup_us)
{
	struct result *r = run->r;
	struct result_iter *it =
		reallocarray(r->iter, r->niter + 1, sizeof(*it));

	if (!it) {
		jobout_end(run, OUTCOME_FAILED, "out of memory");
		return false;
	}
	r->iter = it;
	r->iter[r->niter++] = (struct result_iter){
		.number = number,
		.warmup = kind == WARM_UP,
		.profile = kind == PROFILE,
		.exit_code = o->exit_code,
		.signal = o->signal,
		.timed_out = o->timed_out,
		.output_cut = cut,
		.start_ns = o->start_ns,
		.end_ns = o->end_ns,
		.utime_us = tv_us(o->usage.ru_utime),
		.stime_us = tv_us(o->usage.ru_stime),
		.maxrss_kb = o->usage.ru_maxrss,
		.minflt = o->usage.ru_minflt,
		.majflt = o->usage.ru_majflt,
		.inblock = o->usage.ru_inblock,
		.oublock = o->usage.ru_oublock,
		.nvcsw = o->usage.ru_nvcsw,
		.nivcsw = o->usage.ru_nivcsw,
		.cgroup_cpu_us = cgroup_us,
	};
	return true;
}

/* What an iteration leaves running would run on in the next one. */
static void end_leftovers(struct run *run, const char *what, struct cgroup *g)
{
	unsigned int n = cgroup_count(g);
	struct err e = ERR_INIT;

	if (n)
		jobout_log(run, "%s: still running, now ended: %u processes",
			   what, n);
	if (n && cgroup_kill(g, &e))
		jobout_end(run, OUTCOME_FAILED, "%s: %s", what, e.msg);
	cgroup_reap(g);
}

static bool execute(struct run *run, enum iterate kind, int number,
		    const char *what, const char *dir, struct cgroup *g)
{
	char out_name[ITER_PATH + 8], err_name[ITER_PATH + 8], note[128];
	struct window w = { .run = run, .cgroup_us = -1 };
	struct pump out = { .rd = -1, .wr = -1, .out = -1, .null = -1 };
	struct pump errs = out;
	struct exec_outcome o;
	struct err e = ERR_INIT;
	bool run_limit, good = false;
	int64_t limit = within(run, run->job->time_limit_ms, &run_limit);
	char *text = kind == PROFILE ? profile_command(run->job) : NULL;
	struct exec_request rq =
		request(run, text ? text : run->job->command, limit);

	snprintf(out_name, sizeof(out_name), "%s/stdout", dir);
	snprintf(err_name, sizeof(err_name), "%s/stderr", dir);
	rq.group = g;
	rq.out = &out;
	rq.err = &errs;
	if (kind == MEASURED) {
		rq.before = open_window;
		rq.after = close_window;
		rq.arg = &w;
	}
	jobcmd_phase(run, what, limit);
	scarce_now(&run->group, run->rq->root, &run->before);
	if (pump_open(run->out, out_name, run->job->limit.output, &out, &e) ||
	    pump_open(run->out, err_name, run->job->limit.output, &errs, &e) ||
	    exec_run(&rq, &o, &e)) {
		jobout_end(run, OUTCOME_FAILED, "%s: %s", what, e.msg);
		goto out;
	}
	end_leftovers(run, what, g);
	pump_drain(&out);
	pump_drain(&errs);
	good = record(run, kind, number, &o, out.cut || errs.cut, w.cgroup_us);
	if (out.cut || errs.cut)
		jobout_log(run, "%s: output cut at %llu bytes", what,
			   (unsigned long long)run->job->limit.output);
	if (o.exit_code || o.timed_out || o.stopped) {
		if (kind == PROFILE && !o.stopped)
			jobout_log(run, "%s: exit %d, signal %d", what,
				   o.exit_code, o.signal);
		else
			failed(run, what, err_name, &o, run_limit, limit);
		good = false;
	} else {
		scarcity(run, what, note, sizeof(note));
	}
out:
	pump_close(&out);
	pump_close(&errs);
	free(text);
	return good;
}

bool jobcmd_iterate(struct run *run, enum iterate kind, int number)
{
	static const char *const names[] = { "warmup", "iteration", "profile" };
	char what[48], dir[ITER_PATH];
	struct cgroup g = { .fd = -1 };
	struct err e = ERR_INIT;
	bool good;

	if (stopped(run)) {
		jobout_end(run, OUTCOME_ABORTED, "stopped from outside");
		return false;
	}
	snprintf(what, sizeof(what), "%s-%d", names[kind], number);
	if (kind == PROFILE)
		strcpy(dir, "profile");
	else
		snprintf(dir, sizeof(dir), "iter/%s%03d",
			 kind == WARM_UP ? "warmup-" : "", number);
	if (io_mkdir_p(run->out, dir, 0755, &e) ||
	    cgroup_sub(&run->group, "iter", &g, &e)) {
		jobout_end(run, OUTCOME_FAILED, "%s: %s", what, e.msg);
		return false;
	}
	good = execute(run, kind, number, what, dir, &g);
	if (g.fd >= 0)
		cgroup_close(&g);
	if (kind == PROFILE)
		profile_report(run);
	else
		jobout_keep(run, dir);
	return jobcmd_list(run, "cleanup", &run->job->cleanup, !good) && good;
}
