// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The text form of one result. result.cfg comes from a machine under test;
 * its parser lets no control character through.
 */
#include "show.h"
#include "report/show.h"
#include "runjson.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *or_dash(const char *s)
{
	return s && *s ? s : "-";
}

static void row(const char *what, const char *value)
{
	if (value && *value)
		printf("  %-12s %s\n", what, value);
}

void show_identity(const struct index_run *run)
{
	char start[RUNJSON_TIME], end[RUNJSON_TIME];

	runjson_time(run->start_s, start);
	runjson_time(run->end_s, end);
	printf("%s/%s/%s/%s\n", or_dash(run->testcase),
	       or_dash(run->params_path), or_dash(run->group),
	       or_dash(run->kernel));
	row("result", run->lease);
	row("box", run->box);
	row("job", run->job);
	row("job id", run->job_id);
	row("kernel", run->kernel);
	row("kernel id", run->kernel_id);
	row("build-id", run->build_id);
	row("release", run->release);
	row("boot", run->boot_id);
	row("booted by", run->boot_mode);
	row("previous", run->prev_kernel);
	row("cpu", run->cpu_model);
	if (run->cpus_online)
		printf("  %-12s %lld online, %lld MiB\n", "machine",
		       (long long)run->cpus_online,
		       (long long)(run->memory_kb / 1024));
	if (*run->experiment)
		printf("  %-12s %s, block %d, position %d, attempt %d\n",
		       "experiment", run->experiment, run->block,
		       run->position, run->attempt);
	printf("  %-12s %s to %s\n", "time", start, end);
	printf("  %-12s %s%s%s\n", "outcome", outcome_name(run->outcome),
	       *run->reason ? ": " : "", run->reason);
	printf("  %-12s %s\n", "stable", run->stable ? "yes" : "no");
}

static void show_knobs(const struct result *r)
{
	if (!r->nknob)
		return;
	printf("\nTuning\n  %-18s %-12s %-14s %-14s %s\n", "KNOB", "CPUS",
	       "ASKED", "GOT", "");
	for (size_t i = 0; i < r->nknob; i++) {
		const struct result_knob *k = &r->knob[i];
		const char *error = k->sys ? strerrordesc_np(k->sys) : NULL;

		printf("  %-18s %-12s %-14s %-14s %s%s%s\n", or_dash(k->name),
		       or_dash(k->cpus), or_dash(k->asked), or_dash(k->got),
		       k->held ? "held" :
		       k->required ? "NOT HELD, required" : "not held",
		       error ? ": " : "", error ? error : "");
	}
}

static void show_proofs(const struct result *r)
{
	if (!r->nproof)
		return;
	printf("\nStability\n");
	for (size_t i = 0; i < r->nproof; i++) {
		const struct result_proof *p = &r->proof[i];

		printf("  %-18s ", or_dash(p->name));
		if (!p->known)
			printf("not told by this machine\n");
		else
			printf("%s -> %s%s\n", or_dash(p->before),
			       or_dash(p->after), p->ok ? "" : "  NOT OK");
	}
}

static void show_iterations(const struct result *r)
{
	if (!r->niter)
		return;
	printf("\nIterations\n  %4s %-8s %10s %10s %10s %s\n", "", "",
	       "elapsed s", "user s", "system s", "ended");
	for (size_t i = 0; i < r->niter; i++) {
		const struct result_iter *it = &r->iter[i];

		printf("  %4d %-8s ", it->number,
		       it->warmup ? "warm-up" : it->profile ? "profile" : "");
		if (it->end_ns > it->start_ns)
			printf("%10.3f %10.3f %10.3f ",
			       (double)(it->end_ns - it->start_ns) / 1e9,
			       (double)it->utime_us / 1e6,
			       (double)it->stime_us / 1e6);
		else /* imported: nobody knows */
			printf("%10s %10s %10s ", "-", "-", "-");
		if (it->timed_out)
			printf("timed out");
		else if (it->signal)
			printf("signal %d", it->signal);
		else
			printf("exit %d", it->exit_code);
		printf("%s\n", it->output_cut ? ", output cut" : "");
	}
}

void show_result(const struct result *r)
{
	show_knobs(r);
	show_proofs(r);
	show_iterations(r);
}

/* ---- stats ------------------------------------------------------------------- */

#define EACH 10 /* iterations that are shown one by one */

static const struct show PLAIN = { .ascii = true };

struct printer {
	const struct strlist *skip; /* were printed before */
	bool titled;
};

/* Of its iterations; NAN for one. */
static double deviation(const struct index_stat *s, double mean)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (!isnan(s->value[i])) {
			sum += (s->value[i] - mean) * (s->value[i] - mean);
			n++;
		}
	return n > 1 ? sqrt(sum / (double)(n - 1)) : NAN;
}

static int print_stat(void *arg, const struct index_stat *s, struct err *e)
{
	struct printer *p = arg;
	struct buf text = { 0 };
	double mean, sd;

	(void)e;
	if (p->skip && strlist_has(p->skip, s->name))
		return 0;
	if (!p->titled)
		printf("\nStats (mean of iterations: each)\n");
	p->titled = true;
	if (!index_stat_mean(s, &mean))
		return 0;
	sd = deviation(s, mean);
	if (isnan(sd)) /* one: as it was given, and counts in full */
		buf_printf(&text, fabs(mean) < 1e7 ? "%.7g" : "%.0f", mean);
	else
		show_value(&PLAIN, &text, mean, sd);
	printf("  %14s %-9s %s", buf_str(&text), s->unit, s->name);
	for (size_t i = 0; s->n > 1 && i < s->n && i < EACH; i++) {
		buf_reset(&text);
		show_value(&PLAIN, &text, s->value[i], sd);
		printf("%s%s", i ? " " : ": ", buf_str(&text));
	}
	printf("%s\n", s->n > EACH ? " ..." : "");
	buf_free(&text);
	return 0;
}

int show_stats(struct index *x, const struct index_run *run, const char *glob,
	       struct err *e)
{
	struct printer p = { .skip = NULL };
	struct buf own = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < run->primary.n; i++)
		rc = index_stats(x, run->id, run->primary.v[i], print_stat, &p,
				 e);
	p.skip = &run->primary;
	if (!rc && !glob && !run->primary.n && *run->testcase) {
		buf_printf(&own, "%s.*", run->testcase);
		rc = buf_ok(&own, e);
		glob = buf_str(&own);
	}
	if (!rc && glob)
		rc = index_stats(x, run->id, glob, print_stat, &p, e);
	if (!rc && !p.titled)
		printf("\nNo such stats\n");
	buf_free(&own);
	return rc;
}
