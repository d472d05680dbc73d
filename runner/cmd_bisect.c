// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig bisect: for `git bisect run': builds the tree it stands in, registers
 * it, measures it against the good kernel and answers as git wants it. Every
 * failure that is not the candidate's ends above 127, so that git stops
 * instead of blaming a commit.
 */
#include "bisect.h"
#include "cmd.h"
#include "io.h"
#include "kernel.h"
#include "kerneladd.h"
#include "num.h"
#include "spawn.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	EXIT_GOOD = 0,
	EXIT_BAD = 1,
	EXIT_SKIP = 125,
	EXIT_ABORT = 128,
	EXIT_USAGE = 129,
	BLOCKS = 6,
	APPEND_MAX = 4096,
};

/* clang-format off */
static const char usage[] =
"usage: git bisect run ironrig bisect --box B --job J --good-kernel K\n"
"              --build CMD [OPTION...]\n"
"\n"
"Builds the tree it is started in with CMD (sh), registers it as a kernel\n"
"(bisect- and the commit) and measures it and the good kernel in interleaved\n"
"boots. Nearer to good or to bad: by the middle between the ends.\n"
"\n"
"  --bad-kernel K      the other end: both are measured once, at the first\n"
"                      step\n"
"  --change -17.5%     or: what somebody measured\n"
"                      (neither: worse by more than --delta is bad)\n"
"  --delta 1%          the smallest change that matters\n"
"  --stat NAME         which stat decides (the job's first primary)\n"
"  --blocks N          kept blocks a step (6)\n"
"  --boot WAY          firmware or kexec\n"
"  --tree DIR          the built tree, if it is another folder\n"
"  --like K            no tree: image and modules of this registered kernel,\n"
"    --append-from F     with the command line additions in file F, for\n"
"                        variants of the command line\n"
"\n"
"exit status: 0 good; 1 bad; 125 cannot tell: the build failed, the box is\n"
"lost, or the 99 % interval holds the middle; 128 and above: bisecting makes\n"
"no sense (the ends do not differ, an error here, a signal)\n";
/* clang-format on */

struct options {
	struct strlist boxes;
	struct bisect b;
	const char *build, *tree, *like, *append_from;
	int64_t blocks;
};

enum {
	OPT_BOX = 256,
	OPT_JOB,
	OPT_GOOD,
	OPT_BAD,
	OPT_BUILD,
	OPT_CHANGE,
	OPT_DELTA,
	OPT_STAT,
	OPT_BLOCKS,
	OPT_BOOT,
	OPT_TREE,
	OPT_LIKE,
	OPT_APPEND,
};

