// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * fio(1), --output-format=json (or json+) or terse, versions 3 to 5. The
 * figures of several jobs are summed, their latencies weighted by what each
 * did; percentiles cannot be, and are given for a single job only. MBps is
 * MiB a second, as in lkp-tests.
 *
 * Not told apart, since terse lines have no time: --status-interval in terse
 * format, and two runs of it in one file, look like more jobs.
 */
#include "extractors.h"
#include "jsonread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ, WRITE, TRIM, MIXED, SIDES };
enum { PERCENTILES = 4 };

static const char *const side_name[SIDES] = { "read", "write", "trim",
					     "mixed" };
static const char *const percent_key[PERCENTILES] = {
	"90.000000", "95.000000", "99.000000", "99.900000"
};
static const char *const percent_name[PERCENTILES] = { "90", "95", "99",
						       "99.9" };

struct side {
	double kib_per_s, iops, ios, clat_us; /* clat_us: mean */
	bool clat;
	double percentile_us[PERCENTILES];
	bool has_percentile[PERCENTILES];
};

struct totals {
	struct side sum[SIDES], job[SIDES];
	int jobs[SIDES]; /* that did something */
	int at;		 /* the job that .job is of; -1: none */
	double error;
	double end_ms, runtime_ms; /* 0: not told */
};

/* Adds the job that is complete to the sums. */
static void end_job(struct totals *f)
{
	for (int i = 0; i < SIDES; i++) {
		struct side *j = &f->job[i], *s = &f->sum[i];

		if (j->ios <= 0)
			continue;
		f->jobs[i]++;
		s->kib_per_s += j->kib_per_s;
		s->iops += j->iops;
		s->ios += j->ios;
		s->clat_us += j->clat_us * j->ios;
		s->clat |= j->clat;
		memcpy(s->percentile_us, j->percentile_us,
		       sizeof(s->percentile_us));
		memcpy(s->has_percentile, j->has_percentile,
		       sizeof(s->has_percentile));
	}
	memset(f->job, 0, sizeof(f->job));
}

static int put_side(const struct totals *f, int i, struct stat_out *o,
		    struct err *e)
{
	const struct side *s = &f->sum[i];
	const char *name = side_name[i];

	if (!f->jobs[i])
		return 0;
	if (stat_put(o, "MiB/s", STAT_HIGHER, s->kib_per_s / 1024, e,
		     "fio.%s_bw_MBps", name) ||
	    stat_put(o, "iops", STAT_HIGHER, s->iops, e, "fio.%s_iops", name))
		return -1;
	if (s->clat && stat_put(o, "us", STAT_LOWER, s->clat_us / s->ios, e,
				"fio.%s_clat_mean_us", name))
		return -1;
	for (int p = 0; f->jobs[i] == 1 && p < PERCENTILES; p++)
		if (s->has_percentile[p] &&
		    stat_put(o, "us", STAT_LOWER, s->percentile_us[p], e,
			     "fio.%s_clat_%s%%_us", name, percent_name[p]))
			return -1;
	return 0;
}

static int put(const struct totals *f, struct stat_out *o, struct err *e)
{
	double ios;

	o->run++;
	for (int i = 0; i < SIDES; i++)
		if (put_side(f, i, o, e))
			return -1;
	ios = f->sum[READ].ios + f->sum[WRITE].ios + f->sum[TRIM].ios;
	return stat_put(o, "ios", STAT_NONE, ios > 0 ? ios : f->sum[MIXED].ios,
			e, STAT_OPS);
}

/* ---- JSON ------------------------------------------------------------------ */

/* fio 2 gave completion latencies in us ("clat"), fio 3 in ns ("clat_ns"). */
static void latency(struct side *s, const char *p, double v)
{
	double us = v;

	if (!strncmp(p, "clat_ns.", 8)) {
		us = v / 1000;
		p += 8;
	} else if (!strncmp(p, "clat.", 5)) {
		p += 5;
	} else {
		return;
	}
	if (!strcmp(p, "mean")) {
		s->clat_us = us;
		s->clat = us > 0; /* --gtod_reduce, --disable_clat */
	}
	if (strncmp(p, "percentile.", 11) != 0)
		return;
	for (int i = 0; i < PERCENTILES; i++)
		if (!strcmp(p + 11, percent_key[i])) {
			s->percentile_us[i] = us;
			s->has_percentile[i] = true;
		}
}

static void side_value(struct side *s, const char *p, double v)
{
	if (!strcmp(p, "bw"))
		s->kib_per_s = v;
	else if (!strcmp(p, "iops"))
		s->iops = v;
	else if (!strcmp(p, "total_ios"))
		s->ios = v;
	else
		latency(s, p, v);
}

static int scalar(void *arg, const struct json_value *v, struct err *e)
{
	struct totals *f = arg;
	char *p;
	long at;

	(void)e;
	if (!strcmp(v->path, "timestamp_ms"))
		f->end_ms = v->number;
	if (strncmp(v->path, "jobs[", 5) != 0 || v->string)
		return 0;
	at = strtol(v->path + 5, &p, 10);
	if (strncmp(p, "].", 2) != 0)
		return 0;
	if (at != f->at) {
		end_job(f);
		f->at = (int)at;
	}
	p += 2;
	if (!strcmp(p, "error") && v->number != 0)
		f->error = v->number;
	if (!strcmp(p, "job_runtime") && v->number > f->runtime_ms)
		f->runtime_ms = v->number;
	for (int i = 0; i < SIDES; i++) {
		size_t n = strlen(side_name[i]);

		if (!strncmp(p, side_name[i], n) && p[n] == '.')
			side_value(&f->job[i], p + n + 1, v->number);
	}
	return 0;
}

