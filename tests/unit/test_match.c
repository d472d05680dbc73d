// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * From an index of runs to verdicts: blocks, boots, what is left out, what
 * failed.
 */
#include "report/match.h"
#include "report/pool.h"
#include "report/table.h"
#include "report/tojson.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <unistd.h>

static struct index *X;
static int serial;

struct spec {
	const char *kernel, *experiment, *job, *box, *params;
	int block, position, attempt;
	enum outcome outcome;
	bool unstable;
	double ops; /* 0: the stat is missing */
	double idle; /* percent */
	const char *log; /* a dmesg stat */
	int iterations;
};

static void put_stat(int64_t run, const char *name, const char *unit,
		     enum index_better better, bool per_run, const double *v,
		     size_t n)
{
	const struct index_stat s = { name, unit, better, per_run, v, n, 0 };
	struct err e = ERR_INIT;

	if (index_add_stat(X, run, &s, &e))
		printf("Bail out! %s\n", e.msg);
}

static void add(struct spec s)
{
	char lease[33];
	struct index_run r = {
		.box = (char *)(s.box ? s.box : "box1"),
		.group = (char *)"boxes",
		.job = (char *)(s.job ? s.job : "lock1"),
		.testcase = (char *)"scale",
		.params_path = (char *)(s.params ? s.params : "thread-1"),
		.kernel = (char *)s.kernel,
		.boot_mode = (char *)"kexec",
		.experiment = (char *)(s.experiment ? s.experiment : ""),
		.lease = lease,
		.block = s.block,
		.position = s.position,
		.attempt = s.attempt,
		.outcome = s.outcome,
		.stable = !s.unstable,
		.iterations = s.iterations ? s.iterations : 3,
		.planned = 3,
		.start_s = 1000 + serial,
		.file = (char *)"box1/x.tar.lz4",
	};
	double ops[3] = { s.ops, s.ops * 1.001, s.ops * .999 };
	struct err e = ERR_INIT;

	snprintf(lease, sizeof(lease), "%032x", ++serial);
	if (strlist_add(&r.primary, "ops", &e) || index_add(X, &r, &e))
		printf("Bail out! %s\n", e.msg);
	strlist_free(&r.primary);
	if (s.ops > 0)
		put_stat(r.id, "scale.ops", "ops/s", INDEX_HIGHER, false, ops,
			 (size_t)r.iterations);
	if (s.idle > 0)
		put_stat(r.id, "mpstat.cpu.all.idle%", "%", INDEX_NONE, false,
			 (double[]){ s.idle, NAN, s.idle }, 3);
	if (s.log)
		put_stat(r.id, s.log, "", INDEX_LOWER, true, (double[]){ 1 },
			 1);
	put_stat(r.id, "agent.cpu_us_per_s", "us/s", INDEX_LOWER, true,
		 (double[]){ 500 }, 1);
}

/* A boot of the j-th block of experiment x1, and what is odd about it. */
#define BASE(j, ...)                                                           \
	add((struct spec){ .kernel = "v6.1",                                   \
			   .experiment = "x1",                                 \
			   .block = (j),                                       \
			   .position = 1,                                      \
			   __VA_ARGS__ })
#define HEAD(j, ...)                                                           \
	add((struct spec){ .kernel = "v6.1-patch",                             \
			   .experiment = "x1",                                 \
			   .block = (j),                                       \
			   .position = 2,                                      \
			   __VA_ARGS__ })

/* A block of two boots; noise that is a function of the block only. */
static void block(const char *x, int j, double base, double head)
{
	bool head_first = j % 2;
	double luck = 1 + .002 * ((j * 7) % 5 - 2);
	double odd = 1 + .0005 * ((j * 5) % 7 - 3);

	add((struct spec){ .kernel = "v6.1",
			   .experiment = x,
			   .block = j,
			   .position = 1 + head_first,
			   .ops = base * luck,
			   .idle = 40 + j * .1 });
	add((struct spec){ .kernel = "v6.1-patch",
			   .experiment = x,
			   .block = j,
			   .position = 2 - head_first,
			   .ops = head * luck * odd,
			   .idle = 41 + j * .2 });
}

