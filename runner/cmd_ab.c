// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig ab: compares kernels on the same boxes in interleaved boots. Options
 * and what is printed; the experiment itself is ab_*.c's.
 */
#include "ab.h"
#include "cmd.h"
#include "io.h"
#include "num.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
static const char usage[] =
"usage: ironrig ab BASE HEAD... --box B... --job J... [OPTION...]\n"
"       ironrig ab BASE HEAD... --ssh root@box --job J... [OPTION...]\n"
"       ironrig ab --resume NAME [--blocks N] [--max-blocks M] [--wait]\n"
"       ironrig ab --stop NAME\n"
"\n"
"Boots each kernel once a block, in random order, as often as it takes, and\n"
"compares within blocks. The boxes ask for their work: this command may end.\n"
"\n"
"  --box B             on this box; several of one group share the work\n"
"  --ssh root@box      on a borrowed box with a system of its own: it is taken\n"
"                      over by kexec from memory, and reboots into its own\n"
"                      system at the end; its disks are not touched\n"
"    --controller H:P    where it reaches this controller's sshd\n"
"  --take root@box     take a borrowed box over again: its power command\n"
"  --job J             run this; with several, each has a boot of its own\n"
"  --builds            every build of each kernel that is registered (kernel add\n"
"                      --build-of), in turn: is it alignment?\n"
"  --blocks N          so many kept blocks (10)\n"
"  --until decided     as few as settle every primary stat, at most\n"
"  --max-blocks M      so many (40); it stops by looks, which `ironrig collect'\n"
"                      (--watch) takes, and --wait\n"
"  --iterations N      so many in every run; auto (the default): as the jobs\n"
"                      say, after three blocks as many as their spread and\n"
"                      the time of a boot make best; job: as the jobs say\n"
"  --boot WAY          firmware or kexec (kexec when every box has it)\n"
"  --jobs-share-boot   all jobs in one boot: quicker, later ones less sure\n"
"  --delta 1%          the smallest change that matters\n"
"  --alpha 0.05        chance of a false alarm, over all verdicts\n"
"  --seed N            of the order of boots\n"
"  --name NAME         of the experiment (ab and the time)\n"
"  --wait              stay, collect, and end with the comparison\n"
"  --resume NAME       go on with one that was stopped or given up, with\n"
"                      other numbers of blocks if given; with --wait, sit\n"
"                      down beside it again\n"
"  --stop NAME         no more boots for it; results stay\n"
"\n"
"exit status with --wait: compare's (0 no regression, 10 a regression or a\n"
"failure on head alone, 11 not settled); else 0; 1 failed; 2 usage\n";
/* clang-format on */

struct options {
	struct ab_ask ask;
	const char *resume, *stop, *ssh, *take, *controller;
	bool wait;
};

enum {
	OPT_BOX = 256,
	OPT_JOB,
	OPT_BUILDS,
	OPT_ITERATIONS,
	OPT_BLOCKS,
	OPT_UNTIL,
	OPT_MAX,
	OPT_BOOT,
	OPT_SHARE,
	OPT_DELTA,
	OPT_ALPHA,
	OPT_SEED,
	OPT_NAME,
	OPT_WAIT,
	OPT_RESUME,
	OPT_STOP,
	OPT_SSH,
	OPT_TAKE,
	OPT_CONTROLLER,
};

static const struct option options[] = {
	{ "box", required_argument, NULL, OPT_BOX },
	{ "job", required_argument, NULL, OPT_JOB },
	{ "iterations", required_argument, NULL, OPT_ITERATIONS },
	{ "builds", no_argument, NULL, OPT_BUILDS },
	{ "blocks", required_argument, NULL, OPT_BLOCKS },
	{ "until", required_argument, NULL, OPT_UNTIL },
	{ "max-blocks", required_argument, NULL, OPT_MAX },
	{ "boot", required_argument, NULL, OPT_BOOT },
	{ "jobs-share-boot", no_argument, NULL, OPT_SHARE },
	{ "delta", required_argument, NULL, OPT_DELTA },
	{ "alpha", required_argument, NULL, OPT_ALPHA },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "wait", no_argument, NULL, OPT_WAIT },
	{ "resume", required_argument, NULL, OPT_RESUME },
	{ "stop", required_argument, NULL, OPT_STOP },
	{ "ssh", required_argument, NULL, OPT_SSH },
	{ "take", required_argument, NULL, OPT_TAKE },
	{ "controller", required_argument, NULL, OPT_CONTROLLER },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* ---- options ------------------------------------------------------------------ */

