// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * System-wide counters, one descriptor a CPU and event. More hardware events
 * than counters are multiplexed by the kernel; the two times in each line tell.
 */
#include "counters.h"
#include "cpulist.h"
#include "io.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HW(x) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##x
#define SW(x) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##x

/* names as perf-list(1) has them */
static const struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
} events[] = {
	{ "cycles", HW(CPU_CYCLES) },
	{ "instructions", HW(INSTRUCTIONS) },
	{ "branches", HW(BRANCH_INSTRUCTIONS) },
	{ "branch-misses", HW(BRANCH_MISSES) },
	{ "cache-misses", HW(CACHE_MISSES) },
	{ "context-switches", SW(CONTEXT_SWITCHES) },
	{ "cpu-migrations", SW(CPU_MIGRATIONS) },
	{ "page-faults", SW(PAGE_FAULTS) },
};
#define EVENTS (sizeof(events) / sizeof(events[0]))

struct on_cpu {
	unsigned int cpu;
	int fd[EVENTS]; /* -1: not supported */
};

struct counters {
	struct on_cpu *v;
	size_t n;
};

static int open_event(const struct event *ev, int cpu)
{
	struct perf_event_attr attr = {
		.type = ev->type,
		.size = sizeof(attr),
		.config = ev->config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* 288 CPUs x 8 events are more than the usual 1024 descriptors. */
static void more_files(size_t n)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_cur > n)
		return;
	l.rlim_cur = n;
	if (l.rlim_max < n)
		l.rlim_max = n;
	if (setrlimit(RLIMIT_NOFILE, &l)) {
		getrlimit(RLIMIT_NOFILE, &l);
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

int counters_open(int root, struct counters **out, struct buf *notes,
		  struct err *e)
{
	struct cpulist online;
	struct counters *c;
	size_t opened = 0;
	int sys = 0;

	*out = NULL;
	if (cpulist_online(root, &online, e))
		return -1;
	c = calloc(1, sizeof(*c));
	if (c)
		c->v = calloc(cpulist_count(&online), sizeof(c->v[0]));
	if (!c || !c->v) {
		free(c);
		return err_set(e, ERR_LIMIT, "out of memory");
	}
	more_files(cpulist_count(&online) * EVENTS + 256);
	for (int cpu = cpulist_next(&online, 0); cpu >= 0;
	     cpu = cpulist_next(&online, (unsigned int)cpu + 1)) {
		struct on_cpu *at = &c->v[c->n++];

		at->cpu = (unsigned int)cpu;
		for (size_t i = 0; i < EVENTS; i++) {
			at->fd[i] = open_event(&events[i], cpu);
			if (at->fd[i] < 0)
				sys = errno;
			else
				opened++;
		}
	}
	if (opened) {
		*out = c;
		return 0;
	}
	counters_free(c);
	buf_printf(notes, "monitor perf_counters: perf_event_open: %s\n",
		   strerrordesc_np(sys));
	return 0;
}

size_t counters_read(const struct counters *c, char *to, size_t room)
{
	struct {
		uint64_t count, enabled_ns, running_ns;
	} v;
	size_t n = 0;
	int len;

	for (size_t i = 0; i < c->n; i++) {
		for (size_t j = 0; j < EVENTS; j++) {
			const struct on_cpu *at = &c->v[i];

			if (at->fd[j] < 0 ||
			    read(at->fd[j], &v, sizeof(v)) != sizeof(v))
				len = snprintf(to + n, room - n,
					       "CPU%u,<not supported>,%s\n",
					       at->cpu, events[j].name);
			else
				len = snprintf(
					to + n, room - n,
					"CPU%u,%llu,%s,%llu,%llu\n", at->cpu,
					(unsigned long long)v.count,
					events[j].name,
					(unsigned long long)v.enabled_ns,
					(unsigned long long)v.running_ns);
			if (len < 0 || (size_t)len >= room - n)
				return n;
			n += (size_t)len;
		}
	}
	return n;
}

void counters_free(struct counters *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		for (size_t j = 0; j < EVENTS; j++)
			io_close(&c->v[i].fd[j]);
	free(c->v);
	free(c);
}
