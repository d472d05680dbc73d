// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Detectable effect, blocks needed, anytime-valid numbers and the verdict:
 * every rule in both directions, and the edges between them.
 */
#include "analysis/sequential.h"
#include "analysis/verdict.h"
#include "known.h"
#include "tap.h"

static struct dist *D;

static const struct verdict_rule RULE = {
	.alpha = .05,
	.delta = .01,
	.floor = NAN,
	.k = 1,
	.better = VERDICT_HIGHER,
	.vouched = true,
};

/* n blocks whose differences have exactly this mean and sd, on ln scale */
static struct estimate paired(size_t n, double mean, double sd)
{
	double base[64] = { 0 }, head[64];
	struct estimate s;
	double scale = sd * sqrt((double)(n - 1) / (double)(n - n % 2));

	for (size_t j = 0; j < n; j++) {
		base[j] = 10;
		head[j] = 10 + mean + (j % 2 ? scale : -scale);
	}
	if (n % 2)
		head[n - 1] = 10 + mean;
	estimate_paired(base, head, NULL, n, false, &s);
	return s;
}

static struct verdict decide(const struct estimate *s,
			     const struct verdict_rule *rule)
{
	return verdict_decide(D, s, rule, s->p, NAN, NAN);
}

static enum verdict_kind kind(size_t n, double mean, double sd)
{
	struct estimate s = paired(n, mean, sd);

	return decide(&s, &RULE).kind;
}

static void rules(void)
{
	struct estimate s = paired(10, -.02, .005);
	struct verdict_rule rule = RULE;
	struct verdict v;

	is_int(kind(2, -.1, .001), VERDICT_NONE, "1: n = 2");
	is_int(kind(3, -.1, .001), VERDICT_REGRESSION, "2: n = 3 can tell");
	is_int(kind(10, -.02, .005), VERDICT_REGRESSION, "2: worse");
	is_int(kind(10, .02, .005), VERDICT_IMPROVEMENT, "2: better");
	rule.better = VERDICT_LOWER;
	is_int(decide(&s, &rule).kind, VERDICT_IMPROVEMENT, "2: lower wins");
	rule.better = VERDICT_NEITHER;
	is_int(decide(&s, &rule).kind, VERDICT_CHANGED, "2: no direction");
	is_int(kind(10, 0, .005), VERDICT_EQUIVALENT, "3: inside");
	is_int(kind(5, 0, .001), VERDICT_INCONCLUSIVE, "3: not below 6");
	is_int(kind(6, 0, .001), VERDICT_EQUIVALENT, "3: from 6 on");
	s = paired(10, .003, .002);
	v = decide(&s, &RULE);
	ok(v.kind == VERDICT_EQUIVALENT && v.below_delta,
	   "3: real, but below delta");
	is_int(kind(10, -.0095, .004), VERDICT_NEAR, "4: near delta");
	is_int(kind(10, .002, .03), VERDICT_INCONCLUSIVE, "5");
	s = paired(10, -.02, .005);
	v = verdict_decide(D, &s, &RULE, .06, NAN, NAN);
	is_int(v.kind, VERDICT_INCONCLUSIVE, "the adjusted p decides");
	rule = RULE;
	rule.floor = log(1.03);
	v = decide(&s, &rule);
	is_near(v.delta, .03, 1e-12, "a layout floor raises delta");
	is_int(v.kind, VERDICT_EQUIVALENT, "and what was a loss is none");
	rule.floor = NAN;
	rule.delta = NAN;
	is_int(decide(&s, &rule).kind, VERDICT_REGRESSION, "no delta at all");
	s = paired(10, 0, .0001);
	is_int(decide(&s, &rule).kind, VERDICT_INCONCLUSIVE,
	       "without delta nothing is equivalent");
}

static void unblocked(void)
{
	static const double b[] = { 1, 1.01, .99, 1 },
			    h[] = { 2, 2.01, 1.99, 2 };
	struct verdict_rule rule = RULE;
	struct estimate s;

	estimate_welch(b, 4, h, 4, false, &s);
	rule.vouched = false;
	is_int(decide(&s, &rule).kind, VERDICT_DIFFERS,
	       "drift is not separable: DIFFERS at most");
	is_int(decide(&s, &RULE).kind, VERDICT_IMPROVEMENT, "vouched for");
	ok(isnan(decide(&s, &RULE).e), "no e-value without blocks");
	estimate_welch(b, 4, b, 4, false, &s);
	is_int(decide(&s, &rule).kind, VERDICT_INCONCLUSIVE, "no difference");
	estimate_welch(b, 2, h, 4, false, &s);
	is_int(decide(&s, &rule).kind, VERDICT_NONE, "two boots on a side");
}