static void open_fresh(void)
{
	struct err e = ERR_INIT;

	index_close(X);
	X = NULL;
	serial = 0;
	if (index_delete(scratch_dir, &e) || index_open(scratch_dir, &X, &e) ||
	    index_begin(X, &e))
		printf("Bail out! %s\n", e.msg);
}

static int compare(struct match_query q, struct compare *c)
{
	const char *head[] = { "v6.1-patch" };
	struct dist *d = dist_new(1);
	struct err e = ERR_INIT;
	int rc;

	*c = (struct compare){ .rule = COMPARE_RULE_DEFAULT };
	c->rule.aa = q.aa;
	q.base = "v6.1";
	q.head = q.aa ? &q.base : head;
	q.nhead = 1;
	rc = match_load(X, &q, c, &e);
	if (!rc)
		rc = compare_evaluate(c, d, &e);
	if (rc)
		printf("# %s\n", e.msg);
	dist_free(d);
	return rc;
}

static const struct compare_stat *primary(const struct compare *c)
{
	return &c->group[0].stat[0];
}

static void blocks(void)
{
	struct compare c;

	open_fresh();
	block("x1", 0, 1000, 100); /* warm-up: absurd, and not looked at */
	for (int j = 1; j <= 8; j++)
		block("x1", j, 1000, 950);
	/* a boot of another experiment is not mixed in */
	add((struct spec){ .kernel = "v6.1", .ops = 5000 });
	ok(!compare((struct match_query){ 0 }, &c), "an experiment");
	is_int(c.ngroup, 1, "one group");
	is_str(c.group[0].name, "scale/thread-1/boxes", "its name");
	is_int(c.group[0].design, COMPARE_BLOCKS, "paired");
	is_str(primary(&c)->name, "scale.ops",
	       "a primary named without its testcase");
	is_int(primary(&c)->estimate.n_base, 8, "warm-up is not kept");
	is_int(primary(&c)->verdict.kind, VERDICT_REGRESSION, "5 %% less");
	is_int(c.group[0].order[0], -1, "block 1: head first");
	is_int(c.group[0].order[1], 1, "block 2: head second");
	is_int(compare_exit_status(&c), 10, "exit 10");
	is_int(c.group[0].nstat, 3, "three stats");
	ok(c.group[0].stat[1].linear || c.group[0].stat[2].linear,
	   "a percentage is linear");
	is_near(c.group[0].base.observer_us, 500, 0, "observer's cost");
	is_int(c.group[0].stat[1].dropped + c.group[0].stat[2].dropped, 8,
	       "one of three iterations is too few");
	is_int(c.primaries, 1, "k");
	compare_free(&c);

	ok(!compare((struct match_query){ .stat = "mpstat.*" }, &c), "--stat");
	is_int(c.group[0].nstat, 1, "that stat only");
	is_int(c.primaries, 0, "a glob gives no verdict");
	is_int(compare_exit_status(&c), 11, "so exit 11");
	compare_free(&c);
	ok(!compare((struct match_query){ .stat = "agent.cpu_us_per_s" }, &c),
	   "named in full");
	is_int(c.primaries, 1, "it gets one");
	is_int(primary(&c)->verdict.kind, VERDICT_EQUIVALENT, "all equal");
	compare_free(&c);
}

static void dropped(void)
{
	struct compare c;

	open_fresh();
	for (int j = 1; j <= 7; j++)
		block("x1", j, 1000, 1000);
	BASE(8, .ops = 1000, .unstable = true);
	HEAD(8, .ops = 500);
	/* an attempt that failed, then one that did not */
	BASE(9, .ops = 1000, .attempt = 1);
	BASE(9, .attempt = 2, .outcome = OUTCOME_TIMEOUT);
	HEAD(9, .ops = 1000);
	/* one iteration of three */
	BASE(10, .ops = 1000, .iterations = 1);
	HEAD(10, .ops = 300);
	/* head has not come yet */
	BASE(11, .ops = 1000);
	ok(!compare((struct match_query){ 0 }, &c), "with failures");
	is_int(primary(&c)->estimate.n_base, 8, "kept: 1 to 7 and 9");
	is_int(primary(&c)->dropped, 3,
	       "unstable, incomplete, half: both boots go");
	is_int(primary(&c)->verdict.kind, VERDICT_EQUIVALENT,
	       "what was dropped does not count");
	is_int(c.group[0].base.unstable, 1, "unstable runs are told");
	is_int(c.group[0].nfailure, 1, "one kind of failure");
	is_str(c.group[0].failure[0].what, "timeout", "by its name");
	is_int(c.group[0].base.runs, 12, "all runs count there");
	is_int(compare_exit_status(&c), 0, "on base alone: exit 0");
	compare_free(&c);
}

