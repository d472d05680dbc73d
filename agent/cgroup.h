/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CGROUP_H
#define IRONRIG_CGROUP_H

#include "buf.h"

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The fence around a job: a cgroup v2 group of its own, with one group below it
 * for what set-up leaves running and one for each iteration. Where there is no
 * cgroup v2 (or no right to it), the fence is the process tree: the caller is a
 * child subreaper, and what is not among the children it had before is the
 * job's. Sources: Documentation/admin-guide/cgroup-v2.rst, prctl(2).
 */
#define CGROUP_SPARED 32

struct cgroup {
	int fd; /* the group's folder; -1: by process tree */
	char path[PATH_MAX]; /* for messages and removal; "" with fd -1 */
	pid_t spared[CGROUP_SPARED]; /* children that are not the job's */
	size_t nspared;
	/*
	 * Whose memory controller was switched on for this group and goes off
	 * with it: it would cost every later run on the box. Else "".
	 */
	char memory_of[PATH_MAX];
};

struct cgroup_limits {
	int pids; /* pids.max, 0: none */
	uint64_t memory; /* memory.max; 0: no memory controller at all, which
			    would cost about 4 % in page faults */
};

/*
 * Makes the group `name` and puts a process into it for a try. Limits that
 * cannot be set, and a missing cgroup v2, are lines in *notes and no error.
 * cgroup_close() is the caller's in every case.
 */
void cgroup_open(const char *name, const struct cgroup_limits *l,
		 struct cgroup *c, struct buf *notes);
/* A group below it; without cgroup v2: children alive now are spared too. */
int cgroup_sub(const struct cgroup *parent, const char *name, struct cgroup *c,
	       struct err *e) MUST_CHECK;
/* A child of ours that is not the job's, started after cgroup_open(). */
void cgroup_spare(struct cgroup *c, pid_t pid);
/* Moves the calling process. For a child between fork and exec. -1: errno. */
int cgroup_enter(const struct cgroup *c) MUST_CHECK;
/*
 * The number behind key ("oom_kill ") at the start of a line of one of its
 * files; -1 when it is not there.
 */
int64_t cgroup_figure(const struct cgroup *c, const char *file,
		      const char *key);
/* CPU time of all that ever ran in it, daemons too; -1 when not known. */
int64_t cgroup_cpu_us(const struct cgroup *c);
/* How many processes live in it, dead ones not counted. */
unsigned int cgroup_count(const struct cgroup *c);
/*
 * SIGKILL to every process, until none is left: by cgroup.kill (5.14), by
 * freezing and walking before that. ERR_TIMEOUT after five seconds, when
 * something hangs in the kernel. Reaps nothing.
 */
int cgroup_kill(const struct cgroup *c, struct err *e) MUST_CHECK;
/* Waits for the dead orphans that have become our children. */
void cgroup_reap(const struct cgroup *c);
/* Removes the (empty) group. Zeroed or closed structs are harmless. */
void cgroup_close(struct cgroup *c);

#endif
