// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The plan of blocks: order, dropped blocks, ends, several boxes.
 */
#include "plansim.h"

static void test_order(void)
{
	int differ = 0, first[3] = { 0 };

	for (uint64_t seed = 0; seed < 200; seed++) {
		bool good = true;

		for (int n = 0; n < 20; n += 2)
			good = good && plan_order(seed, 2, n, 1) !=
					       plan_order(seed, 2, n + 1, 1);
		for (int n = 0; n < 20; n++)
			good = good && plan_order(seed, 2, n, 1) +
					       plan_order(seed, 2, n, 2) == 1;
		if (!good)
			ok(false, "seed %d: AB and BA once each in two blocks",
			   (int)seed);
		differ += plan_order(seed, 2, 0, 1);
	}
	ok(differ > 60 && differ < 140, "either order comes first as often: %d",
	   differ);
	for (int n = 3; n < 6; n++)
		first[plan_order(7, 3, n, 1)]++;
	ok(first[0] == 1 && first[1] == 1 && first[2] == 1,
	   "three kernels: each is first once in three blocks");
	is_int(plan_order(42, 2, 5, 1), plan_order(42, 2, 5, 1),
	       "the same seed, the same order");
}

/* Runs n runs; the i-th (from 1) of them ends in how. Returns those run. */
static int run_ab(struct sim *s, int n, int i, const char *how, bool stable)
{
	for (int k = 1; k <= n; k++) {
		if (!until_run(s))
			return k - 1;
		lease(s);
		end(s, k == i ? how : "ok", k == i ? stable : true, true);
	}
	return n;
}

static int runs_of_block(const struct sim *s, int block)
{
	int n = 0;

	for (size_t i = 0; i < s->log.n; i++)
		n += s->log.v[i].kind == LEASE_RUN &&
		     s->log.v[i].block == block;
	return n;
}

static const char *first_kernel(const struct sim *s, int block)
{
	for (size_t i = 0; i < s->log.n; i++)
		if (s->log.v[i].kind == LEASE_RUN &&
		    s->log.v[i].block == block)
			return s->log.v[i].kernel;
	return NULL;
}

static void test_ab(void)
{
	struct conf_experiment x = ab_of(4, 42);
	struct sim s;

	start(&s, &x, 2);
	boot(&s, KA, "firmware");
	is_int(next(&s), PLAN_BOOT, "A/B: each boot is an asked one");
	is_int(run_ab(&s, 100, 0, "", true), 10, "warm-up and four blocks");
	is_int(how_far(&s).end, PLAN_FINISHED, "finished");
	is_int(how_far(&s).done, 4, "four kept");
	is_int(s.boots, 11, "every run a fresh boot");
	for (size_t i = 0, n = 0; i < s.log.n; i++) {
		const struct lease_event *r = &s.log.v[i];
		int k;

		if (r->kind != LEASE_RUN)
			continue;
		k = n < 2 ? (int)n :
			    plan_order(42, 2, (int)n / 2 - 1, r->position);
		if (strcmp(r->kernel, k ? KB : KA) != 0 ||
		    r->block != (int)n / 2)
			ok(false, "run %zu: block %d, %s", n, r->block,
			   r->kernel);
		n++;
	}
	ok(true, "in the seed's order");
	stop(&s);

	start(&s, &x, 2);
	boot(&s, KA, "firmware");
	is_int(run_ab(&s, 100, 3, "ok", false), 11, "one unstable run: its "
						    "block's second is saved");
	is_int(how_far(&s).done, 4, "four kept all the same");
	is_int(how_far(&s).failed, 1, "one dropped");
	is_int(runs_of_block(&s, 1), 1, "the dropped one ended at once");
	is_str(first_kernel(&s, 2), first_kernel(&s, 1),
	       "and the next took its order");
	stop(&s);

	start(&s, &x, 2);
	boot(&s, KA, "firmware");
	run_ab(&s, 3, 0, "", true);
	ok(until_run(&s), "the second boot of block 1");
	lease(&s);
	boot(&s, KA, "firmware");
	is_int(next(&s), PLAN_LOST, "dies");
	end(&s, "lost", false, true);
	ok(until_run(&s) && s.step.ev.block == 2, "block 2 replaces it");
	is_int(s.step.ev.attempt, 2, "as a second attempt");
	is_int(s.step.ev.position, 1, "from its first boot");
	stop(&s);
}

/* Between the boots of block 2 the result of block 1 turns out bad. */
static void test_ab_turns_bad(void)
{
	struct conf_experiment x = ab_of(4, 42);
	char first[LEASE_KERNEL];
	struct err e = ERR_INIT;
	struct sim s;

	start(&s, &x, 2);
	boot(&s, KA, "firmware");
	is_int(run_ab(&s, 5, 0, "", true), 5, "half of block 2 is run");
	strcpy(first, lease_last(&s.log, LEASE_RUN)->kernel);
	is_int(how_far(&s).done, 1, "block 1 is kept");
	strlist_sort(&s.done);
	if (strlist_add(&s.bad, s.done.v[3], &e))
		exit(1);
	free(s.done.v[3]);
	s.done.v[3] = s.done.v[--s.done.n];
	is_int(how_far(&s).done, 0, "and then no more");
	ok(until_run(&s) && s.step.ev.block == 2 && s.step.ev.position == 2,
	   "the second boot of block 2");
	ok(strcmp(s.step.ev.kernel, first) != 0, "is of the other kernel: %s",
	   s.step.ev.kernel);
	stop(&s);
}

