// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * cyclictest(8): wake-up latency over all its threads. Without -q it prints
 * each thread again and again: the last line of a thread counts. With -N it is
 * in ns, which only the width of its columns tells (and in a histogram, -h,
 * nothing does).
 */
#include "extractors.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 8192 };

struct threads {
	double cycles[THREADS], min[THREADS], avg[THREADS], max[THREADS];
	double more[THREADS]; /* cycles beyond the histogram */
	unsigned long tid[THREADS]; /* 0: not told, or not started yet */
	bool seen[THREADS];
	unsigned int n; /* above the highest one seen */
};

static int field(struct text *t, const char *label, double *v, struct err *e)
{
	char *p = strstr(t->line, label);

	if (!p)
		return text_bad(t, e, "a thread's line is cut");
	p += strlen(label);
	return text_number(t, &p, v, e);
}

/* "T: 0 (23327) P: 0 …": the thread's place and its id; false: another line */
static bool thread_of(const char *at, unsigned long *i, unsigned long *tid)
{
	char *end;

	*i = strtoul(at + 2, &end, 10);
	if (end == at + 2 || *i >= THREADS)
		return false;
	end += strspn(end, " ");
	*tid = *end == '(' ? strtoul(end + 1, NULL, 10) : 0;
	return true;
}

/* Whether it is of another run than what was read so far. */
static bool another_run(const char *at, const struct threads *th)
{
	unsigned long i, tid;

	return thread_of(at, &i, &tid) && tid && th->tid[i] &&
	       tid != th->tid[i];
}

static int thread_line(struct text *t, const char *at, struct threads *th,
		       struct err *e)
{
	double div = 1;
	const char *act;
	unsigned long i, tid;

	if (!thread_of(at, &i, &tid))
		return text_bad(t, e, "not a thread");
	th->tid[i] = tid;
	if (field(t, " C:", &th->cycles[i], e) ||
	    field(t, "Min:", &th->min[i], e) ||
	    field(t, "Avg:", &th->avg[i], e) ||
	    field(t, "Max:", &th->max[i], e))
		return -1;
	/* "Act:%5ld" in us, "Act:%8ld" in ns */
	act = strstr(t->line, "Act:");
	if (act && strcspn(act, " ") == 4 && strspn(act + 4, " ") +
	    strcspn(act + 4 + strspn(act + 4, " "), " ") >= 8)
		div = 1000;
	th->min[i] /= div;
	th->avg[i] /= div;
	th->max[i] /= div;
	/* before its first cycle a thread shows Min:1000000 */
	th->seen[i] = th->cycles[i] > 0;
	th->n = i >= th->n ? (unsigned int)i + 1 : th->n;
	return 0;
}

/* A number a thread; -H adds one of them all, which is not a thread. */
enum row { MIN, AVG, MAX, TOTAL, OVERFLOW, ROWS };

static const char *const row_name[ROWS] = {
	"# Min Latencies:", "# Avg Latencies:", "# Max Latencies:", "# Total:",
	"# Histogram Overflows:",
};

/* The rows of -h behind the histogram. 1: this was one; 0: not; -1. */
static int histogram_line(struct text *t, struct threads *th, struct err *e)
{
	double *const to[ROWS] = { th->min, th->avg, th->max, th->cycles,
				   th->more };
	unsigned int r = 0;
	char *p = NULL;
	int n;

	while (r < ROWS && !(p = text_after(t, row_name[r])))
		r++;
	if (r == ROWS)
		return 0;
	n = text_numbers(t, p, to[r], THREADS, e);
	if (n <= 0)
		return n < 0 ? -1 : text_bad(t, e, "no latencies");
	if (r == MIN)
		th->n = (unsigned int)n;
	else if (r != TOTAL && (unsigned int)n < th->n)
		return text_bad(t, e, "fewer threads than before");
	for (unsigned int i = 0; r == MAX && i < th->n; i++)
		th->seen[i] = true;
	return 1;
}

static int put(const struct text *t, const struct threads *th,
	       struct stat_out *o, struct err *e)
{
	double min = 0, max = 0, sum = 0, cycles = 0;
	bool any = false;

	for (unsigned int i = 0; i < th->n; i++) {
		if (!th->seen[i])
			continue;
		min = !any || th->min[i] < min ? th->min[i] : min;
		max = !any || th->max[i] > max ? th->max[i] : max;
		sum += th->avg[i] * (th->cycles[i] + th->more[i]);
		cycles += th->cycles[i] + th->more[i];
		any = true;
	}
	if (!any)
		return text_bad(t, e, "no cycle was finished");
	o->run++;
	if (stat_put(o, "us", STAT_LOWER, min, e, "cyclictest.min_latency") ||
	    stat_put(o, "us", STAT_LOWER, max, e, "cyclictest.max_latency"))
		return -1;
	if (cycles <= 0)
		return 0;
	return stat_put(o, "us", STAT_LOWER, sum / cycles, e,
			"cyclictest.avg_latency");
}

static int walk(struct text *t, struct threads *th, struct stat_out *o,
		struct err *e)
{
	static const char start[] = "# /dev/cpu_dma_latency";
	int rc = 0;

	while (rc >= 0 && text_next(t)) {
		const char *at = strstr(t->line, "T:");

		rc = histogram_line(t, th, e);
		if (rc)
			continue;
		if (at && !strstr(at, "Max:"))
			at = NULL;
		if (th->n &&
		    (text_after(t, start) || !strcmp(t->line, "# Histogram") ||
		     (at && another_run(at, th)))) {
			rc = put(t, th, o, e); /* that run is complete */
			memset(th, 0, sizeof(*th));
		}
		if (!rc && at)
			rc = thread_line(t, at, th, e);
	}
	if (rc < 0)
		return -1;
	return th->n ? put(t, th, o, e) : text_nothing(t, "latencies", e);
}

int cyclictest_text(struct text *t, struct stat_out *o, struct err *e)
{
	struct threads *th = calloc(1, sizeof(*th));
	int rc;

	if (!th)
		return err_set(e, ERR_LIMIT, "out of memory");
	rc = walk(t, th, o, e);
	free(th);
	return rc;
}