static const struct option options[] = {
	{ "box", required_argument, NULL, OPT_BOX },
	{ "job", required_argument, NULL, OPT_JOB },
	{ "good-kernel", required_argument, NULL, OPT_GOOD },
	{ "bad-kernel", required_argument, NULL, OPT_BAD },
	{ "build", required_argument, NULL, OPT_BUILD },
	{ "change", required_argument, NULL, OPT_CHANGE },
	{ "delta", required_argument, NULL, OPT_DELTA },
	{ "stat", required_argument, NULL, OPT_STAT },
	{ "blocks", required_argument, NULL, OPT_BLOCKS },
	{ "boot", required_argument, NULL, OPT_BOOT },
	{ "tree", required_argument, NULL, OPT_TREE },
	{ "like", required_argument, NULL, OPT_LIKE },
	{ "append-from", required_argument, NULL, OPT_APPEND },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* ---- options ------------------------------------------------------------------- */

/* "-17.5%" as -0.175 */
static int percent(const char *text, double *out, struct err *e)
{
	size_t n = strlen(text);
	bool sign;

	if (n < 2 || text[n - 1] != '%')
		return err_set(e, ERR_INPUT, "\"%.40s\": a percentage, such as "
					     "-17.5%%",
			       text);
	if (num_share(*text == '+' ? text + 1 : text, out, &sign, e))
		return -1;
	if (*out <= -1 || (*out >= 0 && *out <= 0))
		return err_set(e, ERR_INPUT, "\"%.40s\" is no change", text);
	return 0;
}

static int take_option(void *arg, int c, struct err *e)
{
	struct options *o = arg;
	struct bisect *b = &o->b;

	switch (c) {
	case OPT_BOX: return strlist_add(&o->boxes, optarg, e);
	case OPT_JOB: b->job = optarg; return 0;
	case OPT_GOOD: b->good = optarg; return 0;
	case OPT_BAD: b->bad = optarg; return 0;
	case OPT_BUILD: o->build = optarg; return 0;
	case OPT_CHANGE: return percent(optarg, &b->change, e);
	case OPT_DELTA: return percent(optarg, &b->delta, e);
	case OPT_STAT: b->stat = optarg; return 0;
	case OPT_BLOCKS: return num_i64(optarg, 3, 1000, &o->blocks, e);
	case OPT_TREE: o->tree = optarg; return 0;
	case OPT_LIKE: o->like = optarg; return 0;
	case OPT_APPEND: o->append_from = optarg; return 0;
	default:
		b->boot_given = true;
		return cmd_boot(optarg, &b->boot, e);
	}
}

static int help(void)
{
	fputs(usage, stdout);
	return EXIT_GOOD;
}

static const struct cmd_syntax syntax = {
	"bisect", options, help, take_option
};

static const char *missing(const struct options *o)
{
	if (!o->boxes.n)
		return "on which --box?";
	if (!o->b.job)
		return "which --job?";
	if (!o->b.good)
		return "--good-kernel is needed";
	if (!o->build)
		return "--build is needed (\"true\" where there is nothing to "
		       "build)";
	if (!o->like != !o->append_from)
		return "--like and --append-from go together";
	if (o->like && o->tree)
		return "--tree or --like?";
	if (o->b.bad && (o->b.change < 0 || o->b.change > 0))
		return "--bad-kernel or --change?";
	if (o->b.delta < 0)
		return "--delta is positive";
	return NULL;
}

/* ---- the candidate ------------------------------------------------------------------ */

/* "bisect-" and the commit, so that going back to one costs no build. */
static int candidate_name(char out[64], struct err *e)
{
	static const char *const argv[] = { "git", "rev-parse", "--verify",
					    "HEAD", NULL };
	struct buf head = { 0 };
	int rc = spawn_capture(argv, false, &head, 256, e);

	if (!rc && (head.len < 40 || strspn(head.data, "0123456789abcdef") < 40))
		rc = err_set(e, ERR_PEER, "git rev-parse: no commit");
	if (!rc)
		snprintf(out, 64, "bisect-%.16s", head.data);
	buf_free(&head);
	return rc;
}

static bool registered(const struct home *h, const char *name)
{
	struct conf_kernel k = { 0 };
	struct err ignored;

	if (kernel_load(h, name, &k, &ignored))
		return false;
	conf_kernel_free(&k);
	return true;
}

static int append_text(const char *file, struct buf *text, struct err *e)
{
	if (io_read_file(AT_FDCWD, file, text, APPEND_MAX, e))
		return -1;
	for (size_t i = 0; i < text->len; i++)
		if (text->data[i] == '\n')
			text->data[i] = ' ';
	while (text->len && text->data[text->len - 1] == ' ')
		text->data[--text->len] = '\0';
	return buf_ok(text, e);
}

static int add(const struct home *h, const struct options *o, const char *name,
	       struct err *e)
{
	struct buf append = { 0 };
	struct kerneladd a = { .name = name, .like = o->like };
	struct kerneladd_said said = { .unchanged = false };
	int rc = 0;

	if (!o->like)
		a.build = o->tree ? o->tree : ".";
	if (o->append_from)
		rc = append_text(o->append_from, &append, e);
	if (append.len)
		a.append = append.data;
	if (!rc)
		rc = kerneladd_run(h, &a, &said, e);
	kerneladd_said_free(&said);
	buf_free(&append);
	return rc;
}

/* ---- one step ------------------------------------------------------------------------- */

static int answer_status(enum bisect_answer a)
{
	return a == BISECT_GOOD ? EXIT_GOOD :
	       a == BISECT_BAD	? EXIT_BAD :
	       a == BISECT_SKIP ? EXIT_SKIP :
				  EXIT_ABORT;
}

static int abort_step(const struct err *e)
{
	cmd_fail("bisect", e);
	return EXIT_ABORT;
}

static int skip(const struct err *e)
{
	cmd_fail("bisect", e);
	return EXIT_SKIP;
}

/* EXIT_GOOD: it is registered under name. */
static int candidate(const struct home *h, const struct options *o,
		     char name[64])
{
	const char *const build[] = { "sh", "-c", o->build, NULL };
	struct err e = ERR_INIT;

	if (candidate_name(name, &e))
		return abort_step(&e);
	if (registered(h, name)) {
		printf("%s is registered: not built again\n", name);
		return EXIT_GOOD;
	}
	if (spawn_run(build, &e)) {
		err_prefix(&e, "--build");
		return skip(&e);
	}
	if (add(h, o, name, &e)) {
		err_prefix(&e, "kernel %s", name);
		return skip(&e);
	}
	return EXIT_GOOD;
}

static int step(const struct home *h, struct options *o)
{
	enum bisect_answer answer;
	struct err e = ERR_INIT;
	char name[64], text[BISECT_TEXT] = "";
	double middle;
	int rc;

	o->b.home = h;
	o->b.boxes = &o->boxes;
	o->b.blocks = (int)o->blocks;
	if (!registered(h, o->b.good) ||
	    (o->b.bad && !registered(h, o->b.bad))) {
		err_set(&e, ERR_NOTFOUND, "the good or the bad kernel is not "
					  "registered (`ironrig kernel ls')");
		return abort_step(&e);
	}
	rc = candidate(h, o, name);
	if (rc)
		return rc;
	if (bisect_middle(&o->b, &middle, &answer, text, &e))
		return abort_step(&e);
	if (*text)
		cmd_say(NULL, text);
	if (answer != BISECT_GOOD)
		return answer_status(answer);
	if (bisect_step(&o->b, name, middle, &answer, text, &e))
		return abort_step(&e);
	cmd_say(NULL, text);
	return answer_status(answer);
}

static int run(const char *home, struct options *o)
{
	struct err e = ERR_INIT;
	struct home h;
	int rc;

	if (home_open(home, &h, &e))
		return abort_step(&e);
	cmd_stop_by_signals();
	rc = step(&h, o);
	o->b.home = NULL;
	home_close(&h);
	return cmd_stop ? EXIT_ABORT : rc;
}

int cmd_bisect(const char *home, int argc, char **argv)
{
	struct options o = {
		.b = { .delta = .01, .stop = &cmd_stop, .say = cmd_say },
		.blocks = BLOCKS,
	};
	const char *wrong = NULL;
	int rc = cmd_parse(&syntax, argc, argv, &o);

	if (rc < 0)
		wrong = optind < argc ? "it takes options only" : missing(&o);
	if (wrong)
		rc = cmd_usage("bisect", "%s", wrong);
	if (rc == CMD_USAGE)
		rc = EXIT_USAGE;
	else if (rc < 0)
		rc = run(home, &o);
	strlist_free(&o.boxes);
	return rc;
}