static void unblocked(void)
{
	struct compare c;

	open_fresh();
	for (int i = 0; i < 5; i++) {
		add((struct spec){ .kernel = "v6.1", .ops = 1000 + i });
		add((struct spec){ .kernel = "v6.1-patch", .ops = 900 + i });
		add((struct spec){
			.kernel = "v6.1", .box = "box2", .ops = 5000 + i });
	}
	add((struct spec){
		.kernel = "v6.1-patch", .box = "box2", .ops = 4500 });
	ok(!compare((struct match_query){ 0 }, &c), "boots without blocks");
	is_int(c.ngroup, 2, "a group for each box");
	is_str(c.group[0].box, "box1", "never pooled");
	is_int(primary(&c)->verdict.kind, VERDICT_DIFFERS,
	       "DIFFERS, never REGRESSION");
	is_int(c.group[1].stat[0].verdict.kind, VERDICT_NONE,
	       "one boot on a side");
	is_int(c.primaries, 2, "k counts both");
	is_int(compare_exit_status(&c), 11, "exit 11");
	compare_free(&c);
	ok(!compare((struct match_query){ .independent = true, .box = "box1" },
		    &c),
	   "--independent");
	is_int(primary(&c)->verdict.kind, VERDICT_REGRESSION,
	       "vouched for: REGRESSION");
	compare_free(&c);
	ok(compare((struct match_query){ .job = "other" }, &c),
	   "nothing to compare is an error");
	compare_free(&c);
}

static void crashes(void)
{
	struct buf b = { 0 };
	struct show s = { .ascii = true, .width = 80, .prose = 80 };
	struct compare c;

	open_fresh();
	for (int j = 1; j <= 7; j++)
		block("x1", j, 1000, 1000);
	BASE(8, .ops = 1000);
	HEAD(8, .outcome = OUTCOME_CRASHED);
	BASE(9, .ops = 1000, .log = "dmesg.WARNING:at_mm/slub.c");
	HEAD(9, .ops = 1000, .log = "dmesg.WARNING:at_mm/slub.c");
	ok(!compare((struct match_query){ 0 }, &c), "a crash on head");
	is_int(primary(&c)->verdict.kind, VERDICT_EQUIVALENT, "no slower");
	is_int(primary(&c)->estimate.n_base, 8, "a warning disqualifies not");
	is_int(c.group[0].nfailure, 2, "a crash, and a warning");
	is_int(compare_exit_status(&c), 10, "exit 10 all the same");
	table_text(&s, &c, TABLE_PRIMARY, &b);
	ok(strstr(buf_str(&b), "0:9") && strstr(buf_str(&b), "1:9"),
	   "fail:runs");
	ok(strstr(buf_str(&b), "CRASHED") || strstr(buf_str(&b), "crashed"),
	   "by name");
	ok(strstr(buf_str(&b), "on head alone") <
		   strstr(buf_str(&b), "EQUIVALENT"),
	   "before everything else");
	buf_reset(&b);
	tojson_compare(&c, &b);
	ok(strstr(buf_str(&b), "\"head_alone\":true"), "in JSON too");
	buf_free(&b);
	compare_free(&c);
}

static void same_kernel(void)
{
	struct compare c;

	open_fresh();
	for (int j = 1; j <= 16; j++)
		add((struct spec){ .kernel = "v6.1",
				   .ops = 1000 + (j * 7) % 5 });
	ok(!compare((struct match_query){ .aa = true, .independent = true },
		    &c),
	   "A/A");
	is_int(primary(&c)->estimate.n_base, 8, "half the boots");
	is_int(primary(&c)->estimate.n_head, 8, "and the other half");
	is_int(primary(&c)->verdict.kind, VERDICT_EQUIVALENT, "are alike");
	compare_free(&c);
	open_fresh();
	for (int j = 1; j <= 8; j++)
		for (int k = 1; k <= 2; k++)
			add((struct spec){ .kernel = "v6.1",
					   .experiment = "aa",
					   .block = j,
					   .position = k,
					   .ops = 1000 + (j * k * 7) % 5 });
	ok(!compare((struct match_query){ .aa = true }, &c), "A/A in blocks");
	is_int(c.group[0].design, COMPARE_BLOCKS, "paired");
	is_int(c.group[0].order[0] + c.group[0].order[1], 0,
	       "sides take turns at being second");
	compare_free(&c);
}

