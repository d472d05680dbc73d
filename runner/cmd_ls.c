// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * `ironrig ls`: results, one a line, oldest first.
 */
#include "cmd.h"
#include "home.h"
#include "index.h"
#include "num.h"
#include "runjson.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: ironrig ls [--box B] [--job J] [--kernel K] [--experiment X]\n"
	"                  [--since T] [--until T] [--outcome O] [--limit N]\n"
	"                  [--json]\n"
	"\n"
	"Lists results, oldest first. Columns, separated by blanks: RESULT\n"
	"(the lease, cut as far as it stays unique among those listed), BOX,\n"
	"JOB, KERNEL, OUTCOME (ok failed timeout refused crashed lost\n"
	"aborted), STABLE (yes no), ITERATIONS (completed/planned), STARTED\n"
	"(UTC), EXPERIMENT with its block (NAME:N, block 0 warms up; -).\n"
	"\n"
	"  --limit N  the newest N\n"
	"  --json     an array of objects, with all that the index holds\n";

enum { SHORTEST = 8 };

static int by_lease(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* How many digits tell all leases apart. */
static int unique_digits(const struct index_runs *runs)
{
	char **v = calloc(runs->n ? runs->n : 1, sizeof(*v));
	size_t most = SHORTEST;

	if (!v)
		return 32;
	for (size_t i = 0; i < runs->n; i++)
		v[i] = runs->v[i].lease;
	qsort(v, runs->n, sizeof(*v), by_lease);
	for (size_t i = 1; i < runs->n; i++) {
		size_t same = 0;

		while (v[i][same] && v[i][same] == v[i - 1][same])
			same++;
		most = same + 1 > most ? same + 1 : most;
	}
	free(v);
	return (int)most;
}

static int width(const struct index_runs *runs, const char *title,
		 const char *(*field)(const struct index_run *))
{
	size_t w = strlen(title);

	for (size_t i = 0; i < runs->n; i++) {
		size_t n = strlen(field(&runs->v[i]));

		w = n > w ? n : w;
	}
	return (int)w;
}

static const char *box(const struct index_run *r)
{
	return r->box;
}

static const char *job(const struct index_run *r)
{
	return r->job;
}

static const char *kernel(const struct index_run *r)
{
	return *r->kernel ? r->kernel : "-";
}

static void print_table(const struct index_runs *runs)
{
	int w[] = { unique_digits(runs), width(runs, "BOX", box),
		    width(runs, "JOB", job), width(runs, "KERNEL", kernel) };
	char start[RUNJSON_TIME], iter[32];

	printf("%-*s %-*s %-*s %-*s %-8s %-6s %-10s %-20s %s\n", w[0],
	       "RESULT", w[1], "BOX", w[2], "JOB", w[3], "KERNEL", "OUTCOME",
	       "STABLE", "ITERATIONS", "STARTED", "EXPERIMENT");
	for (size_t i = 0; i < runs->n; i++) {
		const struct index_run *r = &runs->v[i];

		runjson_time(r->start_s, start);
		snprintf(iter, sizeof(iter), "%d/%d", r->iterations,
			 r->planned);
		printf("%-*.*s %-*s %-*s %-*s %-8s %-6s %-10s %-20s ", w[0],
		       w[0], r->lease, w[1], r->box, w[2], r->job, w[3],
		       kernel(r), outcome_name(r->outcome),
		       r->stable ? "yes" : "no", iter, start);
		if (*r->experiment)
			printf("%s:%d\n", r->experiment, r->block);
		else
			puts("-");
	}
}

static int print_json(const struct index_runs *runs, struct err *e)
{
	struct buf out = { 0 };
	struct jsonout j = { .out = &out };
	int rc;

	jsonout_open(&j, NULL, '[');
	for (size_t i = 0; i < runs->n; i++) {
		jsonout_open(&j, NULL, '{');
		runjson(&j, &runs->v[i]);
		jsonout_close(&j, '}');
	}
	jsonout_close(&j, ']');
	rc = buf_ok(&out, e);
	if (!rc)
		puts(buf_str(&out));
	buf_free(&out);
	return rc;
}

static int list(const char *home, const struct index_query *q, bool json,
		struct err *e)
{
	struct index_runs runs = { 0 };
	struct index *x;
	struct home h;
	int rc;

	if (index_open_home(home, &h, &x, e))
		return -1;
	rc = index_runs(x, q, &runs, e);
	if (!rc && json)
		rc = print_json(&runs, e);
	else if (!rc)
		print_table(&runs);
	index_runs_free(&runs);
	index_close(x);
	home_close(&h);
	return rc;
}

static const struct option options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "json", no_argument, NULL, 'J' },
	{ "limit", required_argument, NULL, 'n' },
	{ "outcome", required_argument, NULL, 'o' },
	CMD_FILTERS,
	{ NULL, 0, NULL, 0 },
};

/* -1: go on; else the exit status. */
static int option(int c, struct index_query *q, bool *json)
{
	struct err e = ERR_INIT;
	enum outcome outcome;
	int64_t n;

	int taken = cmd_filter(c, q, &e);

	if (taken < 0)
		return cmd_usage("ls", "%s", e.msg);
	if (taken)
		return -1;
	switch (c) {
	case 'J':
		*json = true;
		return -1;
	case 'n':
		if (num_i64(optarg, 1, 1000000, &n, &e))
			return cmd_usage("ls", "--limit: %s", e.msg);
		q->limit = (int)n;
		return -1;
	case 'o':
		if (outcome_parse(optarg, &outcome))
			return cmd_usage("ls", "no outcome \"%s\"", optarg);
		q->outcome = optarg;
		return -1;
	case 'h':
		fputs(usage, stdout);
		fputs(cmd_filters_help, stdout);
		return EXIT_SUCCESS;
	default:
		return cmd_usage("ls", "see above");
	}
}

int cmd_ls(const char *home, int argc, char **argv)
{
	struct index_query q = { .limit = 0 };
	struct err e = ERR_INIT;
	bool json = false;
	int c, rc = -1;

	while (rc < 0 &&
	       (c = getopt_long(argc, argv, "hn:", options, NULL)) != -1)
		rc = option(c, &q, &json);
	if (rc >= 0)
		return rc;
	if (optind < argc)
		return cmd_usage("ls", "it takes no arguments");
	if (list(home, &q, json, &e))
		return cmd_fail("ls", &e);
	return EXIT_SUCCESS;
}
