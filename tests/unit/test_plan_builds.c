// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The plan of kernels with several builds: each as often as the others, at
 * each position alike, whatever the seed; one build a kernel and block.
 */
#include "plansim.h"

/* In every m blocks each build once; in every k * m once at each position. */
static bool even(uint64_t seed, int k, int kernel, int m)
{
	for (int cycle = 0; cycle < 3; cycle++) {
		bool at[PLAN_KERNELS_MAX][PLAN_BUILDS_MAX] = { { false } };

		for (int round = 0; round < k; round++) {
			bool seen[PLAN_BUILDS_MAX] = { false };

			for (int i = 0; i < m; i++) {
				int n = (cycle * k + round) * m + i, p = 1;
				int b = plan_build(seed, k, kernel, m, n);

				while (plan_order(seed, k, n, p) != kernel)
					p++;
				if (b < 0 || b >= m || seen[b] || at[p - 1][b])
					return false;
				seen[b] = at[p - 1][b] = true;
			}
		}
	}
	return true;
}

static void test_even(void)
{
	for (int k = 2; k <= 4; k++)
		for (int m = 1; m <= 6; m++) {
			bool good = true;

			for (uint64_t seed = 0; seed < 50; seed++)
				for (int kernel = 0; kernel < k; kernel++)
					good = good &&
					       even(seed, k, kernel, m);
			ok(good, "%d kernels, %d builds: each build once a "
				 "round, once at each position",
			   k, m);
		}
	ok(even(3, PLAN_KERNELS_MAX, 5, PLAN_BUILDS_MAX), "as many as fit");
}

static void test_chance(void)
{
	int first[3] = { 0 }, together = 0;
	bool good = true;

	for (uint64_t seed = 0; seed < 900; seed++) {
		int a = plan_build(seed, 2, 0, 3, 0);
		int b = plan_build(seed, 2, 1, 3, 0);

		first[a]++;
		together += a == b;
	}
	/* 300 expected, sd 14 */
	for (int i = 0; i < 3; i++)
		good = good && first[i] > 240 && first[i] < 360;
	ok(good, "each comes first as often: %d %d %d", first[0], first[1],
	   first[2]);
	ok(together > 240 && together < 360,
	   "and the two sides' are drawn by themselves: %d", together);
	is_int(plan_build(5, 2, 1, 3, 7), plan_build(5, 2, 1, 3, 7),
	       "the same seed, the same build");
}

/* ---- in a plan ------------------------------------------------------------- */

static const char *const base[] = { KA, "base2:a2", "base3:a3" };
static const char *const head[] = { KB };
static const struct plan_builds builds[] = { { base, 3 }, { head, 1 } };

static int count(const struct sim *s, const char *kernel, int from_block)
{
	int n = 0;

	for (size_t i = 0; i < s->log.n; i++)
		n += s->log.v[i].kind == LEASE_RUN &&
		     s->log.v[i].block >= from_block &&
		     !strcmp(s->log.v[i].kernel, kernel);
	return n;
}

static const char *kernel_in(const struct sim *s, int block, bool of_base)
{
	for (size_t i = 0; i < s->log.n; i++)
		if (s->log.v[i].kind == LEASE_RUN &&
		    s->log.v[i].block == block &&
		    of_base == !!strcmp(s->log.v[i].kernel, KB))
			return s->log.v[i].kernel;
	return "";
}

/* Runs n; the i-th (from 1) is unstable. */
static int run(struct sim *s, int n, int unstable)
{
	for (int i = 1; i <= n; i++) {
		if (!until_run(s))
			return i - 1;
		lease(s);
		end(s, "ok", i != unstable, true);
	}
	return n;
}

static void test_plan(void)
{
	struct conf_experiment x = ab_of(6, 11);
	struct sim s;

	start(&s, &x, 2);
	s.x[0].builds = builds;
	boot(&s, KA, "firmware");
	is_int(run(&s, 100, 0), 14, "a warm-up and six blocks");
	is_int(how_far(&s).end, PLAN_FINISHED, "finished");
	is_str(kernel_in(&s, 0, true), KA, "the first build warms up");
	is_int(count(&s, KB, 1), 6, "the head in every block");
	for (int i = 0; i < 3; i++)
		is_int(count(&s, base[i], 1), 2, "%s in two", base[i]);
	stop(&s);

	start(&s, &x, 2);
	s.x[0].builds = builds;
	boot(&s, KA, "firmware");
	run(&s, 100, 4); /* the second boot of block 1 */
	is_int(how_far(&s).failed, 1, "one block is dropped");
	is_str(kernel_in(&s, 2, true), kernel_in(&s, 1, true),
	       "the next one takes its build");
	stop(&s);

	start(&s, &x, 2);
	s.x[0].builds = builds;
	x.blocks = 3;
	boot(&s, KA, "firmware");
	run(&s, 100, 0);
	x.blocks = 6;
	is_int(run(&s, 100, 0), 6, "resumed: three blocks more");
	for (int i = 0; i < 3; i++)
		is_int(count(&s, base[i], 1), 2, "and %s is in two all the same",
		       base[i]);
	stop(&s);
}

static void test_jobs(void)
{
	static char j1[] = "j1", j2[] = "j2";
	static char *job[] = { j1, j2 };
	struct conf_experiment x = ab_of(3, 4);
	bool good = true;
	struct sim s;

	x.jobs = (struct strlist){ job, 2 };
	start(&s, &x, 2);
	s.x[0].builds = builds;
	boot(&s, KA, "firmware");
	is_int(run(&s, 100, 0), 16, "two jobs, each its boots");
	for (size_t i = 0; i < s.log.n; i++)
		good = good && (s.log.v[i].kind != LEASE_RUN ||
				!strcmp(s.log.v[i].kernel, KB) ||
				!strcmp(s.log.v[i].kernel,
					kernel_in(&s, s.log.v[i].block,
						  true)));
	ok(good, "both jobs of a block have the same build");
	stop(&s);
}

static void test_gone(void)
{
	static const char *const some[] = { KA, NULL };
	const struct plan_builds gone[] = { { some, 2 }, { head, 1 } };
	struct conf_experiment x = ab_of(3, 4);
	struct sim s;

	start(&s, &x, 2);
	s.x[0].builds = gone;
	boot(&s, KA, "firmware");
	is_int(next(&s), PLAN_IDLE, "a build that is not registered: no run");
	is_int(how_far(&s).end, PLAN_BLOCKED, "and it says so");
	stop(&s);
}

int main(void)
{
	test_even();
	test_chance();
	test_plan();
	test_jobs();
	test_gone();
	return done_testing();
}
