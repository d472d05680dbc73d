// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The plan, driven by a box made of a few lines: it boots what it is asked
 * for, runs what it gets, and a test says what becomes of each run.
 */
#include "plan.h"
#include "tap.h"

#include <stdint.h>

#define KA "base:aaaa"
#define KB "head:bbbb"

struct sim {
	struct lease_log log;
	struct strlist done, bad;
	struct plan_in in;
	struct plan_experiment x[2];
	const char *kernel[3];
	struct plan_job job[3];
	struct plan_step step;
	char boot_id[LEASE_BOOT_ID];
	int boots, leases;
};

static void event(struct sim *s, const struct lease_event *ev)
{
	size_t n = s->log.n + 1;
	struct lease_event *v = realloc(s->log.v, n * sizeof(*v));

	if (!v)
		exit(1);
	v[n - 1] = *ev;
	s->log.v = v;
	s->log.n = n;
}

static void boot(struct sim *s, const char *kernel, const char *mode)
{
	struct lease_event ev = { .kind = LEASE_BOOT };

	snprintf(s->boot_id, sizeof(s->boot_id),
		 "%08x-0000-4000-8000-000000000000", (unsigned)++s->boots);
	s->in.boot_id = s->boot_id;
	strcpy(ev.boot_id, s->boot_id);
	strcpy(ev.kernel, kernel);
	strcpy(ev.mode, mode);
	event(s, &ev);
}

static enum plan_kind next(struct sim *s)
{
	struct err e = ERR_INIT;

	if (plan_next(&s->in, &s->step, &e)) {
		printf("# %s\n", e.msg);
		return (enum plan_kind)-1;
	}
	return s->step.kind;
}

/* Takes the run of the last step; its lease is in step.ev.lease. */
static void lease(struct sim *s)
{
	s->step.ev.kind = LEASE_RUN;
	snprintf(s->step.ev.lease, sizeof(s->step.ev.lease), "%032x",
		 (unsigned)++s->leases);
	event(s, &s->step.ev);
}

static void want(struct sim *s)
{
	if (!s->step.again)
		event(s, &s->step.ev);
}

static void end(struct sim *s, const char *how, bool stable, bool file)
{
	const struct lease_event *run = lease_last(&s->log, LEASE_RUN);
	struct lease_event ev = { .kind = LEASE_END, .stable = stable };
	struct err e = ERR_INIT;

	strcpy(ev.lease, run->lease);
	strcpy(ev.how, how);
	event(s, &ev);
	if (file && strlist_add(&s->done, ev.lease, &e))
		exit(1);
}

static struct conf_experiment queue_of(int count)
{
	static char lock1[] = "lock1", name[] = "q", kind[] = "queue";
	static char *job[] = { lock1 };

	return (struct conf_experiment){
		.name = name,
		.kind = kind,
		.jobs = { job, 1 },
		.count = count,
		.attempts = 3,
	};
}

static struct conf_experiment ab_of(int blocks, uint64_t seed)
{
	static char ab[] = "ab";
	struct conf_experiment x = queue_of(0);

	x.name = ab;
	x.kind = ab;
	x.blocks = blocks;
	x.max_blocks = 30;
	x.seed = seed;
	return x;
}

static void start(struct sim *s, struct conf_experiment *x, size_t nkernel)
{
	*s = (struct sim){ .kernel = { KA, KB, "third:cccc" } };
	s->x[0] = (struct plan_experiment){ .x = x,
					    .kernel = s->kernel,
					    .nkernel = nkernel,
					    .job = s->job };
	s->job[0].unstable_retries = 2;
	s->in = (struct plan_in){ .log = &s->log,
				  .done = &s->done,
				  .bad = &s->bad,
				  .v = s->x,
				  .n = 1 };
}

static void stop(struct sim *s)
{
	free(s->log.v);
	strlist_free(&s->done);
	strlist_free(&s->bad);
}

/* Boots as asked until a run comes; false when there is nothing to do. */
static bool until_run(struct sim *s)
{
	for (int i = 0; i < 3; i++) {
		switch ((int)next(s)) {
		case PLAN_RUN:
			return true;
		case PLAN_BOOT:
			want(s);
			boot(s, s->step.ev.kernel, s->step.ev.mode);
			break;
		case PLAN_LOST:
			end(s, "lost", false, true);
			break;
		case PLAN_NO_BOOT:
			lease(s);
			end(s, "lost", false, true);
			break;
		default:
			return false;
		}
	}
	return false;
}

static struct plan_progress how_far(struct sim *s)
{
	struct plan_progress p;

	plan_progress(&s->in, &s->x[0], &p);
	return p;
}

