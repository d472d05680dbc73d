// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The plan of queues, and which boot a run gets.
 */
#include "plansim.h"

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

int main(void)
{
	test_queue();
	test_queue_bad_days();
	test_which_boot();
	return done_testing();
}
