// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig compare: what changed between kernels, how sure, and how small a
 * change could have been seen. Options and output only.
 */
#include "cmd.h"
#include "report/request.h"
#include "report/table.h"
#include "report/tojson.h"
#include "report/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
	struct request ask;
	bool values, paired, better_given;
	enum verdict_better better;
};

static int help(void)
{
	fputs("usage: ironrig compare BASE HEAD... [OPTION...]\n"
	      "       ironrig compare --values BASEFILE HEADFILE [OPTION...]\n"
	      "\n"
	      "Kernels of the store by name or unique prefix, or two files:\n"
	      "one boot a line, its iterations separated by blanks; '#' "
	      "begins\n"
	      "a comment, a line NA is a lost boot.\n"
	      "\n"
	      "  --values            compare two files: no store is needed\n"
	      "  --paired            line k of both files is one block\n"
	      "  --better WAY        which direction is good: higher or lower\n"
	      "  --linear            differences in the unit of the values\n",
	      stdout);
	fputs(request_help, stdout);
	fputs("\n"
	      "exit status: 0 no regression; 10 a regression, or a failure on\n"
	      "head alone; 11 inconclusive, near delta, or no verdict; 1 "
	      "failed;\n"
	      "2 usage\n",
	      stdout);
	return EXIT_SUCCESS;
}

static int parse_better(const char *text, struct options *o, struct err *e)
{
	o->better_given = true;
	if (!strcmp(text, "higher"))
		o->better = VERDICT_HIGHER;
	else if (!strcmp(text, "lower"))
		o->better = VERDICT_LOWER;
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
};

static const struct option LONG[] = {
	{ "values", no_argument, NULL, OPT_VALUES },
	{ "paired", no_argument, NULL, OPT_PAIRED },
	{ "better", required_argument, NULL, OPT_BETTER },
	{ "linear", no_argument, NULL, OPT_LINEAR },
	{ "help", no_argument, NULL, 'h' },
	REQUEST_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

static int take_option(void *arg, int opt, struct err *e)
{
	struct options *o = arg;

	switch (opt) {
	case OPT_VALUES:
		o->values = true;
		return 0;
	case OPT_PAIRED:
		o->paired = true;
		return 0;
	case OPT_BETTER:
		return parse_better(optarg, o, e);
	case OPT_LINEAR:
		o->ask.rule.linear = true;
		return 0;
	default:
		return request_option(opt, optarg, &o->ask, e);
	}
}

static const struct cmd_syntax syntax = { "compare", LONG, help, take_option };

/* What contradicts itself; NULL: nothing. */
static const char *contradiction(const struct options *o, int words)
{
	const struct request *r = &o->ask;

	if (!o->values && (o->paired || o->better_given))
		return "--paired and --better go with --values";
	if (o->values && (r->box || r->job || r->stat || r->experiment ||
			  r->rule.aa || r->independent))
		return "--values has no store to choose from";
	if (o->values && r->all)
		return "--values has one stat: there is no more for --all";
	if (o->values && words != 2)
		return "--values takes two files";
	if (!o->values && words < (r->rule.aa ? 1 : 2))
		return "two kernels are needed";
	if (r->json && r->show.ascii)
		return "--ascii is for tables of text";
	return request_contradiction(r, !r->json);
}

static int print(const struct options *o, const struct compare *c,
		 struct err *e)
{
	struct buf out = { 0 };

	if (o->ask.json)
		tojson_compare(c, &out);
	else
		table_text(&o->ask.show, c,
			   o->ask.all ? TABLE_ALL : TABLE_PRIMARY, &out);
	return cmd_print(&out, e);
}

static int load(const struct options *o, const char *home, int argc,
		char **argv, struct compare *c, struct err *e)
{
	c->rule = o->ask.rule;
	if (o->values)
		return values_load(argv[0], argv[1], o->paired, o->better, c,
				   e);
	return request_load(home, &o->ask, argv, argc, c, e);
}

int cmd_compare(const char *home, int argc, char **argv)
{
	struct options o = { .ask = REQUEST_INIT };
	struct compare c = { .ngroup = 0 };
	struct err e = ERR_INIT;
	const char *wrong;
	int status = cmd_parse(&syntax, argc, argv, &o);

	if (status >= 0)
		return status;
	wrong = contradiction(&o, argc - optind);
	if (wrong)
		return cmd_usage("compare", "%s", wrong);
	request_fit_terminal(&o.ask);
	if (load(&o, home, argc - optind, argv + optind, &c, &e) ||
	    request_evaluate(&c, &e))
		status = cmd_fail("compare", &e);
	else if ((wrong = request_unused(&o.ask, &c)))
		status = cmd_usage("compare", "%s", wrong);
	else if (print(&o, &c, &e))
		status = cmd_fail("compare", &e);
	else
		status = compare_exit_status(&c);
	compare_free(&c);
	return status;
}
