/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SCARCE_H
#define IRONRIG_SCARCE_H

#include "cgroup.h"

/*
 * What a command ran short of: memory or processes, of its own limits or of
 * the box. Counts of the kernel, before and after.
 */
struct scarce {
	int64_t group_kills; /* memory.events oom_kill; -1: not counted */
	int64_t box_kills; /* /proc/vmstat oom_kill, of everybody */
	int64_t forks; /* pids.events max: refused for the limit */
};

void scarce_now(const struct cgroup *c, int root, struct scarce *s);
/*
 * "over its memory limit of 32 MiB: 1 killed by the kernel; over its limit of
 * 64 processes: 3 forks refused", or "" when nothing was scarce between the
 * two.
 */
void scarce_text(const struct scarce *before, const struct scarce *after,
		 const struct cgroup_limits *l, char *text, size_t size);

#endif
