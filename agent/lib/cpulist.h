/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CPULIST_H
#define IRONRIG_CPULIST_H

#include "buf.h"

#include <stdbool.h>

/*
 * Sets of CPUs in the kernel's list format ("0-3,8", cpuset(7)), up to
 * CPULIST_MAX, which is CONFIG_NR_CPUS' ceiling on x86-64 (8192).
 * A zeroed struct is the empty set.
 */
#define CPULIST_MAX 8192

struct cpulist {
	unsigned long bits[CPULIST_MAX / (8 * sizeof(unsigned long))];
};

/* Trailing newline allowed; an empty string is the empty set. ERR_INPUT. */
int cpulist_parse(const char *s, struct cpulist *out, struct err *e)
	MUST_CHECK;
void cpulist_format(const struct cpulist *c, struct buf *out);
void cpulist_set(struct cpulist *c, unsigned int cpu, bool on);
bool cpulist_has(const struct cpulist *c, unsigned int cpu);
unsigned int cpulist_count(const struct cpulist *c);
/* The first CPU at or above from; -1 when there is none. */
int cpulist_next(const struct cpulist *c, unsigned int from);
bool cpulist_equal(const struct cpulist *a, const struct cpulist *b);
/*
 * The online CPUs by sys/devices/system/cpu/online under root (a directory
 * descriptor of "/" or of a fixture).
 */
int cpulist_online(int root, struct cpulist *out, struct err *e) MUST_CHECK;
/* percent of n, rounded to nearest, never 0: what nr_task = "50%" means. */
unsigned int cpulist_percent(unsigned int n, unsigned int percent);

#endif