static void test_ab_ends(void)
{
	struct conf_experiment x = ab_of(4, 1);
	struct sim s;
	int boots = 0;

	start(&s, &x, 2);
	boot(&s, KA, "firmware");
	while (next(&s) != PLAN_IDLE && boots++ < 100) {
		if (s.step.kind == PLAN_BOOT) {
			want(&s);
			boot(&s, KA, "firmware"); /* head never comes up */
			continue;
		}
		lease(&s);
		if (s.step.kind == PLAN_NO_BOOT)
			end(&s, "lost", false, true);
		else
			end(&s, "ok", true, true);
	}
	is_int(how_far(&s).end, PLAN_GIVEN_UP, "a kernel that never boots");
	is_int(how_far(&s).failed, 3, "three blocks dropped");
	ok(boots < 30, "in %d steps", boots);
	stop(&s);

	start(&s, &x, 2);
	boot(&s, KA, "firmware");
	run_ab(&s, 6, 0, "", true);
	s.x[0].decided = true;
	is_int(next(&s), PLAN_IDLE, "decided: no more runs");
	is_int(how_far(&s).end, PLAN_DECIDED, "and says so");
	s.x[0].decided = false;
	x.stopped = true;
	is_int(next(&s), PLAN_IDLE, "stopped: no more runs");
	x.stopped = false;
	x.until_decided = true;
	x.max_blocks = 3;
	is_int(run_ab(&s, 100, 0, "", true), 2, "until decided: max_blocks");
	stop(&s);

	start(&s, &x, 2);
	x.boot = BOOT_KEXEC;
	boot(&s, KA, "firmware");
	is_int(next(&s), PLAN_BOOT, "kexec");
	is_str(s.step.ev.mode, "kexec", "is asked for");
	want(&s);
	boot(&s, KA, "firmware");
	is_int(next(&s), PLAN_NO_BOOT, "firmware boot instead: not mixed");
	for (boots = 0; next(&s) != PLAN_IDLE && boots < 100; boots++) {
		if (s.step.kind == PLAN_BOOT) {
			want(&s);
			boot(&s, KA, "firmware"); /* kexec fails each time */
			continue;
		}
		lease(&s);
		end(&s, "lost", false, true);
	}
	is_int(how_far(&s).end, PLAN_GIVEN_UP, "kexec that never works");
	ok(boots < 30, "no loop: %d steps", boots);
	stop(&s);
}

static void test_jobs(void)
{
	static char j1[] = "j1", j2[] = "j2";
	static char *job[] = { j1, j2 };
	struct conf_experiment x = ab_of(2, 3);
	struct sim s;

	x.jobs = (struct strlist){ job, 2 };
	start(&s, &x, 2);
	boot(&s, KA, "firmware");
	is_int(run_ab(&s, 100, 0, "", true), 12, "two jobs, each its boots");
	is_int(s.boots, 13, "a boot a run");
	stop(&s);

	x.jobs_share_boot = true;
	start(&s, &x, 2);
	boot(&s, KA, "firmware");
	is_int(run_ab(&s, 100, 0, "", true), 12, "sharing boots");
	is_int(s.boots, 7, "a boot for both");
	stop(&s);
}

static void test_two_boxes(void)
{
	struct conf_experiment x = ab_of(4, 5);
	struct sim a, b;

	start(&a, &x, 2);
	start(&b, &x, 2);
	boot(&a, KA, "firmware");
	boot(&b, KA, "firmware");
	run_ab(&a, 6, 0, "", true); /* warm-up and two blocks */
	b.x[0].others = &a.log;
	b.x[0].nothers = 1;
	is_int(run_ab(&b, 100, 0, "", true), 6,
	       "two boxes: the other's kept blocks count");
	is_int(how_far(&b).done, 4, "four in all");
	a.x[0].others = &b.log;
	a.x[0].nothers = 1;
	is_int(next(&a), PLAN_IDLE, "and the first has none left");
	stop(&a);
	stop(&b);
}

static void test_two_experiments(void)
{
	struct conf_experiment q = queue_of(1), x = ab_of(2, 9);
	struct sim s;

	start(&s, &q, 1);
	s.x[1] = (struct plan_experiment){
		.x = &x, .kernel = s.kernel, .nkernel = 2, .job = s.job
	};
	s.in.n = 2;
	boot(&s, KA, "firmware");
	ok(until_run(&s) && !strcmp(s.step.ev.experiment, "q"),
	   "the first experiment is served first");
	lease(&s);
	end(&s, "ok", true, true);
	is_int(run_ab(&s, 100, 0, "", true), 6, "then the second");
	stop(&s);
}

int main(void)
{
	test_order();
	test_ab();
	test_ab_turns_bad();
	test_ab_ends();
	test_jobs();
	test_two_boxes();
	test_two_experiments();
	return done_testing();
}
