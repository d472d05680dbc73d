// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig compare: what changed between kernels, how sure, and how small a
 * change could have been seen. Options and output; the numbers come from
 * report/compare.c.
 */
#include "cmd.h"
#include "io.h"
#include "num.h"
#include "report/table.h"
#include "report/tojson.h"
#include "report/values.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/*
 * Seeds the draws of the exact tests: fixed, so that one input gives one
 * output.
 */
#define SEED 4

struct options {
	struct compare_rule rule;
	struct show show;
	bool values, paired, json, wide, all;
	bool delta_percent; /* --delta was given as a fraction */
	enum verdict_better better;
};

static int help(void)
{
	puts("usage: ironrig compare --values BASEFILE HEADFILE [--paired]\n"
	     "               [--better higher|lower] [--linear] [OPTION...]\n"
	     "\n"
	     "Value files hold one boot a line, its iterations separated by\n"
	     "blanks; '#' begins a comment, a line NA is a lost boot.\n"
	     "\n"
	     "  --paired         line k of both files is one block\n"
	     "  --better WAY     which direction is good: higher or lower\n"
	     "  --linear         differences in the values' unit, not ratios\n"
	     "  --delta 1%       the smallest change that matters; without %,\n"
	     "                   in units, for linear stats\n"
	     "  --alpha 0.05     chance of a false alarm, over all verdicts\n"
	     "  --json           one object, documented in the manual\n"
	     "  --wide, --ascii  one row a stat; no UTF-8\n"
	     "\n"
	     "exit status: 0 no regression; 10 a regression, or a failure on\n"
	     "head alone; 11 inconclusive, near delta, or no verdict; 1 "
	     "failed;\n"
	     "2 usage");
	return EXIT_SUCCESS;
}

/* "1%" is a fraction for ratios, "0.5" units for linear stats. */
static int parse_delta(const char *text, struct options *o, struct err *e)
{
	size_t len = strlen(text);
	bool percent = len && text[len - 1] == '%';
	char *number = strndup(text, percent ? len - 1 : len);
	double v = 0;
	int rc;

	if (!number)
		return err_set(e, ERR_LIMIT, "out of memory");
	rc = num_double(number, &v, e);
	free(number);
	if (rc)
		return -1;
	if (!(v > 0) || (percent && v >= 100))
		return err_set(e, ERR_INPUT, "%s is not a positive size", text);
	o->delta_percent |= percent;
	if (percent)
		o->rule.delta = v / 100;
	else
		o->rule.delta_units = v;
	return 0;
}

static int parse_alpha(const char *text, double *alpha, struct err *e)
{
	double v;

	if (num_double(text, &v, e))
		return -1;
	if (!(v > 0) || !(v < .5))
		return err_set(e, ERR_INPUT, "%s is not in 0 < alpha < 0.5",
			       text);
	*alpha = v;
	return 0;
}

static int parse_better(const char *text, enum verdict_better *better,
			struct err *e)
{
	if (!strcmp(text, "higher"))
		*better = VERDICT_HIGHER;
	else if (!strcmp(text, "lower"))
		*better = VERDICT_LOWER;
	else
		return err_set(e, ERR_INPUT,
			       "\"%.64s\" is neither higher nor lower", text);
	return 0;
}

enum {
	OPT_VALUES = 256,
	OPT_PAIRED,
	OPT_BETTER,
	OPT_LINEAR,
	OPT_JSON,
	OPT_DELTA,
	OPT_ALPHA,
	OPT_WIDE,
	OPT_ASCII,
	OPT_ALL,
};

static const struct option LONG[] = {
	{ "values", no_argument, NULL, OPT_VALUES },
	{ "paired", no_argument, NULL, OPT_PAIRED },
	{ "better", required_argument, NULL, OPT_BETTER },
	{ "linear", no_argument, NULL, OPT_LINEAR },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "delta", required_argument, NULL, OPT_DELTA },
	{ "alpha", required_argument, NULL, OPT_ALPHA },
	{ "wide", no_argument, NULL, OPT_WIDE },
	{ "ascii", no_argument, NULL, OPT_ASCII },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take_option(int opt, struct options *o, struct err *e)
{
	switch (opt) {
	case OPT_VALUES:
		o->values = true;
		return 0;
	case OPT_PAIRED:
		o->paired = true;
		return 0;
	case OPT_BETTER:
		return parse_better(optarg, &o->better, e);
	case OPT_LINEAR:
		o->rule.linear = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_DELTA:
		return parse_delta(optarg, o, e);
	case OPT_ALPHA:
		return parse_alpha(optarg, &o->rule.alpha, e);
	case OPT_WIDE:
		o->wide = true;
		return 0;
	case OPT_ASCII:
		o->show.ascii = true;
		return 0;
	default:
		o->all = true;
		return 0;
	}
}