static void test_queue(void)
{
	struct conf_experiment x = queue_of(2);
	char first[LEASE_LEN + 1];
	struct sim s;

	start(&s, &x, 1);
	s.in.boot_id = "00000000-0000-4000-8000-000000000000";
	is_int((int)next(&s), -1, "no work before hello");
	boot(&s, KA, "firmware");
	is_int(next(&s), PLAN_RUN, "a fresh boot of the right kernel runs");
	is_int(s.step.ev.attempt, 1, "first attempt");
	lease(&s);
	strcpy(first, s.step.ev.lease);
	is_int(next(&s), PLAN_REPEAT, "a retried next repeats the run");
	is_str(s.step.ev.lease, first, "the same one");
	end(&s, "ok", true, true);
	is_int(next(&s), PLAN_BOOT, "the second run wants a fresh boot");
	is_int(s.step.again, false, "asked for the first time");
	want(&s);
	is_int(next(&s), PLAN_BOOT, "a retried next repeats the boot");
	is_int(s.step.again, true, "and leaves no second line");
	boot(&s, KA, "firmware");
	is_int(next(&s), PLAN_RUN, "runs then");
	is_int(s.step.ev.block, 2, "the second one");
	lease(&s);
	end(&s, "failed", true, true);
	is_int(next(&s), PLAN_IDLE, "a failed run is a result: done");
	is_int(how_far(&s).end, PLAN_FINISHED, "finished");
	is_int(how_far(&s).done, 2, "two of two");
	stop(&s);
}

static void test_queue_bad_days(void)
{
	struct conf_experiment x = queue_of(1);
	struct sim s;

	start(&s, &x, 1);
	boot(&s, KB, "-");
	is_int(next(&s), PLAN_BOOT, "another kernel runs: boot");
	is_str(s.step.ev.kernel, KA, "the wanted one");
	want(&s);
	boot(&s, KB, "-");
	is_int(next(&s), PLAN_NO_BOOT, "it did not come up");
	ok(strstr(s.step.reason, KB), "the reason names what did");
	lease(&s);
	end(&s, "lost", false, true);
	ok(until_run(&s), "tried again");
	is_int(s.step.ev.attempt, 2, "second attempt");
	lease(&s);
	boot(&s, KA, "-");
	is_int(next(&s), PLAN_LOST, "another boot asks: the run is lost");
	is_int(s.step.ev.attempt, 2, "that one");
	end(&s, "lost", false, false);
	ok(until_run(&s) && s.step.ev.attempt == 3, "third attempt");
	lease(&s);
	end(&s, "gone", false, false);
	is_int(next(&s), PLAN_IDLE, "the limit");
	is_int(how_far(&s).end, PLAN_GIVEN_UP, "given up");
	stop(&s);

	start(&s, &x, 1);
	boot(&s, KA, "-");
	for (int i = 1; i <= 3; i++) {
		ok(until_run(&s) && s.step.ev.attempt == i,
		   "unstable: run %d of three", i);
		lease(&s);
		end(&s, "ok", false, true);
	}
	is_int(next(&s), PLAN_IDLE, "then it is kept as it is");
	is_int(how_far(&s).done, 1, "done");
	stop(&s);

	start(&s, &x, 1);
	boot(&s, KA, "-");
	ok(until_run(&s), "a run");
	lease(&s);
	if (strlist_add(&s.bad, s.step.ev.lease, NULL))
		exit(1);
	ok(until_run(&s) && s.step.ev.attempt == 2,
	   "a quarantined result counts as a failed attempt");
	stop(&s);

	start(&s, &x, 1);
	boot(&s, KA, "-");
	ok(until_run(&s), "a run");
	lease(&s);
	end(&s, "ok", true, false);
	is_int(next(&s), PLAN_REPEAT, "recorded but not there: not done");
	stop(&s);
}

static void test_which_boot(void)
{
	struct conf_experiment x = queue_of(2);
	struct err e = ERR_INIT;
	struct sim s;

	start(&s, &x, 1);
	s.kernel[0] = "-";
	boot(&s, KB, "-");
	is_int(next(&s), PLAN_RUN, "no kernel named: whatever boots will do");
	lease(&s);
	end(&s, "ok", true, true);
	is_int(next(&s), PLAN_BOOT, "but each run a boot of its own");
	is_str(s.step.ev.kernel, "-", "of whatever boots");
	stop(&s);

	start(&s, &x, 1);
	x.jobs_share_boot = true;
	boot(&s, KA, "-");
	ok(next(&s) == PLAN_RUN, "first run");
	lease(&s);
	end(&s, "ok", true, true);
	is_int(next(&s), PLAN_RUN, "jobs_share_boot: no boot between runs");
	is_int(s.step.ev.block, 2, "the second");
	x.jobs_share_boot = false;
	stop(&s);

	start(&s, &x, 1);
	s.job[0].bundles = true;
	boot(&s, KA, "-");
	is_int(next(&s), PLAN_BOOT, "bundles come only with an asked boot");
	want(&s);
	boot(&s, KA, "-");
	is_int(next(&s), PLAN_RUN, "as now");
	stop(&s);

	start(&s, &x, 1);
	s.kernel[0] = NULL;
	boot(&s, KA, "-");
	is_int(next(&s), PLAN_IDLE, "an unknown kernel blocks");
	is_int(how_far(&s).end, PLAN_BLOCKED, "and says so");
	stop(&s);

	start(&s, &x, 1);
	boot(&s, KA, "-");
	boot(&s, KA, "-");
	s.in.boot_id = "00000001-0000-4000-8000-000000000000";
	ok(plan_next(&s.in, &s.step, &e) == -1 && e.kind == ERR_CONFLICT,
	   "a boot that another followed gets no work");
	ok(strstr(e.msg, "00000002"), "and is told which");
	stop(&s);
}

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
	test_queue();
	test_queue_bad_days();
	test_which_boot();
	test_order();
	test_ab();
	test_ab_ends();
	test_jobs();
	test_two_boxes();
	test_two_experiments();
	return done_testing();
}
