// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The `scale` entry: options, the table of workloads, and the output that
 * scale.h fixes. Running the tasks is scale_run.c's.
 */
#include "scale.h"
#include "../applet.h"
#include "cpulist.h"
#include "num.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

const struct scale_workload *const scale_workloads[] = {
	&lock1_workload,
	&getppid_workload,
	&open_close_same_workload,
	&open_close_sep_workload,
	&read_workload,
	&write_workload,
	&pread_workload,
	&mmap_workload,
	&page_fault_private_workload,
	&page_fault_shared_workload,
	&brk_workload,
	&fork_exit_workload,
	&context_switch_pipe_workload,
	&futex_workload,
	&mutex_shared_workload,
	&mutex_sep_workload,
	&poll_workload,
	&unix_socket_workload,
	&socketpair_workload,
	&signal_workload,
	&unlink_workload,
	&dup_workload,
	&sched_yield_workload,
	&tlb_flush_workload,
	NULL,
};

/* Task counts of a sweep between 1 and the last: as many as fit a screen. */
#define SWEEP_STEPS 16

enum { USAGE = 2 };

static const char usage[] =
	"usage: ironrig-agent scale WORKLOAD [--mode process|thread] "
	"[--tasks N|P%]\n"
	"           [--seconds S] [--warmup S] [--pin] [--sweep]\n"
	"       ironrig-agent scale --list\n"
	"\n"
	"  --mode     what a task is (process)\n"
	"  --tasks    how many; in percent of the online CPUs, never 0 (100%)\n"
	"  --seconds  the measured window (5)\n"
	"  --warmup   before it (1)\n"
	"  --pin      task N on the N-th CPU that may be used\n"
	"  --sweep    1 to --tasks tasks in both modes, as CSV\n";

static unsigned int online(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : (unsigned int)n;
}

static int tasks_of(const char *s, unsigned int *out, struct err *e)
{
	unsigned int percent;
	int64_t n;

	if (num_percent(s, &percent)) {
		*out = cpulist_percent(online(), percent);
		return 0;
	}
	if (num_i64(s, 1, SCALE_TASKS_MAX, &n, e))
		return -1;
	*out = (unsigned int)n;
	return 0;
}

static int seconds_of(const char *s, double min, double *out, struct err *e)
{
	double v;

	if (num_double(s, &v, e))
		return -1;
	if (v < min || v > 86400)
		return err_set(e, ERR_INPUT, "\"%s\": not %g to 86400 seconds",
			       s, min);
	*out = v;
	return 0;
}

static int list(void)
{
	for (size_t i = 0; scale_workloads[i]; i++)
		printf("%-20s %s\n", scale_workloads[i]->name,
		       scale_workloads[i]->what);
	return EXIT_SUCCESS;
}

static int fail(const struct err *e)
{
	fprintf(stderr, "scale: %s\n", e->msg);
	return e->kind == ERR_INPUT ? USAGE : EXIT_FAILURE;
}

/* What was printed may have gone to a full disk. */
static int finish(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_SUCCESS;
	perror("scale: stdout");
	return EXIT_FAILURE;
}

static void print_idle(double pct)
{
	if (pct < 0)
		putchar('-');
	else
		printf("%.2f", pct);
}

static int once(const struct scale_options *o)
{
	struct err e = ERR_INIT;
	struct scale_figures f;
	double per_s;

	if (scale_run(o, &f, &e)) {
		err_prefix(&e, "%s", o->w->name);
		return fail(&e);
	}
	per_s = (double)f.ops / f.seconds;
	printf("scale test=%s mode=%s tasks=%u seconds=%.6f ops=%" PRIu64
	       " ops_per_s=%.3f per_task_ops_per_s=%.3f idle_pct=",
	       o->w->name, o->threads ? "thread" : "process", o->tasks,
	       f.seconds, f.ops, per_s, per_s / o->tasks);
	print_idle(f.idle_pct);
	printf(" min_task_ops=%" PRIu64 " max_task_ops=%" PRIu64
	       " cpus=%u pinned=%d warmup=%.3f\n",
	       f.min_ops, f.max_ops, online(), o->pin, o->warmup);
	for (unsigned int i = 0; i < o->tasks; i++)
		printf("task %u %" PRIu64 "\n", i, f.task_ops[i]);
	free(f.task_ops);
	return finish();
}