/* Colour and width follow the terminal; a file gets 80 columns. */
static void fit_terminal(struct options *o)
{
	const char *no_colour = getenv("NO_COLOR");
	struct winsize size = { .ws_col = 0 };
	bool tty = isatty(STDOUT_FILENO);

	o->show.colour = tty && !(no_colour && *no_colour);
	if (tty && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		size.ws_col = 0;
	o->show.width = o->wide || size.ws_col >= TABLE_WIDE ? TABLE_WIDE : 80;
	o->show.prose = 80;
}

static int print(const struct options *o, const struct compare *c,
		 struct err *e)
{
	struct buf out = { 0 };
	int rc;

	if (o->json)
		tojson_compare(c, &out);
	else
		table_text(&o->show, c, o->all ? TABLE_ALL : TABLE_PRIMARY,
			   &out);
	rc = buf_ok(&out, e);
	if (!rc)
		rc = io_write_all(STDOUT_FILENO, buf_str(&out), out.len, e);
	buf_free(&out);
	return rc;
}

/* Evaluates and prints; the exit status, -1 when it failed. */
static int finish(const struct options *o, struct compare *c, struct err *e)
{
	struct dist *d = dist_new(SEED);
	int rc;

	if (!d)
		return err_set(e, ERR_LIMIT, "out of memory");
	rc = compare_evaluate(c, d, e);
	dist_free(d);
	if (!rc)
		rc = print(o, c, e);
	return rc ? -1 : compare_exit_status(c);
}

static int set_kernel(struct compare_side *side, const char *path,
		      struct err *e)
{
	const char *slash = strrchr(path, '/');

	side->kernel = strdup(slash ? slash + 1 : path);
	side->build_id = strdup("");
	side->observer_us = NAN;
	if (!side->kernel || !side->build_id)
		return err_set(e, ERR_LIMIT, "out of memory");
	return 0;
}

static int fill_group(const struct options *o, const char *const path[2],
		      const struct values v[2], struct compare *c,
		      struct err *e)
{
	struct compare_group *g = compare_add_group(c, e);
	struct compare_stat *st;

	if (!g)
		return -1;
	g->name = strdup("");
	g->job = strdup("");
	g->box = strdup("");
	if (!g->name || !g->job || !g->box)
		return err_set(e, ERR_LIMIT, "out of memory");
	if (set_kernel(&g->base, path[0], e) ||
	    set_kernel(&g->head, path[1], e))
		return -1;
	g->design = o->paired ? COMPARE_PAIRS : COMPARE_VALUES;
	g->n_base = v[0].n;
	g->n_head = v[1].n;
	st = compare_add_stat(g, "value", "", e);
	if (!st)
		return -1;
	st->primary = true;
	st->better = o->better;
	memcpy(st->base, v[0].boot, v[0].n * sizeof(*st->base));
	memcpy(st->head, v[1].boot, v[1].n * sizeof(*st->head));
	return 0;
}

static int compare_values(const struct options *o, const char *const path[2],
			  struct err *e)
{
	struct compare c = { .rule = o->rule };
	struct values v[2] = { { .n = 0 }, { .n = 0 } };
	int rc = -1;

	if (values_load(path[0], &v[0], e) || values_load(path[1], &v[1], e))
		goto out;
	if (o->paired && v[0].n != v[1].n) {
		err_set(e, ERR_INPUT, "--paired: %s has %zu boots, %s has %zu",
			path[0], v[0].n, path[1], v[1].n);
		goto out;
	}
	if (!fill_group(o, path, v, &c, e))
		rc = finish(o, &c, e);
out:
	values_free(&v[0]);
	values_free(&v[1]);
	compare_free(&c);
	return rc;
}

int cmd_compare(const char *home, int argc, char **argv)
{
	struct options o = { .rule = COMPARE_RULE_DEFAULT,
			     .better = VERDICT_NEITHER };
	struct err e = ERR_INIT;
	int opt, rc;

	(void)home;
	optind = 0;
	while ((opt = getopt_long(argc, argv, "h", LONG, NULL)) != -1) {
		if (opt == 'h')
			return help();
		if (opt == '?')
			return cmd_usage("compare",
					 "what is asked is not clear");
		if (take_option(opt, &o, &e))
			return cmd_usage("compare", "%s", e.msg);
	}
	fit_terminal(&o);
	if (o.rule.linear && o.delta_percent)
		return cmd_usage("compare", "with --linear, --delta is in "
					    "units: without %%");
	if (!o.values)
		return cmd_usage("compare", "--values is missing");
	if (argc - optind != 2)
		return cmd_usage("compare", "two files are needed, not %d",
				 argc - optind);
	rc = compare_values(
		&o, (const char *const[]){ argv[optind], argv[optind + 1] },
		&e);
	return rc < 0 ? cmd_fail("compare", &e) : rc;
}