static void exact_spread(void)
{
	struct estimate s = paired(6, .5, 0);

	ok(s.exact, "a difference without spread");
	is_int(decide(&s, &RULE).kind, VERDICT_IMPROVEMENT, "2^-5 < .05");
	s = paired(5, .5, 0);
	is_int(decide(&s, &RULE).kind, VERDICT_INCONCLUSIVE, "2^-4 is not");
	s = paired(6, 0, 0);
	is_int(decide(&s, &RULE).kind, VERDICT_EQUIVALENT, "all equal");
	ok(isnan(decide(&s, &RULE).ci.lo) && isnan(decide(&s, &RULE).mde),
	   "no interval, no detectable effect");
}

static void notes(void)
{
	struct estimate s = paired(8, .003, .002);

	is_int(verdict_decide(D, &s, &RULE, s.p, .2, 2. / 256).note,
	       VERDICT_FEW_BOOTS, "t alone");
	is_int(verdict_decide(D, &s, &RULE, s.p, .01, 2. / 256).note,
	       VERDICT_AGREE, "both");
	is_int(verdict_decide(D, &s, &RULE, s.p, .2, 2. / 32).note,
	       VERDICT_AGREE, "too few boots for the exact test to speak");
	s = paired(8, .003, .02);
	is_int(verdict_decide(D, &s, &RULE, s.p, .01, 2. / 256).note,
	       VERDICT_ODD_BOOTS, "exact alone");
}

/* At .05 over k primaries. */
static double mde(const struct estimate *s, const struct power_pool *pool,
		  double delta, size_t k)
{
	struct power_spread spread = power_spread(s, pool);

	return power_mde(D, s, &spread, delta,
			 dist_t_quantile(D, 1 - .025 / (double)k, s->df));
}

static struct power_blocks blocks(const struct estimate *s,
				  const struct power_pool *pool, double delta)
{
	struct power_spread spread = power_spread(s, pool);

	return power_blocks(D, s, &spread, delta);
}

static void pools(void)
{
	struct estimate s = paired(4, 0, .01), loud = paired(4, 0, .2), w;
	struct power_pool pool = { 0 };
	struct power_spread p;
	double alone = mde(&s, NULL, NAN, 1);
	struct power_blocks few = blocks(&s, NULL, log(1.01)), more;
	const struct verdict_rule rule = {
		.alpha = .05,
		.delta = .01,
		.floor = NAN,
		.k = 1,
		.vouched = true,
		.pool = &pool,
	};

	power_pool_add(&pool, s.sd * 1.2, 9);
	power_pool_add(&pool, NAN, 9);
	power_pool_add(&pool, s.sd * .9, 4);
	is_int(pool.experiments, 2, "one without a spread does not count");
	p = power_spread(&s, &pool);
	is_near(p.df, 16, 1e-12, "df add up");
	is_near(p.sd, s.sd * sqrt((9 * 1.44 + 4 * .81 + 3) / 16), 1e-12,
		"and so do squares");
	is_near(log1p(mde(&s, &pool, NAN, 1) / 100) / log1p(alone / 100),
		p.sd / s.sd, 1e-9, "the detectable effect scales with it");
	more = blocks(&s, &pool, log(1.01));
	ok(more.hi && (!few.hi || more.hi < few.hi),
	   "the range of blocks is narrower: %u to %u, not %u to %u", more.lo,
	   more.hi, few.lo, few.hi);
	p = power_spread(&loud, &pool);
	ok(!p.experiments && p.sd == loud.sd && p.df == 3,
	   "a spread that has changed is not pooled");
	estimate_welch(SLEEP_1, 10, SLEEP_2, 10, true, &w);
	ok(!power_spread(&w, &pool).experiments, "nor unpaired ones");
	is_near(verdict_decide(D, &s, &rule, s.p, NAN, 1).p, s.p, 1e-15,
		"p is its own");
	is_int(verdict_decide(D, &s, &rule, s.p, NAN, 1).pooled, 2,
	       "a verdict says what its detectable effect rests on");
}

static void floors(void)
{
	const double base[] = { .01, -.01, 0, .01, -.01, 0 };
	const double head[] = { 5, 5.01, 5.02 }, one[] = { 1, 2 };
	const unsigned int build[] = { 7, 1, 0, 7, 1, 0 }, same[] = { 0, 0 };
	struct power_side s[2] = { { base, build, 6 }, { one, same, 2 } };
	struct power_floor f = power_layout_floor(D, s);

	is_int(f.builds[0], 3, "three builds of base");
	is_int(f.builds[1], 1, "one of head");
	is_near(f.floor, 4.30265272974946 * .01 * sqrt(1 / 3. + 1), 1e-12,
		"their floor");
	s[1] = (struct power_side){ head, build, 3 };
	f = power_layout_floor(D, s);
	is_near(f.df, 4, 1e-12, "three and three: df");
	/* as R: t.test(head, base, var.equal = TRUE) of the build means */
	is_near(f.floor, 2.7764451051978 * .01 * sqrt(2 / 3.), 1e-12,
		"the half width of the interval between build means");
	s[0].n = 5; /* build 0 has one boot of five, the others two */
	f = power_layout_floor(D, s);
	is_near(f.floor, 2.7764451051978 * .01 * sqrt(9 / 25. + 1 / 3.), 1e-12,
		"a build weighs as much as it has boots");
	s[0].n = s[1].n = 2;
	ok(isnan(power_layout_floor(D, s).floor), "two builds give none");
	s[0].n = 0;
	ok(isnan(power_layout_floor(D, s).floor), "nor does nothing");
}