/* One cell pair of a sweep: whole operations a second, and the idle share. */
static int cell(struct scale_options *o, bool threads, double *per_s,
		double *idle, struct err *e)
{
	struct scale_figures f;

	o->threads = threads;
	if (scale_run(o, &f, e))
		return err_prefix(e, "%s: %u %s", o->w->name, o->tasks,
				  threads ? "threads" : "processes");
	*per_s = (double)f.ops / f.seconds;
	*idle = f.idle_pct;
	free(f.task_ops);
	return 0;
}

static int sweep(struct scale_options *o)
{
	unsigned int last = o->tasks;
	unsigned int step = (last + SWEEP_STEPS - 1) / SWEEP_STEPS;
	double p = 0, pi = 0, t = 0, ti = 0, single = 0;
	struct err e = ERR_INIT;

	puts("tasks,processes,processes_idle,threads,threads_idle,linear");
	puts("0,0,100,0,100,0");
	for (unsigned int n = 1; n <= last;) {
		o->tasks = n;
		if (cell(o, false, &p, &pi, &e) || cell(o, true, &t, &ti, &e))
			return fail(&e);
		if (n == 1)
			single = p > t ? p : t;
		printf("%u,%.0f,", n, p);
		print_idle(pi);
		printf(",%.0f,", t);
		print_idle(ti);
		printf(",%.0f\n", single * n);
		fflush(stdout);
		if (n == last)
			break;
		n = n == 1 && step > 1 ? step : n + step;
		n = n > last ? last : n;
	}
	return finish();
}

/* Each task may hold several descriptors; the usual limit is 1024. */
static void raise_nofile(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl))
		return;
	rl.rlim_cur = rl.rlim_max;
	setrlimit(RLIMIT_NOFILE, &rl);
}

static const struct scale_workload *find(const char *name)
{
	for (size_t i = 0; scale_workloads[i]; i++)
		if (!strcmp(scale_workloads[i]->name, name))
			return scale_workloads[i];
	return NULL;
}

static int mode_of(const char *s, bool *threads, struct err *e)
{
	*threads = !strcmp(s, "thread");
	if (*threads || !strcmp(s, "process"))
		return 0;
	return err_set(e, ERR_INPUT, "\"%s\": not process or thread", s);
}

enum scale_do { DO_ONCE, DO_SWEEP, DO_LIST, DO_HELP };

static int options(int argc, char **argv, struct scale_options *o,
		   enum scale_do *what, struct err *e)
{
	static const struct option opt[] = {
		{ "mode", required_argument, NULL, 'm' },
		{ "tasks", required_argument, NULL, 't' },
		{ "seconds", required_argument, NULL, 's' },
		{ "warmup", required_argument, NULL, 'w' },
		{ "pin", no_argument, NULL, 'p' },
		{ "sweep", no_argument, NULL, 'S' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool moded = false;
	int c, rc = 0;

	while (!rc && (c = getopt_long(argc, argv, "h", opt, NULL)) != -1) {
		if (c == 'm') {
			moded = true;
			rc = mode_of(optarg, &o->threads, e);
		} else if (c == 't') {
			rc = tasks_of(optarg, &o->tasks, e);
		} else if (c == 's') {
			rc = seconds_of(optarg, 0.001, &o->seconds, e);
		} else if (c == 'w') {
			rc = seconds_of(optarg, 0, &o->warmup, e);
		} else if (c == 'p') {
			o->pin = true;
		} else if (c == 'S') {
			*what = DO_SWEEP;
		} else if (c == 'l' || c == 'h') {
			*what = c == 'l' ? DO_LIST : DO_HELP;
			return 0;
		} else {
			rc = err_set(e, ERR_INPUT, "see scale --help");
		}
	}
	if (rc)
		err_prefix(e, "option");
	else if (optind != argc - 1)
		err_set(e, ERR_INPUT, "one workload must be named");
	else if (*what == DO_SWEEP && moded)
		err_set(e, ERR_INPUT, "--sweep runs both modes");
	else if (!(o->w = find(argv[optind])))
		err_set(e, ERR_INPUT, "no workload \"%s\" (see scale --list)",
			argv[optind]);
	else
		return 0;
	return -1;
}

int scale_main(int argc, char **argv)
{
	struct scale_options o = { .tasks = online(), .seconds = 5,
				   .warmup = 1 };
	enum scale_do what = DO_ONCE;
	struct err e = ERR_INIT;

	if (options(argc, argv, &o, &what, &e))
		return fail(&e);
	if (what == DO_LIST)
		return list();
	if (what == DO_HELP)
		return fputs(usage, stdout) < 0;
	raise_nofile();
	return what == DO_SWEEP ? sweep(&o) : once(&o);
}
