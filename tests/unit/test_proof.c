// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The proof of the statistics: simulated experiments whose truth is known go
 * through the same functions that judge real ones, and the share of wrong
 * answers must stay within what DESIGN promises. The same boots are also judged
 * by two rules that are in wide use and wrong, which must be seen to fail.
 *
 * test_proof [EXPERIMENTS]: of each cell, 2,000 by default. `make proof` takes
 * the full 20,000; below, limits widen by three standard errors of the smaller
 * sample. Seeded: the answer is always the same.
 */
#include "analysis/sequential.h"
#include "analysis/verdict.h"
#include "tap.h"

#include "proofsim.h"

#define FULL	   20000
#define QUICK	   2000

static size_t experiments = QUICK;

static struct sample_kept kept(const struct world *w, struct data *x)
{
	struct sample_kept k = { .base = x->y[0], .head = x->y[1] };

	sample_paired(x->boot[0], x->boot[1], w->blocks, iterations(w), false,
		      &k);
	return k;
}

static const struct verdict_rule RULE = {
	.alpha = .05,
	.delta = DELTA,
	.floor = NAN,
	.k = 1,
	.better = VERDICT_HIGHER,
	.vouched = true,
};

static struct verdict judge(const struct world *w, struct data *x,
			    struct estimate *s)
{
	struct sample_kept k = kept(w, x);

	estimate_paired(k.base, k.head, x->order, k.n_base, false, s);
	return verdict_decide(D, s, &RULE, s->p, NAN, NAN);
}

/* One experiment's answer, by each rule that is put to the proof. */
typedef bool rule_fn(const struct world *w, struct data *x);

/* Of several builds: what the layouts differ by is no change. */
static struct verdict judge_builds(const struct world *w, struct data *x)
{
	struct sample_kept k = kept(w, x);
	const struct power_side side[2] = {
		{ k.base, x->build[0], k.n_base },
		{ k.head, x->build[1], k.n_head },
	};
	struct verdict_rule rule = RULE;
	struct estimate s;

	rule.floor = power_layout_floor(D, side).floor;
	estimate_paired(k.base, k.head, x->order, k.n_base, false, &s);
	return verdict_decide(D, &s, &rule, s.p, NAN, NAN);
}

static bool builds_change(const struct world *w, struct data *x)
{
	enum verdict_kind kind = judge_builds(w, x).kind;

	return kind == VERDICT_REGRESSION || kind == VERDICT_IMPROVEMENT;
}

static bool builds_regress(const struct world *w, struct data *x)
{
	return judge_builds(w, x).kind == VERDICT_REGRESSION;
}

/* Wrong with builds whose layout matters: one build is taken for the code. */
static bool without_floor(const struct world *w, struct data *x)
{
	struct estimate s;
	enum verdict_kind kind = judge(w, x, &s).kind;

	return kind == VERDICT_REGRESSION || kind == VERDICT_IMPROVEMENT;
}

static bool significant(const struct world *w, struct data *x)
{
	struct estimate s;

	return judge(w, x, &s).p < .05;
}

static bool is_regression(const struct world *w, struct data *x)
{
	struct estimate s;

	return judge(w, x, &s).kind == VERDICT_REGRESSION;
}

static bool is_equivalent(const struct world *w, struct data *x)
{
	struct estimate s;

	return judge(w, x, &s).kind == VERDICT_EQUIVALENT;
}

/* Independent boots, as value files without --paired count. */
static bool welch(const struct world *w, struct data *x)
{
	struct sample_kept k = kept(w, x);
	struct estimate s;

	estimate_welch(k.base, k.n_base, k.head, k.n_head, false, &s);
	return s.p < .05;
}

/* Looks after every block until the rule stops. */
static enum sequential_state stopped(const struct world *w, struct data *x)
{
	struct sample_kept k = kept(w, x);

	for (size_t n = 1; n <= k.n_base; n++) {
		struct sequential q = sequential_decide(k.base, k.head, n,
							false, DELTA, .05, 1);

		if (q.state != SEQUENTIAL_CONTINUE)
			return q.state;
	}
	return SEQUENTIAL_CONTINUE;
}

