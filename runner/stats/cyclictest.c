// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * cyclictest(8): wake-up latency over all its threads, in its own unit (us,
 * or ns with -N, which its output does not tell). Without -q it prints each
 * thread again and again: the last line of a thread counts.
 */
#include "extractors.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 8192 };

struct threads {
	double cycles[THREADS], min[THREADS], avg[THREADS], max[THREADS];
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

static int thread_line(struct text *t, const char *at, struct threads *th,
		       struct err *e)
{
	char *end;
	unsigned long i = strtoul(at + 2, &end, 10);

	if (end == at + 2 || i >= THREADS)
		return text_bad(t, e, "not a thread");
	if (field(t, " C:", &th->cycles[i], e) ||
	    field(t, "Min:", &th->min[i], e) ||
	    field(t, "Avg:", &th->avg[i], e) ||
	    field(t, "Max:", &th->max[i], e))
		return -1;
	th->seen[i] = true;
	th->n = i >= th->n ? (unsigned int)i + 1 : th->n;
	return 0;
}

/* "# Max Latencies: 00816 00984" of -h, a number a thread */
static int histogram_line(struct text *t, char *p, double *to,
			  struct threads *th, struct err *e)
{
	int n = text_numbers(t, p, to, THREADS, e);

	if (n <= 0)
		return n < 0 ? -1 : text_bad(t, e, "no latencies");
	for (int i = 0; i < n; i++) {
		th->seen[i] = true;
		if (th->cycles[i] <= 0)
			th->cycles[i] = 1; /* unknown: threads weigh the same */
	}
	th->n = (unsigned int)n;
	return 0;
}

static int put(const struct threads *th, struct stat_out *o, struct err *e)
{
	double min = 0, max = 0, sum = 0, cycles = 0;
	bool any = false;

	for (unsigned int i = 0; i < th->n; i++) {
		if (!th->seen[i])
			continue;
		min = !any || th->min[i] < min ? th->min[i] : min;
		max = !any || th->max[i] > max ? th->max[i] : max;
		sum += th->avg[i] * th->cycles[i];
		cycles += th->cycles[i];
		any = true;
	}
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

	while (!rc && text_next(t)) {
		const char *at = strstr(t->line, "T:");
		char *p;

		if (text_after(t, start) && th->n) {
			rc = put(th, o, e); /* the run before is complete */
			memset(th, 0, sizeof(*th));
		} else if ((p = text_after(t, "# Min Latencies:"))) {
			rc = histogram_line(t, p, th->min, th, e);
		} else if ((p = text_after(t, "# Avg Latencies:"))) {
			rc = histogram_line(t, p, th->avg, th, e);
		} else if ((p = text_after(t, "# Max Latencies:"))) {
			rc = histogram_line(t, p, th->max, th, e);
		} else if (at && strstr(at, "Max:")) {
			rc = thread_line(t, at, th, e);
		}
	}
	if (rc)
		return -1;
	return th->n ? put(th, o, e) : text_nothing(t, "latencies", e);
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
