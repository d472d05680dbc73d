// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What the supervisor decides: when a session is overdue, how long to wait
 * before the next one, when to give up. Does nothing to processes itself.
 */
#include "super.h"

#include <stdio.h>

#define MS 1000000LL

void super_started(struct super *s, pid_t pid, int64_t now_ns)
{
	s->session = pid;
	s->restart_ns = 0;
	s->kills = 0;
	super_phase(s, "start", SUPER_FIRST_MS, now_ns);
}

void super_died(struct super *s, int64_t now_ns)
{
	s->session = 0;
	s->deadline_ns = 0;
	if (s->last != LAST_NONE)
		return;
	if (s->deaths >= s->restarts) {
		s->last = s->fallback;
		return;
	}
	/* 1, 2, 4 … 64 s: a controller that is away needs time, too */
	s->restart_ns =
		now_ns + (1000LL << (s->deaths < 6 ? s->deaths : 6)) * MS;
	s->deaths++;
}

void super_phase(struct super *s, const char *name, int64_t ms, int64_t now_ns)
{
	snprintf(s->phase, sizeof(s->phase), "%s", name);
	s->deadline_ns = now_ns + ms * MS;
}

void super_killed(struct super *s, int64_t now_ns)
{
	s->deadline_ns = now_ns + 10000 * MS;
	if (++s->kills >= SUPER_KILLS && s->last == LAST_NONE)
		s->last = s->fallback;
}

bool super_overdue(const struct super *s, int64_t now_ns)
{
	return s->session && s->deadline_ns && now_ns >= s->deadline_ns;
}

int64_t super_next_ns(const struct super *s)
{
	const int64_t at[] = { s->deadline_ns, s->restart_ns, s->feed_ns };
	int64_t next = INT64_MAX;

	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++)
		if (at[i] && at[i] < next)
			next = at[i];
	return next;
}