static bool stops_changed(const struct world *w, struct data *x)
{
	return stopped(w, x) == SEQUENTIAL_CHANGE;
}

static bool stops_equivalent(const struct world *w, struct data *x)
{
	return stopped(w, x) == SEQUENTIAL_EQUIVALENT;
}

/* Wrong: every iteration a sample of its own. */
static bool pooled_iterations(const struct world *w, struct data *x)
{
	double y[2][BLOCKS_MAX * ITERATIONS];
	size_t m = iterations(w);
	struct estimate s;

	for (int side = 0; side < 2; side++)
		for (size_t j = 0; j < w->blocks; j++)
			for (size_t i = 0; i < m; i++)
				y[side][j * m + i] = log(x->value[side][j][i]);
	estimate_welch(y[0], w->blocks * m, y[1], w->blocks * m, false, &s);
	return s.p < .05;
}

/* Wrong with plain order: no account taken of the place in a block. */
static bool without_order(const struct world *w, struct data *x)
{
	struct sample_kept k = kept(w, x);
	struct estimate s;

	estimate_paired(k.base, k.head, NULL, k.n_base, false, &s);
	return s.p < .05;
}

/* Wrong: p < .05 looked at after every block from the third on. */
static bool peeking(const struct world *w, struct data *x)
{
	struct sample_kept k = kept(w, x);
	struct estimate s;

	for (size_t n = 3; n <= k.n_base; n++) {
		estimate_paired(k.base, k.head, NULL, n, false, &s);
		if (s.p < .05)
			return true;
	}
	return false;
}

struct cell {
	const char *what;
	struct world world;
	rule_fn *rule;
	double least, most; /* of the share of experiments that say yes */
};

#define SIZE_CELL(n, d)                                                        \
	{                                                                      \
		"p < .05, " #n " blocks, drift " #d,                           \
			{ .blocks = n, .drift = d }, significant, .044, .056   \
	}
#define SHIFT_CELL(n)                                                          \
	{                                                                      \
		"second boot 1 % off, " #n " blocks",                          \
			{ .blocks = n, .second = .01 }, significant, 0, .056   \
	}
#define SHAPE_CELL(n, s)                                                       \
	{                                                                      \
		"p < .05, " #n " blocks, " #s, { .blocks = n, .shape = s },    \
			significant, 0, .06                                    \
	}

#define CHOOSE_CELL(n)                                                         \
	{                                                                      \
		"iterations chosen after 3 blocks, " #n " blocks",             \
			{ .blocks = n, .choose = true, .within = .03 },        \
			significant, .03, .056                                 \
	}

