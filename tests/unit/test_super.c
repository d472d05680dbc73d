// SPDX-License-Identifier: GPL-3.0-or-later
#include "super.h"
#include "tap.h"

#define S 1000000000LL

static void deadlines(void)
{
	struct super s = { .restarts = 2, .fallback = LAST_HALT };

	is_int(super_next_ns(&s), INT64_MAX, "nothing to wait for");
	super_started(&s, 42, 10 * S);
	is_int(super_next_ns(&s), 10 * S + SUPER_FIRST_MS * 1000000LL,
	       "a session must name its phase in time");
	super_phase(&s, "run", 5000, 20 * S);
	is_str(s.phase, "run", "named");
	ok(!super_overdue(&s, 25 * S - 1), "not overdue before");
	ok(super_overdue(&s, 25 * S), "overdue at its deadline");
	s.feed_ns = 21 * S;
	is_int(super_next_ns(&s), 21 * S, "the watchdog comes first");
	super_died(&s, 25 * S);
	ok(!super_overdue(&s, 99 * S), "a dead session is not overdue");
}

static void deaths(void)
{
	struct super s = { .restarts = 2, .fallback = LAST_HALT };

	super_started(&s, 1, 0);
	super_died(&s, 100 * S);
	is_int(s.restart_ns, 101 * S, "again after 1 s");
	super_started(&s, 2, 101 * S);
	is_int(s.restart_ns, 0, "started");
	super_died(&s, 102 * S);
	is_int(s.restart_ns, 104 * S, "then after 2 s");
	super_started(&s, 3, 104 * S);
	s.deaths = 0; /* "good" */
	super_died(&s, 105 * S);
	is_int(s.restart_ns, 106 * S, "a good run forgets");
	super_started(&s, 4, 106 * S);
	super_died(&s, 107 * S);
	is_int(s.last, LAST_NONE, "not given up yet");
	super_started(&s, 5, 109 * S);
	super_died(&s, 110 * S);
	is_int(s.last, LAST_HALT, "given up: the configured end");
	is_int(s.restart_ns, 0, "and no more starts");
}

static void held_by_the_kernel(void)
{
	struct super s = { .restarts = 2, .fallback = LAST_HALT };

	super_started(&s, 1, 0);
	super_phase(&s, "stuck", 1000, 0);
	for (int i = 1; i < SUPER_KILLS; i++)
		super_killed(&s, i * 10 * S);
	ok(!super_overdue(&s, 59 * S), "killed, and given 10 s to die");
	ok(super_overdue(&s, 60 * S), "then killed again");
	is_int(s.last, LAST_NONE, "a minute long");
	super_killed(&s, 60 * S);
	is_int(s.last, LAST_HALT, "then the configured end");
	s.last = LAST_NONE;
	super_started(&s, 2, 70 * S);
	super_killed(&s, 80 * S);
	is_int(s.last, LAST_NONE, "another session has its own count");
}

static void asked_for(void)
{
	struct super s = { .restarts = 2, .fallback = LAST_HALT };

	super_started(&s, 1, 0);
	s.last = LAST_KEXEC;
	super_died(&s, S);
	is_int(s.last, LAST_KEXEC, "a death after \"last\" changes nothing");
	is_int(s.restart_ns, 0, "nor starts anything");
}

int main(void)
{
	deadlines();
	deaths();
	asked_for();
	held_by_the_kernel();
	return done_testing();
}
