/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SCALE_H
#define IRONRIG_SCALE_H

#include "err.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The scaling workloads: N tasks, processes or threads, each repeat one small
 * thing for ever, and their operations inside one window are counted.
 *
 * Output of one run, on stdout (the controller's extractor reads it; new
 * fields may only be added at the end of the first line):
 *
 *   scale test=lock1 mode=thread tasks=4 seconds=5.000012 ops=123456789
 *     ops_per_s=24691298.541 per_task_ops_per_s=6172824.635 idle_pct=0.18
 *     min_task_ops=30800000 max_task_ops=30900000 cpus=4 pinned=0 warmup=1.000
 *   task 0 30864197
 *   task 1 ...
 *
 * (one line, broken here). seconds is the window by CLOCK_MONOTONIC; ops and
 * the task lines are what happened inside it. idle_pct is idle plus iowait of
 * all CPUs over the window, by proc_stat(5), "-" when that cannot be read.
 *
 * Output of --sweep, whole operations a second, as will-it-scale prints it:
 *
 *   tasks,processes,processes_idle,threads,threads_idle,linear
 *   0,0,100,0,100,0
 *   1,610132,74.98,594558,74.40,610132
 *
 * linear is tasks times the better of the two figures for one task.
 *
 * Exit status: 0; 1 when a task died or a system call failed, or when the run
 * was stopped, with the task and the reason on stderr and no figures for that
 * run; 2 usage.
 */

/*
 * Two lines of 64 bytes: the adjacent-line prefetcher of x86-64 fetches them
 * in pairs, so 64 would still let two tasks' counters pull at each other.
 */
#define SCALE_LINE 128

#define SCALE_TASKS_MAX 16384

/* One page-aligned area that all tasks of a run share. */
#define SCALE_AREA 65536

struct scale_task {
	/* This task is the only writer; main reads it at the window's ends. */
	_Alignas(SCALE_LINE) _Atomic uint64_t ops;

	/* Not written while the loop runs. */
	_Alignas(SCALE_LINE) const _Atomic int *stop;
	unsigned int number;
	bool threads; /* the tasks of this run are threads */
	int dirfd;    /* the run's own folder, removed behind it */
	char *area;   /* SCALE_AREA bytes, zeroed, shared by all tasks */
	int fd[4];    /* the workload's; -1 at first */
	char *mem;    /* the workload's */
	long num;     /* the workload's */

	/* A failed task's reason, for main. */
	_Atomic int failed;
	struct err err;
};

struct scale_workload {
	const char *name;
	const char *what;    /* one line: what one operation is */
	unsigned int calls;  /* system calls in one operation, 0: none */
	/* Once for a run, before there are tasks; sets up area. May be NULL. */
	int (*setup)(char *area, struct err *e);
	/* In the task, before the start barrier. May be NULL. */
	int (*prepare)(struct scale_task *t, struct err *e);
	/* Repeats until scale_stop(), makes no other system call. */
	int (*loop)(struct scale_task *t, struct err *e);
	/* In the task, after the loop or a failure. May be NULL. */
	void (*cleanup)(struct scale_task *t);
};

static inline bool scale_stop(const struct scale_task *t)
{
	return atomic_load_explicit(t->stop, memory_order_relaxed);
}

/* A plain load and store: one writer, so no locked instruction is needed. */
static inline void scale_count(struct scale_task *t, uint64_t n)
{
	uint64_t v = atomic_load_explicit(&t->ops, memory_order_relaxed);

	atomic_store_explicit(&t->ops, v + n, memory_order_relaxed);
}

/*
 * Creates the file PREFIX.NUMBER of this task, size bytes of it allocated, in
 * the run's folder, open for reading and writing. The descriptor, or -1.
 */
int scale_file(const struct scale_task *t, const char *prefix, size_t size,
	       struct err *e) MUST_CHECK;
/* Anonymous private memory, not yet touched; NULL with *e filled. */
char *scale_map(size_t size, struct err *e);
/*
 * A mutex for several processes, whether there are or not: from glibc 2.34 on
 * the usual kind costs a process with one thread no locked instruction, and
 * process mode would measure something else than thread mode.
 */
int scale_mutex(pthread_mutex_t *m, struct err *e) MUST_CHECK;

struct scale_options {
	const struct scale_workload *w;
	bool threads;
	unsigned int tasks;
	double seconds, warmup;
	bool pin; /* task i on the i-th CPU this process may use, then around */
};

struct scale_figures {
	double seconds;
	double idle_pct; /* negative: not known */
	uint64_t ops, min_ops, max_ops;
	uint64_t *task_ops; /* tasks entries, owned; free() it */
};

/* One run. On failure no figures, and every task has ended or been killed. */
int scale_run(const struct scale_options *o, struct scale_figures *f,
	      struct err *e) MUST_CHECK;

/* The share of all CPUs' time that was idle between two calls. */
struct scale_idle {
	int64_t idle_ticks, all_ticks; /* all 0: not known */
};
struct scale_idle scale_idle_now(void);
/* Percent, negative when not known. */
double scale_idle_pct(struct scale_idle from, struct scale_idle to);

/* One a file of that name; scale.c lists them. */
extern const struct scale_workload lock1_workload, getppid_workload,
	open_close_same_workload, open_close_sep_workload, read_workload,
	write_workload, pread_workload, mmap_workload,
	page_fault_private_workload, page_fault_shared_workload, brk_workload,
	fork_exit_workload, context_switch_pipe_workload, futex_workload,
	mutex_shared_workload, mutex_sep_workload, poll_workload,
	unix_socket_workload, socketpair_workload, signal_workload,
	unlink_workload, dup_workload, sched_yield_workload,
	tlb_flush_workload;

#endif