static const struct cell CELLS[] = {
	SIZE_CELL(3, 0),
	SIZE_CELL(5, 0),
	SIZE_CELL(10, 0),
	SIZE_CELL(3, .02),
	SIZE_CELL(5, .02),
	SIZE_CELL(10, .02),
	SHIFT_CELL(3),
	SHIFT_CELL(5),
	SHIFT_CELL(10),
	{ "second boot 1 % off, sigma 0.1 %, 3 blocks",
	  { .blocks = 3, .second = .01, .sigma = .001 },
	  significant,
	  0,
	  .056 },
	{ "p < .05, 5 boots a side, unpaired",
	  { .blocks = 5 },
	  welch,
	  .04,
	  .056 },
	{ "p < .05, 10 boots a side, unpaired",
	  { .blocks = 10 },
	  welch,
	  .044,
	  .056 },
	SHAPE_CELL(3, BIMODAL),
	SHAPE_CELL(5, BIMODAL),
	SHAPE_CELL(10, BIMODAL),
	SHAPE_CELL(3, HEAVY),
	SHAPE_CELL(5, HEAVY),
	SHAPE_CELL(10, HEAVY),
	CHOOSE_CELL(4),
	CHOOSE_CELL(6),
	CHOOSE_CELL(10),
	{ "EQUIVALENT, truth +delta, 6 blocks",
	  { .blocks = 6, .truth = UP },
	  is_equivalent,
	  0,
	  .06 },
	{ "EQUIVALENT, truth +delta, 10 blocks",
	  { .blocks = 10, .truth = UP },
	  is_equivalent,
	  0,
	  .06 },
	{ "EQUIVALENT, truth -delta, 10 blocks",
	  { .blocks = 10, .truth = DOWN },
	  is_equivalent,
	  0,
	  .06 },
	{ "EQUIVALENT, truth +delta, 30 blocks",
	  { .blocks = 30, .truth = UP },
	  is_equivalent,
	  0,
	  .06 },
	{ "until decided, no change: false change",
	  { .blocks = 30 },
	  stops_changed,
	  0,
	  .05 },
	{ "until decided, drift 2 %: false change",
	  { .blocks = 30, .drift = .02 },
	  stops_changed,
	  0,
	  .05 },
	{ "until decided, second boot 1 % off: false change",
	  { .blocks = 30, .second = .01 },
	  stops_changed,
	  0,
	  .05 },
	{ "until decided, truth delta: false EQUIVALENT",
	  { .blocks = 30, .truth = UP },
	  stops_equivalent,
	  0,
	  .06 },
	{ "2 % loss found, 10 blocks",
	  { .blocks = 10, .truth = LOSS },
	  is_regression,
	  .93,
	  1 },
	{ "2 % loss found, until decided",
	  { .blocks = 30, .truth = LOSS },
	  stops_changed,
	  .93,
	  1 },
	{ "2 % loss is never EQUIVALENT, 10 blocks",
	  { .blocks = 10, .truth = LOSS },
	  is_equivalent,
	  0,
	  .001 },

	/* several builds whose layout alone makes 2 % */
	{ "3 and 3 builds, no change: false change",
	  { .blocks = 12, .builds = { 3, 3 }, .layout = .02 },
	  builds_change,
	  0,
	  .05 },
	{ "3 builds and 1, no change: false change",
	  { .blocks = 12, .builds = { 3, 1 }, .layout = .02 },
	  builds_change,
	  0,
	  .05 },
	{ "3 and 3 builds, 10 blocks, drift 2 %: false change",
	  { .blocks = 10, .builds = { 3, 3 }, .layout = .02, .drift = .02 },
	  builds_change,
	  0,
	  .05 },
	{ "5 and 5 builds, no layout effect to speak of: false change",
	  { .blocks = 10, .builds = { 5, 5 }, .layout = .0001 },
	  builds_change,
	  0,
	  .05 },
	{ "5 and 5 builds, layout .5 %, 2 % loss found",
	  { .blocks = 20, .builds = { 5, 5 }, .layout = .005, .truth = LOSS },
	  builds_regress,
	  .9,
	  1 },

	/* negative controls: these have to be wrong */
	{ "control: one build, layout 2 %: called a change",
	  { .blocks = 12, .builds = { 1, 1 }, .layout = .02 },
	  without_floor,
	  .5,
	  1 },
	{ "control: pooled iterations cry wolf, 10 iterations",
	  { .blocks = 5, .iterations = 10 },
	  pooled_iterations,
	  .35,
	  1 },
	{ "control: plain random order, second boot 1 % off",
	  { .blocks = 3, .second = .01, .sigma = .001, .plain_order = true },
	  without_order,
	  .2,
	  1 },
	{ "control: peeking at p", { .blocks = 20 }, peeking, .18, 1 },
};

static void prove(const struct cell *c, uint64_t seed)
{
	static struct data x;
	double n = (double)experiments, share, slack;
	size_t yes = 0;

	dist_seed(D, seed);
	for (size_t i = 0; i < experiments; i++) {
		simulate(&c->world, &x);
		yes += c->rule(&c->world, &x);
	}
	share = (double)yes / n;
	/* a share near .05 has this standard error */
	slack = experiments < FULL ? 3 * sqrt(.05 * .95 / n) : 0;
	ok(share >= c->least - slack && share <= c->most + slack,
	   "%s: %.2f %% (%.1f to %.1f)", c->what, 100 * share, 100 * c->least,
	   100 * c->most);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		experiments = strtoul(argv[1], NULL, 10);
	if (!experiments)
		return 2;
	D = dist_new(1);
	for (size_t i = 0; i < sizeof(CELLS) / sizeof(CELLS[0]); i++)
		prove(&CELLS[i], 20000 + i);
	dist_free(D);
	return done_testing();
}