/* "1%" or "0.01" */
static int fraction(const char *text, double *out, struct err *e)
{
	bool percent;
	double v = 0;

	if (num_share(text, &v, &percent, e))
		return -1;
	if (!(v > 0) || v >= 1)
		return err_set(e, ERR_INPUT, "\"%.40s\" is not between 0 and "
					     "100 %%",
			       text);
	*out = v;
	return 0;
}

static int take_iterations(const char *text, struct ab_ask *a, struct err *e)
{
	a->own_iterations = !strcmp(text, "job");
	a->iterations = 0;
	if (a->own_iterations || !strcmp(text, "auto"))
		return 0;
	if (!num_i64(text, 1, CONF_ITERATIONS_MAX, &a->iterations, NULL))
		return 0;
	return err_set(e, ERR_INPUT, "--iterations %.40s: a number up to %d, "
				     "auto or job",
		       text, CONF_ITERATIONS_MAX);
}

static int take_option(void *arg, int c, struct err *e)
{
	struct options *o = arg;
	struct ab_ask *a = &o->ask;

	switch (c) {
	case OPT_BOX: return strlist_add(&a->boxes, optarg, e);
	case OPT_JOB: return strlist_add(&a->jobs, optarg, e);
	case OPT_BLOCKS: return num_i64(optarg, 1, 10000, &a->blocks, e);
	case OPT_MAX: return num_i64(optarg, 1, 10000, &a->max_blocks, e);
	case OPT_BOOT:
		a->boot_given = true;
		return cmd_boot(optarg, &a->boot, e);
	case OPT_DELTA: return fraction(optarg, &a->delta, e);
	case OPT_ALPHA: return fraction(optarg, &a->alpha, e);
	case OPT_SEED:
		a->seed_given = true;
		return num_u64(optarg, UINT64_MAX, &a->seed, e);
	case OPT_UNTIL:
		a->until_decided = true;
		return strcmp(optarg, "decided") != 0 ?
			       err_set(e, ERR_INPUT,
				       "--until decided is the only one") :
			       0;
	case OPT_ITERATIONS: return take_iterations(optarg, a, e);
	case OPT_BUILDS: a->builds = true; return 0;
	case OPT_SHARE: a->share_boot = true; return 0;
	case OPT_NAME: a->name = optarg; return 0;
	case OPT_WAIT: o->wait = true; return 0;
	case OPT_SSH: o->ssh = optarg; return 0;
	case OPT_TAKE: o->take = optarg; return 0;
	case OPT_CONTROLLER: o->controller = optarg; return 0;
	case OPT_RESUME: o->resume = optarg; return 0;
	default: o->stop = optarg; return 0;
	}
}

static int help(void)
{
	fputs(usage, stdout);
	return EXIT_SUCCESS;
}

static const struct cmd_syntax syntax = { "ab", options, help, take_option };

/* What contradicts itself; NULL: nothing. */
static const char *contradiction(const struct options *o)
{
	const struct ab_ask *a = &o->ask;

	if (o->take)
		return a->kernels.n || a->boxes.n || o->ssh ?
			       "--take takes nothing else" :
			       NULL;
	if (o->ssh && (a->boxes.n || a->boot_given || o->resume))
		return "--ssh makes its own box, and boots by kexec";
	if (o->controller && !o->ssh)
		return "--controller goes with --ssh";
	if (o->resume || o->stop) {
		if (a->kernels.n || a->boxes.n || a->jobs.n || a->name ||
		    a->boot_given || a->seed_given || a->until_decided ||
		    a->share_boot || a->builds || a->iterations ||
		    a->own_iterations || a->delta > 0 || a->alpha > 0)
			return "an experiment is what it is: only its blocks "
			       "can be changed";
		if (o->resume && o->stop)
			return "--resume or --stop?";
		if (o->stop && (o->wait || a->blocks || a->max_blocks))
			return "--stop takes nothing else";
		return NULL;
	}
	if (a->kernels.n < 2)
		return "BASE and a HEAD are needed";
	if (!a->boxes.n && !o->ssh)
		return "on which --box?";
	if (!a->jobs.n)
		return "which --job?";
	if (a->until_decided && a->blocks)
		return "--blocks is a fixed number, --until decided stops by "
		       "looking: --max-blocks limits it";
	if (a->max_blocks && !a->until_decided)
		return "--max-blocks goes with --until decided";
	return NULL;
}

