// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * `ironrig export`: values for other people's tools, boot by boot: a long
 * table for R and pandas, JSON, or Go's benchmark format for benchstat.
 */
#include "cmd.h"
#include "home.h"
#include "runjson.h"

#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: ironrig export [--csv | --json | --benchfmt] [--stat GLOB]\n"
	"                      [--box B] [--job J] [--kernel K]\n"
	"                      [--experiment X] [--since T] [--until T]\n"
	"                      [--all-outcomes]\n"
	"\n"
	"Writes the values of results whose outcome is ok (all of them with\n"
	"--all-outcomes), oldest first, to stdout.\n"
	"\n"
	"  --csv       a row for each value; iteration 0 is the whole run\n"
	"  --json      an array of runs with their stats and values\n"
	"  --benchfmt  a line for each boot, with means, for benchstat:\n"
	"              benchstat -col kernel FILE; by default primary stats\n";

enum form { CSV, JSON, BENCHFMT };

struct exporter {
	enum form form;
	bool form_given;
	const char *glob;
	const struct index_run *run;
	struct jsonout j;
	struct buf out;
	struct buf line;      /* benchfmt: values of the boot */
	struct strlist units; /* benchfmt: directions that were said */
};

/* The shortest form that reads back as the same number. */
static void put_number(struct buf *b, double x)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	buf_puts(b, text);
}

/* RFC 4180: quoted when it must be, quotes doubled */
static void csv_text(struct buf *b, const char *s)
{
	bool quote = strpbrk(s, ",\"\r\n") != NULL;

	buf_puts(b, quote ? "\"" : "");
	for (; *s; s++) {
		if (*s == '"')
			buf_puts(b, "\"");
		buf_add(b, s, 1);
	}
	buf_puts(b, quote ? "\"," : ",");
}

static void csv_run(struct buf *b, const struct index_run *r)
{
	char start[RUNJSON_TIME];
	const char *const text[] = { r->box, r->group, r->job, r->testcase,
				     r->params_path, r->kernel, r->experiment };

	runjson_time(r->start_s, start);
	csv_text(b, r->lease);
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		csv_text(b, text[i]);
	buf_printf(b, "%d,%d,", r->block, r->position);
	csv_text(b, start);
	csv_text(b, outcome_name(r->outcome));
	buf_printf(b, "%d,", r->stable);
}

static int csv_stat(struct exporter *x, const struct index_stat *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (isnan(s->value[i]))
			continue;
		csv_run(&x->out, x->run);
		csv_text(&x->out, s->name);
		csv_text(&x->out, s->unit);
		csv_text(&x->out, index_better_name(s->better));
		buf_printf(&x->out, "%zu,", s->per_run ? 0 : i + 1);
		put_number(&x->out, s->value[i]);
		buf_puts(&x->out, "\n");
	}
	return 0;
}

/* The metric's name is the unit there: it says what the number is. */
static int bench_stat(struct exporter *x, const struct index_stat *s,
		      struct err *e)
{
	double mean;

	if (!index_stat_mean(s, &mean))
		return 0;
	if (s->better != INDEX_NONE && !strlist_has(&x->units, s->name)) {
		if (strlist_add(&x->units, s->name, e))
			return -1;
		buf_printf(&x->out, "Unit %s better=%s\n", s->name,
			   index_better_name(s->better));
	}
	buf_puts(&x->line, " ");
	put_number(&x->line, mean);
	buf_printf(&x->line, " %s", s->name);
	return 0;
}

static int on_stat(void *arg, const struct index_stat *s, struct err *e)
{
	struct exporter *x = arg;

	if (x->form == CSV)
		return csv_stat(x, s);
	if (x->form == BENCHFMT)
		return bench_stat(x, s, e);
	runjson_stat(&x->j, s);
	return 0;
}

static void bench_run(struct exporter *x)
{
	const struct index_run *r = x->run;

	if (!x->line.len)
		return;
	buf_printf(&x->out, "box: %s\nkernel: %s\nexperiment: %s\n"
			    "Benchmark%c%s %d%s\n", r->box, r->kernel,
		   r->experiment, toupper((unsigned char)*r->job), r->job + 1,
		   r->iterations ? r->iterations : 1, buf_str(&x->line));
}

static int stats(struct index *ix, struct exporter *x, struct err *e)
{
	if (x->glob || x->form != BENCHFMT)
		return index_stats(ix, x->run->id, x->glob, on_stat, x, e);
	for (size_t i = 0; i < x->run->primary.n; i++)
		if (index_stats(ix, x->run->id, x->run->primary.v[i], on_stat,
				x, e))
			return -1;
	return 0;
}

