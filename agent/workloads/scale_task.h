/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SCALE_TASK_H
#define IRONRIG_SCALE_TASK_H

#include "scale.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

/*
 * A run in progress, and its tasks' side: scale_run.c makes and empties it,
 * scale_task.c starts tasks in it. Nobody else includes this.
 */
struct scale_shared {
	_Alignas(SCALE_LINE) _Atomic uint32_t go; /* a futex */
	_Alignas(SCALE_LINE) _Atomic int stop;
	_Alignas(4096) char area[SCALE_AREA];
	struct scale_task task[];
};

struct scale_run {
	const struct scale_options *o;
	struct scale_shared *s;
	size_t size;
	unsigned int started, ready;
	pid_t *pid;	   /* process mode; 0 once reaped */
	pthread_t *thread; /* thread mode */
	struct scale_starter *arg;
	int *cpu; /* for pinning: the CPUs this process may use */
	unsigned int ncpu;
	int tell[2]; /* a byte from each task: 'r' ready, 'f' failed */
	int sigfd;
	sigset_t mask; /* before the run */
	char dir[PATH_MAX];
	int dirfd;
	bool stuck; /* a thread did not end: its memory must stay */
};

struct scale_starter {
	struct scale_run *r;
	struct scale_task *t;
};

/*
 * Starts all tasks; each prepares itself, tells 'r' and waits. On failure
 * .started of them exist.
 */
int scale_task_start(struct scale_run *r, struct err *e) MUST_CHECK;
/* Lets the waiting tasks go. */
void scale_task_release(struct scale_run *r);

#endif