/* ---- starting ------------------------------------------------------------------ */

static void say_notes(const struct strlist *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		printf("note: %s\n", notes->v[i]);
}

static void say_next(const struct conf_experiment *x)
{
	printf("\nThe boxes ask for it as soon as they are free; one that is "
	       "off has to be\nswitched on. To follow it:\n\n"
	       "  ironrig status\n"
	       "  ironrig ab --resume %s --wait\n"
	       "  ironrig collect && ironrig compare", x->name);
	for (size_t i = 0; i < x->kernels.n; i++)
		printf(" %s", x->kernels.v[i]);
	printf(" --experiment %s\n", x->name);
	if (x->until_decided)
		puts("\nIt stops by looks, and `ironrig collect' takes them: "
		     "leave\n`ironrig collect --watch' running, or it goes on "
		     "to --max-blocks.");
}

static int start(const struct home *h, struct options *o,
		 struct conf_experiment *x, struct err *e)
{
	struct ab_ask *a = &o->ask;
	struct strlist notes = { 0 };
	struct ab_cost cost = { .njob = 0 };
	struct buf text = { 0 };
	int rc = 0;

	if (o->ssh)
		rc = ab_borrow(h, o->ssh, o->controller, a, &notes, e);
	if (!rc)
		rc = ab_make(h, a, x, &notes, e);
	if (!rc)
		rc = ab_cost(h, x, &cost, e);
	if (!rc) {
		ab_cost_text(x, &cost,
			     x->until_decided ? x->max_blocks : x->blocks,
			     &text);
		rc = buf_ok(&text, e);
	}
	if (!rc)
		rc = ab_start(h, x, e);
	if (!rc) {
		printf("experiment %s, seed %llu, boot by %s\n%s", x->name,
		       (unsigned long long)x->seed,
		       x->boot == BOOT_KEXEC ? "kexec" : "firmware",
		       buf_str(&text));
		say_notes(&notes);
	}
	ab_cost_free(&cost);
	buf_free(&text);
	strlist_free(&notes);
	return rc;
}

/* ---- changing one that runs ----------------------------------------------------- */

static int change(const struct home *h, const struct options *o,
		  struct conf_experiment *x, struct err *e)
{
	const char *name = o->resume ? o->resume : o->stop;
	int lock, rc;

	if (ab_lock(h, &lock, e))
		return -1;
	rc = ab_load(h, name, x, e);
	if (!rc) {
		if (o->stop)
			x->stopped = true;
		else
			rc = ab_resume(h, x, (int)o->ask.blocks,
				       (int)o->ask.max_blocks, e);
	}
	if (!rc)
		rc = ab_save(h, x, e);
	close(lock);
	if (!rc)
		printf("experiment %s: %s\n", x->name,
		       o->stop ? "stopped" : "goes on");
	return rc;
}

/* ---- waiting -------------------------------------------------------------------- */

/* The table and its exit status are compare's own. */
static int compare(const char *home, const struct conf_experiment *x)
{
	char **argv = calloc(x->kernels.n + 4, sizeof(*argv));
	char command[] = "compare", option[] = "--experiment";
	int argc = 0, status;

	if (!argv)
		return CMD_FAILED;
	argv[argc++] = command;
	for (size_t i = 0; i < x->kernels.n; i++)
		argv[argc++] = x->kernels.v[i];
	argv[argc++] = option;
	argv[argc++] = x->name;
	putchar('\n');
	status = cmd_compare(home, argc, argv);
	fflush(stdout);
	free(argv);
	return status;
}

