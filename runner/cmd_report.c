// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig report: the whole report on two kernels, as a mail, as text, or as
 * JSON. It is printed; sending it is for its reader to do.
 */
#include "cmd.h"
#include "report/html.h"
#include "report/request.h"
#include "report/tojson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROSE_WIDTH 72 /* of a mail, so that quoting keeps it below 80 */

struct options {
	struct request ask;
	struct mail_ask mail;
	bool text, html;
};

static int help(void)
{
	fputs("usage: ironrig report BASE HEAD [--mail | --text | --html | --json]\n"
	      "               [OPTION...]\n"
	      "\n"
	      "  --mail              with headers, to be sent (default: "
	      "--text)\n"
	      "  --html              one page that needs nothing else, with "
	      "figures\n"
	      "  --reply-to MSGID    in the thread of this message\n"
	      "  --to A, --cc A      recipients; may be given more than once\n"
	      "  --reported-by A     a Reported-by: line to ask for\n"
	      "  --closes URL        a Closes: line to ask for\n",
	      stdout);
	fputs(request_help, stdout);
	fputs("\nexit status: as of ironrig compare\n", stdout);
	return EXIT_SUCCESS;
}

enum {
	OPT_MAIL = 256,
	OPT_TEXT,
	OPT_HTML,
	OPT_REPLY_TO,
	OPT_TO,
	OPT_CC,
	OPT_REPORTED_BY,
	OPT_CLOSES,
};

static const struct option LONG[] = {
	{ "mail", no_argument, NULL, OPT_MAIL },
	{ "text", no_argument, NULL, OPT_TEXT },
	{ "html", no_argument, NULL, OPT_HTML },
	{ "reply-to", required_argument, NULL, OPT_REPLY_TO },
	{ "to", required_argument, NULL, OPT_TO },
	{ "cc", required_argument, NULL, OPT_CC },
	{ "reported-by", required_argument, NULL, OPT_REPORTED_BY },
	{ "closes", required_argument, NULL, OPT_CLOSES },
	{ "help", no_argument, NULL, 'h' },
	REQUEST_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

static int take_option(void *arg, int opt, struct err *e)
{
	struct options *o = arg;

	switch (opt) {
	case OPT_MAIL:
		o->mail.headers = true;
		return 0;
	case OPT_TEXT:
		o->text = true;
		return 0;
	case OPT_HTML:
		o->html = true;
		return 0;
	case OPT_REPLY_TO:
		o->mail.reply_to = optarg;
		return 0;
	case OPT_TO:
		return strlist_add(&o->mail.to, optarg, e);
	case OPT_CC:
		return strlist_add(&o->mail.cc, optarg, e);
	case OPT_REPORTED_BY:
		o->mail.reported_by = optarg;
		return 0;
	case OPT_CLOSES:
		o->mail.closes = optarg;
		return 0;
	default:
		return request_option(opt, optarg, &o->ask, e);
	}
}

static const struct cmd_syntax syntax = { "report", LONG, help, take_option };

static int load_evidence(const char *home, const struct compare *c,
			 struct evidence *ev, struct err *e)
{
	struct home h;
	int rc = home_open(home, &h, e);

	if (rc)
		return -1;
	for (size_t i = 0; !rc && i < c->ngroup; i++)
		rc = evidence_load(&h, &c->group[i], &ev[i], e);
	home_close(&h);
	return rc;
}

static int print(const struct options *o, const struct compare *c,
		 struct evidence *ev, struct err *e)
{
	struct buf out = { 0 };

	if (o->ask.json)
		tojson_report(c, ev, &out);
	else if (o->html)
		html_page(&o->ask.show, c, ev, &o->mail, &out);
	else
		mail_text(&o->ask.show, c, ev, &o->mail, &out);
	return cmd_print(&out, e);
}

static int usage(const char *what)
{
	return cmd_usage("report", "%s", what);
}

/* The exit status, or -1. */
static int run(const struct options *o, const char *home, int argc, char **argv,
	       struct err *e)
{
	struct compare c = { .ngroup = 0 };
	struct evidence *ev = NULL;
	const char *wrong;
	int rc = -1;

	if (request_load(home, &o->ask, argv, argc, &c, e) ||
	    request_evaluate(&c, e))
		goto out;
	wrong = request_unused(&o->ask, &c);
	if (wrong) {
		rc = usage(wrong);
		goto out;
	}
	ev = calloc(c.ngroup, sizeof(*ev));
	if (!ev)
		err_set(e, ERR_LIMIT, "out of memory");
	else if (!load_evidence(home, &c, ev, e) && !print(o, &c, ev, e))
		rc = compare_exit_status(&c);
	for (size_t i = 0; ev && i < c.ngroup; i++)
		evidence_free(&ev[i]);
	free(ev);
out:
	compare_free(&c);
	return rc;
}

static void fit(struct options *o)
{
	request_fit_terminal(&o->ask);
	if (o->mail.headers) {
		o->ask.show.colour = false;
		o->ask.show.width = 80;
		o->ask.show.prose = PROSE_WIDTH;
	}
	o->mail.now_s = time(NULL);
}

/* What contradicts itself; NULL: nothing. */
static const char *contradiction(const struct options *o, int words)
{
	const struct mail_ask *m = &o->mail;
	const struct request *r = &o->ask;

	if (words < (r->rule.aa ? 1 : 2))
		return "two kernels are needed";
	if (o->text + o->html + m->headers + r->json > 1)
		return "one of --mail, --text, --html and --json";
	if (!m->headers && (m->to.n || m->cc.n || m->reply_to))
		return "--to, --cc and --reply-to go with --mail";
	if (r->json && (m->reported_by || m->closes))
		return "--reported-by and --closes do not go with --json";
	if ((r->json || o->html) && r->show.ascii)
		return "--ascii goes with --text and --mail";
	if (r->all)
		return "--all is for compare: a report has what differs";
	return request_contradiction(r, !r->json && !o->html && !m->headers);
}

static int parse_and_run(struct options *o, const char *home, int argc,
			 char **argv)
{
	struct err e = ERR_INIT;
	int status = cmd_parse(&syntax, argc, argv, o);
	const char *wrong;

	if (status >= 0)
		return status;
	wrong = contradiction(o, argc - optind);
	if (wrong)
		return usage(wrong);
	if (mail_check(&o->mail, &e))
		return usage(e.msg);
	fit(o);
	status = run(o, home, argc - optind, argv + optind, &e);
	return status < 0 ? cmd_fail("report", &e) : status;
}

int cmd_report(const char *home, int argc, char **argv)
{
	struct options o = { .ask = REQUEST_INIT };
	int status = parse_and_run(&o, home, argc, argv);

	strlist_free(&o.mail.to);
	strlist_free(&o.mail.cc);
	return status;
}
