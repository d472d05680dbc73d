// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Tells a workload that failed from one that was not given enough. What it
 * means for the run is jobcmd.c's.
 */
#include "scarce.h"
#include "io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* since Linux 4.13 */
static int64_t box_kills(int root)
{
	static const char key[] = "\noom_kill ";
	struct buf b = { 0 };
	const char *at = NULL;
	int64_t n = -1;

	if (!io_read_file(root, "proc/vmstat", &b, 65536, NULL))
		at = strstr(buf_str(&b), key);
	if (at)
		n = strtoll(at + strlen(key), NULL, 10);
	buf_free(&b);
	return n;
}

void scarce_now(const struct cgroup *c, int root, struct scarce *s)
{
	s->group_kills = cgroup_figure(c, "memory.events", "oom_kill ");
	s->forks = cgroup_figure(c, "pids.events", "max ");
	s->box_kills = box_kills(root);
}

static int64_t more(int64_t before, int64_t after)
{
	return before < 0 || after < before ? 0 : after - before;
}

static void add(char *text, size_t size, const char *what, int64_t limit,
		const char *unit, int64_t n, const char *effect)
{
	size_t len = strlen(text);
	char of[48] = "";

	if (limit)
		snprintf(of, sizeof(of), " of %lld%s", (long long)limit, unit);
	snprintf(text + len, size - len, "%s%s%s: %lld %s", len ? "; " : "",
		 what, of, (long long)n, effect);
}

void scarce_text(const struct scarce *before, const struct scarce *after,
		 const struct cgroup_limits *l, char *text, size_t size)
{
	int64_t group = l->memory ? more(before->group_kills,
					 after->group_kills) : 0;
	int64_t box = more(before->box_kills, after->box_kills);
	int64_t forks = more(before->forks, after->forks);

	*text = '\0';
	if (group)
		add(text, size, "over its memory limit",
		    (int64_t)(l->memory >> 20), " MiB", group,
		    "killed by the kernel");
	if (box > group) /* the box counts the group's as well */
		add(text, size, "the box ran out of memory", 0, "",
		    box - group, "killed by the kernel");
	if (forks)
		add(text, size, "over its limit", l->pids, " processes", forks,
		    "forks refused");
}