static const char *how_it_ended(enum ab_end end)
{
	static const char *const text[] = {
		[AB_FINISHED] = NULL,
		[AB_STOPPED] = "it was stopped",
		[AB_GIVEN_UP] = "given up: too many blocks were dropped",
		[AB_LOST] = "its boxes are lost",
		[AB_BLOCKED] = "a kernel of it is not registered any more",
		[AB_INTERRUPTED] = "it goes on without this command",
	};

	return text[end];
}

static int wait_for(const char *home, const struct home *h,
		    struct conf_experiment *x)
{
	struct ab_wait w = { .home = h, .stop = &cmd_stop, .say = cmd_say };
	struct err e = ERR_INIT;
	struct buf advice = { 0 };
	enum ab_end end;
	int status;

	cmd_stop_by_signals();
	if (ab_wait(&w, x, &end, &e)) {
		err_prefix(&e, "%s", x->name);
		return cmd_fail("ab", &e);
	}
	if (how_it_ended(end))
		printf("experiment %s: %s\n", x->name, how_it_ended(end));
	if (end == AB_INTERRUPTED)
		return CMD_FAILED;
	status = compare(home, x);
	if (ab_advice(h, x, &advice, &e))
		fprintf(stderr, "ironrig ab: %s\n", e.msg);
	else if (advice.len)
		printf("\n%s", buf_str(&advice));
	buf_free(&advice);
	return status;
}

/* ---- the command ------------------------------------------------------------------ */

/* A borrowed box belongs to nobody who has gone: it is sent home. */
static int on_borrowed(const char *home, const struct home *h,
		       const struct options *o, struct conf_experiment *x)
{
	struct err e = ERR_INIT, ignored;
	int status;

	if (ab_take(h, o->ssh, &e))
		status = cmd_fail("ab", &e);
	else
		status = wait_for(home, h, x);
	if (!x->stopped && (cmd_stop || status == CMD_FAILED)) {
		x->stopped = true;
		if (ab_save(h, x, &ignored))
			fprintf(stderr, "ironrig ab: %s\n", ignored.msg);
	}
	return status;
}

static int take(const struct home *h, const char *target)
{
	struct err e = ERR_INIT;

	return ab_take(h, target, &e) ? cmd_fail("ab", &e) : EXIT_SUCCESS;
}

static int run(const char *home, struct options *o)
{
	struct conf_experiment x = { 0 };
	struct err e = ERR_INIT;
	struct home h;
	int rc;

	if (home_open(home, &h, &e))
		return cmd_fail("ab", &e);
	if (o->take) {
		rc = take(&h, o->take);
		home_close(&h);
		return rc;
	}
	rc = o->resume || o->stop ? change(&h, o, &x, &e) :
				    start(&h, o, &x, &e);
	if (rc)
		rc = cmd_fail("ab", &e);
	else if (o->ssh)
		rc = on_borrowed(home, &h, o, &x);
	else if (o->wait)
		rc = wait_for(home, &h, &x);
	else if (!o->stop)
		say_next(&x);
	conf_experiment_free(&x);
	home_close(&h);
	return rc;
}

int cmd_ab(const char *home, int argc, char **argv)
{
	struct options o = { .wait = false };
	struct err e = ERR_INIT;
	const char *wrong;
	int rc = cmd_parse(&syntax, argc, argv, &o);

	for (int i = optind; rc < 0 && i < argc; i++)
		if (strlist_add(&o.ask.kernels, argv[i], &e))
			rc = cmd_fail("ab", &e);
	wrong = rc < 0 ? contradiction(&o) : NULL;
	if (wrong)
		rc = cmd_usage("ab", "%s", wrong);
	if (rc < 0)
		rc = run(home, &o);
	strlist_free(&o.ask.kernels);
	strlist_free(&o.ask.boxes);
	strlist_free(&o.ask.jobs);
	return rc;
}