/* What did something in f? Nothing is no result. */
static bool worked(const struct totals *f)
{
	for (int i = 0; i < SIDES; i++)
		if (f->jobs[i])
			return true;
	return false;
}

static int json(struct text *t, struct totals *f, struct err *e)
{
	unsigned int line = t->no;

	*f = (struct totals){ .at = -1 };
	if (jsonread_walk(t, scalar, f, e))
		return -1;
	end_job(f);
	if (f->error != 0)
		return err_set(e, ERR_FORMAT, "%s:%u: a job failed with error "
			       "%.0f", t->name, line, f->error);
	if (f->at < 0)
		return err_set(e, ERR_FORMAT, "%s:%u: JSON without jobs",
			       t->name, line);
	if (!worked(f))
		return err_set(e, ERR_FORMAT, "%s:%u: no job did any I/O",
			       t->name, line);
	return 0;
}

/*
 * --status-interval prints the same run again and again: what was under way
 * when the last report was made is that run.
 */
static bool same_run(const struct totals *last, const struct totals *f)
{
	return last->end_ms > 0 && f->runtime_ms > 0 &&
	       f->end_ms - f->runtime_ms < last->end_ms;
}

/* ---- terse ----------------------------------------------------------------- */

/*
 * Columns of versions 3 and 4 (fio HOWTO, "Terse output"); version 5 has six
 * more a side, behind the bandwidth.
 */
enum { T_ERROR = 4, T_READ = 5, T_SIDE = 41, T_BW = 1, T_IOPS = 2,
       T_CLAT = 10, T_PERCENT = 12, T_NPERCENT = 20, T_MAX = 256 };

static int percentiles(struct text *t, char **col, struct side *s,
		       struct err *e)
{
	for (int i = 0; i < T_NPERCENT; i++) {
		char *value = strchr(col[T_PERCENT + i], '=');

		for (int k = 0; value && k < PERCENTILES; k++) {
			if (strncmp(col[T_PERCENT + i], percent_key[k],
				    strlen(percent_key[k])) != 0)
				continue;
			value++;
			if (text_number(t, &value, &s->percentile_us[k], e))
				return -1;
			s->has_percentile[k] = true;
			break;
		}
	}
	return 0;
}

static int terse_side(struct text *t, char **col, struct side *s,
		      struct err *e)
{
	double kib, v;
	char *io = col[0], *bw = col[T_BW], *iops = col[T_IOPS];
	char *clat = col[T_CLAT], *ms = col[3];

	if (text_number(t, &io, &kib, e) ||
	    text_number(t, &bw, &s->kib_per_s, e) ||
	    text_number(t, &iops, &s->iops, e) ||
	    text_number(t, &ms, &v, e) ||
	    text_number(t, &clat, &s->clat_us, e))
		return -1;
	/* it does not say how many: rate times run time (ms) */
	s->ios = kib > 0 ? s->iops * v / 1000 : 0;
	if (kib > 0 && s->ios <= 0)
		s->ios = 1; /* less than a ms: the rate is 0 too */
	s->clat = s->clat_us > 0;
	return percentiles(t, col, s, e);
}

static int terse(struct text *t, struct totals *f, struct err *e)
{
	int side = *t->line == '5' ? T_SIDE + 6 : T_SIDE;
	char *col[T_MAX], *rest = t->line, *error;
	int n = 0;
	double v;

	while (n < T_MAX && rest)
		col[n++] = strsep(&rest, ";");
	if (n < T_READ + 2 * side)
		return err_set(e, ERR_FORMAT, "%s:%u: a terse line of only %d "
			       "columns", t->name, t->no, n);
	error = col[T_ERROR];
	if (text_number(t, &error, &v, e))
		return -1;
	if (v != 0)
		return err_set(e, ERR_FORMAT, "%s:%u: a job failed with error "
			       "%.0f", t->name, t->no, v);
	end_job(f);
	f->at++;
	return terse_side(t, col + T_READ, &f->job[READ], e) ||
	       terse_side(t, col + T_READ + side, &f->job[WRITE], e) ? -1 : 0;
}

static bool is_terse(const char *line)
{
	return line[0] >= '3' && line[0] <= '5' &&
	       !strncmp(line + 1, ";fio-", 5);
}

/* Puts what was seen last, unless f goes on with it. */
static int next(struct totals *last, const struct totals *f,
		struct stat_out *o, struct err *e)
{
	if (last->at >= 0 && !same_run(last, f) && put(last, o, e))
		return -1;
	*last = *f;
	return 0;
}

static int walk(struct text *t, struct totals *last, struct totals *lines,
		struct stat_out *o, struct err *e)
{
	while (text_next(t)) {
		struct totals f;

		if (jsonread_starts(t) &&
		    (json(t, &f, e) || next(last, &f, o, e)))
			return -1;
		if (is_terse(t->line) && terse(t, lines, e))
			return -1;
		if (!strncmp(t->line, "fio: ", 5) &&
		    strstr(t->line, "error"))
			return text_bad(t, e, "fio failed");
	}
	return 0;
}

int fio_text(struct text *t, struct stat_out *o, struct err *e)
{
	struct totals last = { .at = -1 }, lines = { .at = -1 };

	if (walk(t, &last, &lines, o, e))
		return -1;
	if (last.at >= 0) /* --output-format=json,terse says it twice */
		return put(&last, o, e);
	end_job(&lines);
	if (worked(&lines))
		return put(&lines, o, e);
	return text_nothing(t, "JSON or terse output of fio", e);
}