static void two_jobs(void)
{
	struct compare c;
	int regressions = 0;

	open_fresh();
	for (int j = 1; j <= 6; j++) {
		block("x1", j, 1000, 1000);
		BASE(j, .job = "lock2", .params = "thread-2",
		     .ops = 100 + j % 3);
		HEAD(j, .job = "lock2", .params = "thread-2",
		     .ops = 90 + j % 2);
	}
	ok(!compare((struct match_query){ 0 }, &c), "two jobs");
	is_int(c.ngroup, 2, "two groups");
	is_int(c.primaries, 2, "k = 2");
	for (size_t i = 0; i < 2; i++) {
		const struct compare_stat *s = &c.group[i].stat[0];

		regressions += s->verdict.kind == VERDICT_REGRESSION;
		if (s->verdict.kind == VERDICT_REGRESSION)
			is_near(s->p_adjusted, 2 * s->estimate.p, 1e-15,
				"Holm over both");
	}
	is_int(regressions, 1, "one of them is worse");
	compare_free(&c);
}

/* Earlier experiments of the same kind tell of the spread, no others do. */
static void pooling(void)
{
	const struct home h = { .fd = scratch_fd };
	struct match_query q = { .experiment = "now" };
	const char *head[] = { "v6.1-patch" };
	struct dist *d = dist_new(1);
	struct compare c = { .rule = COMPARE_RULE_DEFAULT };
	const struct compare_stat *st;
	struct err e = ERR_INIT;
	double p[2], mde[2];

	open_fresh();
	for (int j = 1; j <= 7; j++)
		block("before", j, 1000, 1003);
	for (int j = 1; j <= 7; j++)
		block("looked", j, 1000, 1003);
	for (int j = 1; j <= 7; j++) /* alone: a kernel without another */
		add((struct spec){ .kernel = "v6.0",
				   .experiment = "alone",
				   .block = j,
				   .ops = 1000 });
	for (int j = 1; j <= 7; j++) {
		add((struct spec){ .kernel = "v6.1", .experiment = "other",
				   .params = "thread-2", .block = j,
				   .position = 1, .ops = 1000 + j * 50 });
		add((struct spec){ .kernel = "v6.1-patch",
				   .experiment = "other", .params = "thread-2",
				   .block = j, .position = 2, .ops = 1000 });
	}
	for (int j = 1; j <= 3; j++)
		block("now", j, 1000, 1002);
	for (int j = 1; j <= 7; j++)
		block("later", j, 1000, 1003);
	put("conf/experiments/looked.cfg",
		      "kind = \"ab\"; boxes = [ \"box1\" ];\n"
		      "kernels = [ \"v6.1\", \"v6.1-patch\" ];\n"
		      "jobs = [ \"lock1\" ]; until_decided = true;\n");
	q.base = "v6.1";
	q.head = head;
	q.nhead = 1;
	for (int i = 0; i < 2; i++) {
		if (match_load(X, &q, &c, &e) ||
		    (i && pool_load(&h, X, &c, &e)) ||
		    compare_evaluate(&c, d, &e))
			printf("# %s\n", e.msg);
		st = &c.group[0].stat[0];
		p[i] = st->verdict.p;
		mde[i] = st->verdict.mde;
		is_int(st->verdict.pooled, i, "%d earlier experiments", i);
		if (i)
			is_near(st->pool.df, 6, 1e-12, "of seven blocks");
		compare_free(&c);
		c.rule = (struct compare_rule)COMPARE_RULE_DEFAULT;
	}
	is_near(p[0], p[1], 1e-15, "p is of its own blocks");
	ok(mde[0] != mde[1], "what could have been seen: %g, not %g", mde[1],
	   mde[0]);
	dist_free(d);
}

int main(void)
{
	scratch_open();
	blocks();
	dropped();
	unblocked();
	crashes();
	same_kernel();
	two_jobs();
	pooling();
	index_close(X);
	return scratch_end();
}