/* One run, written out before the next so that memory stays flat. */
static int export_run(struct index *ix, struct exporter *x, struct err *e)
{
	buf_reset(&x->line);
	if (x->form == JSON) {
		jsonout_open(&x->j, NULL, '{');
		runjson(&x->j, x->run);
		jsonout_open(&x->j, "stats", '[');
	}
	if (stats(ix, x, e))
		return -1;
	if (x->form == JSON) {
		jsonout_close(&x->j, ']');
		jsonout_close(&x->j, '}');
	} else if (x->form == BENCHFMT) {
		bench_run(x);
	}
	if (buf_ok(&x->out, e) || buf_ok(&x->line, e))
		return -1;
	if (fwrite(buf_str(&x->out), 1, x->out.len, stdout) != x->out.len)
		return err_sys(e, "stdout");
	buf_reset(&x->out);
	return 0;
}

static int export_runs(struct index *ix, const struct index_runs *runs,
		       struct exporter *x, struct err *e)
{
	int rc = 0;

	if (x->form == CSV)
		puts("lease,box,group,job,testcase,params,kernel,experiment,"
		     "block,position,start,outcome,stable,stat,unit,better,"
		     "iteration,value");
	x->j = (struct jsonout){ .out = &x->out };
	if (x->form == JSON)
		jsonout_open(&x->j, NULL, '[');
	for (size_t i = 0; !rc && i < runs->n; i++) {
		x->run = &runs->v[i];
		rc = export_run(ix, x, e);
	}
	if (!rc && x->form == JSON)
		printf("%s]\n", runs->n ? "" : "[");
	if (!rc && fflush(stdout))
		rc = err_sys(e, "stdout");
	buf_free(&x->out);
	buf_free(&x->line);
	strlist_free(&x->units);
	return rc;
}

static int export(const char *home, const struct index_query *q,
		  struct exporter *x, struct err *e)
{
	struct index_runs runs = { 0 };
	struct index *ix;
	struct home h;
	int rc;

	if (index_open_home(home, &h, &ix, e))
		return -1;
	rc = index_runs(ix, q, &runs, e);
	if (!rc)
		rc = export_runs(ix, &runs, x, e);
	index_runs_free(&runs);
	index_close(ix);
	home_close(&h);
	return rc;
}

static const struct option options[] = {
	{ "all-outcomes", no_argument, NULL, 'a' },
	{ "benchfmt", no_argument, NULL, 'B' },
	{ "csv", no_argument, NULL, 'c' },
	{ "help", no_argument, NULL, 'h' },
	{ "json", no_argument, NULL, 'J' },
	{ "stat", required_argument, NULL, 's' },
	CMD_FILTERS,
	{ NULL, 0, NULL, 0 },
};

static int set_form(struct exporter *x, enum form form)
{
	if (x->form_given && x->form != form)
		return cmd_usage("export",
				 "one of --csv, --json and --benchfmt");
	x->form_given = true;
	x->form = form;
	return -1;
}

/* -1: go on; else the exit status. */
static int option(int c, struct index_query *q, struct exporter *x)
{
	struct err e = ERR_INIT;
	int taken = cmd_filter(c, q, &e);

	if (taken < 0)
		return cmd_usage("export", "%s", e.msg);
	if (taken)
		return -1;
	switch (c) {
	case 'a':
		q->outcome = NULL;
		return -1;
	case 'B':
		return set_form(x, BENCHFMT);
	case 'c':
		return set_form(x, CSV);
	case 'J':
		return set_form(x, JSON);
	case 's':
		x->glob = optarg;
		return -1;
	case 'h':
		fputs(usage, stdout);
		fputs(cmd_filters_help, stdout);
		return EXIT_SUCCESS;
	default:
		return cmd_usage("export", "see above");
	}
}

int cmd_export(const char *home, int argc, char **argv)
{
	struct index_query q = { .outcome = outcome_name(OUTCOME_OK) };
	struct exporter x = { .form = CSV };
	struct err e = ERR_INIT;
	int c, rc = -1;

	while (rc < 0 &&
	       (c = getopt_long(argc, argv, "h", options, NULL)) != -1)
		rc = option(c, &q, &x);
	if (rc >= 0)
		return rc;
	if (optind < argc)
		return cmd_usage("export", "it takes no arguments");
	if (export(home, &q, &x, &e))
		return cmd_fail("export", &e);
	return EXIT_SUCCESS;
}