static void powers(void)
{
	struct estimate s;
	struct power_blocks b;

	estimate_paired(SLEEP_2, SLEEP_1, NULL, 10, true, &s);
	is_near(mde(&s, NULL, NAN, 1), 1.22349340121835, 1e-9,
		"sleep: detectable, no delta");
	is_near(mde(&s, NULL, NAN, 4), 1.55363287686523, 1e-9,
		"sleep: one of four primaries");
	estimate_welch((double[]){ log(2311086), log(2343761), log(2321886) },
		       3,
		       (double[]){ log(2338462), log(2335768), log(2346754) },
		       3, false, &s);
	is_near(mde(&s, NULL, log(1.01), 1), 2.03982534228973, 1e-9,
		"mail: detectable");
	s = paired(10, 0, .008);
	b = blocks(&s, NULL, log(1.01));
	ok(b.known && b.lo == 6 && b.hi == 21, "blocks needed: %u to %u", b.lo,
	   b.hi);
	s = paired(4, 0, .08);
	b = blocks(&s, NULL, log(1.01));
	is_int(b.hi, 0, "more than 200");
	ok(!blocks(&s, NULL, NAN).known, "none without delta");
	is_near(power_hidden_mode(10), 1 - pow(.05, .1), 1e-15,
		"a mode in fewer than 26 %% of boots");
}

static void sequential(void)
{
	static const struct {
		size_t n;
		double t;
	} known[] = {
		{ 5, 8.4532 }, { 6, 5.4498 }, { 10, 3.8698 }, { 20, 3.4248 }
	};
	struct sequential q;
	struct estimate s;
	struct interval ci;

	for (size_t i = 0; i < 4; i++)
		is_near(sequential_t(known[i].n, .05), known[i].t, 5e-5,
			"t* for n = %zu", known[i].n);
	for (size_t n = 0; n <= 4; n++)
		ok(isinf(sequential_t(n, .05)), "n = %zu decides nothing", n);
	estimate_paired(SLEEP_2, SLEEP_1, NULL, 10, true, &s);
	is_near(sequential_e(s.t, 10), 25.475138, 5e-7, "sleep: e");
	ci = estimate_reach(&s, sequential_t(10, .05));
	is_near(ci.lo, -3.085187, 5e-7, "sleep: anytime low");
	is_near(ci.hi, -.074813, 5e-7, "sleep: anytime high");
	is_near(sequential_e(sequential_t(12, .05), 12), 20, 1e-9,
		"the interval inverts e");
	q = sequential_decide(SLEEP_2, SLEEP_1, 10, true, NAN, .05, 1);
	is_int(q.state, SEQUENTIAL_CHANGE, "sleep: a change");
	q = sequential_decide(SLEEP_2, SLEEP_1, 10, true, NAN, .05, 4);
	is_int(q.state, SEQUENTIAL_CONTINUE, "one of four: not yet");
	q = sequential_decide(SLEEP_2, SLEEP_1, 10, true, 2, .05, 1);
	is_int(q.state, SEQUENTIAL_CONTINUE, "real, but below delta");
	q = sequential_decide(SLEEP_2, SLEEP_2, 10, true, 2, .05, 1);
	is_int(q.state, SEQUENTIAL_EQUIVALENT, "identical values");
	q = sequential_decide(SLEEP_2, SLEEP_2, 5, true, 2, .05, 1);
	is_int(q.state, SEQUENTIAL_CONTINUE, "five are not enough for that");
	q = sequential_decide(SLEEP_2, SLEEP_1, 0, true, 2, .05, 1);
	is_int(q.state, SEQUENTIAL_CONTINUE, "no block yet");
	ok(isnan(sequential_e(3, 1)), "one block: no e");
}

static void last_look(void)
{
	struct verdict_rule rule = RULE;
	struct estimate s = paired(12, -.02, .008);
	struct verdict v;

	rule.sequential = true;
	v = decide(&s, &rule);
	is_int(v.kind, VERDICT_REGRESSION, "the anytime interval decides");
	ok(isnan(v.p) && isnan(v.p_adjusted), "p is null then");
	s = paired(12, -.02, .028);
	ok(s.p < .05, "what t calls significant after looks");
	is_int(decide(&s, &rule).kind, VERDICT_INCONCLUSIVE, "is not");
	s = paired(20, 0, .005);
	is_int(decide(&s, &rule).kind, VERDICT_EQUIVALENT, "equivalent");
}

int main(void)
{
	D = dist_new(1);
	rules();
	unblocked();
	exact_spread();
	notes();
	powers();
	pools();
	floors();
	sequential();
	last_look();
	is_str(verdict_name(VERDICT_NEAR), "NEAR DELTA", "names");
	dist_free(D);
	return done_testing();
}
