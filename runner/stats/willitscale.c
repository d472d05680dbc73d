// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * will-it-scale: the CSV of runtest.py, or what its programs print. A CSV is
 * one run: figures for each count of tasks, and, for its last row,
 * per_process_ops, per_thread_ops and scalability (the better column over the
 * linear one).
 *
 * A program's own output does not say how many tasks it had: average_ops is
 * of all of them together.
 */
#include "extractors.h"

#include <string.h>

enum column { TASKS, PROCESSES, PROCESSES_IDLE, THREADS, THREADS_IDLE, LINEAR,
	      COLUMNS };

static const char header[] =
	"tasks,processes,processes_idle,threads,threads_idle,linear";

/* With the commas put back that csv_row() cut at. */
static int bad_row(struct text *t, size_t len, struct err *e, const char *what)
{
	for (size_t i = 0; i < len; i++)
		if (!t->line[i])
			t->line[i] = ',';
	return text_bad(t, e, what);
}

/*
 * An empty column is one that was not measured; -1 is what runtest.py prints
 * for a program that failed, and its idle time means nothing then.
 */
static int csv_row(struct text *t, double *v, bool *have, struct err *e)
{
	size_t len = strlen(t->line);
	char *rest = t->line;

	for (int i = 0; i < COLUMNS; i++) {
		char *word = strsep(&rest, ",");

		if (!word)
			return bad_row(t, len, e, "a row with too few columns");
		have[i] = *word != '\0';
		if (have[i] && (text_number(t, &word, &v[i], NULL) || *word))
			return bad_row(t, len, e, "not a row");
	}
	if (rest || !have[TASKS] || v[TASKS] < 0)
		return bad_row(t, len, e, "not a row");
	for (int i = PROCESSES; i < LINEAR; i += 2)
		if (have[i] && v[i] < 0)
			have[i] = have[i + 1] = false;
	if (!have[PROCESSES] && !have[THREADS])
		return bad_row(t, len, e, "nothing was measured");
	return 0;
}

static int put_row(const double *v, const bool *have, const char *prefix,
		   struct stat_out *o, struct err *e)
{
	static const char *const name[COLUMNS] = {
		[PROCESSES] = "processes",
		[PROCESSES_IDLE] = "processes_idle%",
		[THREADS] = "threads",
		[THREADS_IDLE] = "threads_idle%",
	};

	for (int i = PROCESSES; i < LINEAR; i++) {
		bool idle = i == PROCESSES_IDLE || i == THREADS_IDLE;

		if (have[i] && stat_put(o, idle ? "%" : "ops/s",
					idle ? STAT_NONE : STAT_HIGHER, v[i],
					e, "%s.%.0f.%s", prefix, v[TASKS],
					name[i]))
			return -1;
	}
	return 0;
}

static int put_last(const double *v, const bool *have, const char *prefix,
		    struct stat_out *o, struct err *e)
{
	double best = 0;

	if (have[PROCESSES]) {
		best = v[PROCESSES];
		if (stat_put(o, "ops/s", STAT_HIGHER, v[PROCESSES] / v[TASKS],
			     e, "%s.per_process_ops", prefix))
			return -1;
	}
	if (have[THREADS]) {
		best = v[THREADS] > best ? v[THREADS] : best;
		if (stat_put(o, "ops/s", STAT_HIGHER, v[THREADS] / v[TASKS],
			     e, "%s.per_thread_ops", prefix))
			return -1;
	}
	if (!have[LINEAR] || v[LINEAR] <= 0)
		return 0;
	return stat_put(o, "", STAT_HIGHER, best / v[LINEAR], e,
			"%s.scalability", prefix);
}

/* Whether the next line is a row, without taking it. */
static bool row_follows(const struct text *t)
{
	return t->at < t->end && text_is_number(t->at);
}

int willitscale_csv(struct text *t, const char *prefix, struct stat_out *o,
		    struct err *e)
{
	double v[COLUMNS] = { 0 };
	bool have[COLUMNS] = { false };
	bool any = false;

	if (strcmp(t->line, header) != 0)
		return 0;
	o->run++;
	while (row_follows(t) && text_next(t)) {
		if (csv_row(t, v, have, e))
			return -1;
		if (v[TASKS] <= 0)
			continue; /* the row of 0 tasks is a constant */
		any = true;
		if (put_row(v, have, prefix, o, e))
			return -1;
	}
	if (!any)
		return text_bad(t, e, "no row behind the header");
	return put_last(v, have, prefix, o, e) ? -1 : 1;
}

int willitscale_text(struct text *t, struct stat_out *o, struct err *e)
{
	bool average = true;

	while (text_next(t)) {
		char *p;
		double v;
		int rc = willitscale_csv(t, "will-it-scale", o, e);

		if (rc < 0)
			return -1;
		if (text_after(t, "testcase:")) {
			if (!average)
				return text_bad(t, e, "the test before has no "
						"average");
			average = false;
			o->run++;
		}
		p = text_after(t, "average:");
		if (!p)
			continue;
		average = true;
		o->run += !o->run;
		if (text_number(t, &p, &v, e) ||
		    stat_put(o, "ops/s", STAT_HIGHER, v, e,
			     "will-it-scale.average_ops"))
			return -1;
	}
	return o->run && average ? 0 : text_nothing(t, "finished test", e);
}
