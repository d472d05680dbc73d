/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SUPER_H
#define IRONRIG_SUPER_H

#include "last.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The supervisor's state and its decisions, apart from the loop in init.c so
 * that a test can ask for them. Times are CLOCK_MONOTONIC nanoseconds.
 */
#define SUPER_RESTARTS 4 /* after 1, 2, 4, 8 s */

struct super {
	pid_t session; /* 0: none runs */
	int deaths; /* since the last "good" */
	int kills; /* of this session, for being overdue */
	int restarts; /* SUPER_RESTARTS, or ironrig.restarts= */
	char phase[32];
	int64_t deadline_ns; /* of the phase; 0 without a session */
	int64_t restart_ns; /* when the next session starts; 0: not waiting */
	int64_t feed_ns; /* when the watchdog is due; 0: closed */
	enum last_op fallback; /* when sessions keep dying */
	enum last_op last; /* decided: nothing else happens any more */
};

/* The session was started. It has SUPER_FIRST_MS until it names a phase. */
#define SUPER_FIRST_MS 60000
void super_started(struct super *s, pid_t pid, int64_t now_ns);
/* It is gone: sets restart_ns, or .last = .fallback after too many. */
void super_died(struct super *s, int64_t now_ns);
/* A phase with ms from now on. */
void super_phase(struct super *s, const char *name, int64_t ms, int64_t now_ns);
/*
 * It was overdue and killed. A process that the kernel holds does not die of
 * that: it is tried every 10 s, after SUPER_KILLS times .last = .fallback.
 */
#define SUPER_KILLS 6
void super_killed(struct super *s, int64_t now_ns);
bool super_overdue(const struct super *s, int64_t now_ns);
/* The nearest of all times above; INT64_MAX when there is none. */
int64_t super_next_ns(const struct super *s);

#endif
