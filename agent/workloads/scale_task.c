// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The tasks of a scaling run: how a process or a thread is started, pinned,
 * prepared, held at the barrier and reported. Watching them and measuring is
 * scale_run.c's.
 */
#include "scale_task.h"
#include "io.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 288 stacks of the usual 8 MiB would trip strict overcommit limits. */
#define STACK_SIZE (256UL << 10)

/* ---- in the tasks ---- */

static void tell(const struct scale_run *r, char what)
{
	while (write(r->tell[1], &what, 1) < 0 && errno == EINTR)
		;
}

static long futex(_Atomic uint32_t *word, int op, uint32_t val)
{
	return syscall(SYS_futex, word, op, val, NULL, NULL, 0);
}

static int pin(const struct scale_run *r, unsigned int number, struct err *e)
{
	int cpu = r->cpu[number % r->ncpu];
	cpu_set_t *set = CPU_ALLOC((unsigned int)cpu + 1);
	size_t size = CPU_ALLOC_SIZE((unsigned int)cpu + 1);
	int rc;

	if (!set)
		return err_set(e, ERR_LIMIT, "out of memory");
	CPU_ZERO_S(size, set);
	CPU_SET_S((unsigned int)cpu, size, set);
	rc = sched_setaffinity(0, size, set);
	CPU_FREE(set);
	return rc ? err_sys(e, "sched_setaffinity to CPU %d", cpu) : 0;
}

static void body(struct scale_run *r, struct scale_task *t)
{
	const struct scale_workload *w = r->o->w;
	int rc = r->o->pin ? pin(r, t->number, &t->err) : 0;

	if (!rc && w->prepare)
		rc = w->prepare(t, &t->err);
	if (!rc) {
		tell(r, 'r');
		while (!atomic_load(&r->s->go))
			futex(&r->s->go, FUTEX_WAIT, 0);
		rc = w->loop(t, &t->err);
	}
	if (rc) {
		atomic_store(&t->failed, 1);
		tell(r, 'f');
	}
	if (w->cleanup)
		w->cleanup(t);
	for (size_t i = 0; i < sizeof(t->fd) / sizeof(t->fd[0]); i++)
		io_close(&t->fd[i]);
}

static void *thread_main(void *arg)
{
	struct scale_starter *s = arg;

	body(s->r, s->t);
	return NULL;
}

static _Noreturn void process_main(struct scale_run *r, struct scale_task *t,
				   pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sigprocmask(SIG_SETMASK, &r->mask, NULL);
	body(r, t);
	_exit(atomic_load(&t->failed));
}

static int allowed_cpus(struct scale_run *r, struct err *e)
{
	size_t size = CPU_ALLOC_SIZE(8192); /* x86-64's NR_CPUS ceiling */
	cpu_set_t *set = CPU_ALLOC(8192);
	int rc = -1;

	r->cpu = calloc(8192, sizeof(*r->cpu));
	if (!set || !r->cpu) {
		err_set(e, ERR_LIMIT, "out of memory");
	} else if (sched_getaffinity(0, size, set)) {
		err_sys(e, "sched_getaffinity");
	} else {
		for (int i = 0; i < 8192; i++)
			if (CPU_ISSET_S((unsigned int)i, size, set))
				r->cpu[r->ncpu++] = i;
		rc = 0;
	}
	CPU_FREE(set);
	return rc;
}

/* ---- in main ---- */

static int start_one(struct scale_run *r, const pthread_attr_t *attr, struct err *e)
{
	unsigned int i = r->started;
	struct scale_task *t = &r->s->task[i];
	pid_t parent = getpid();
	int rc;

	t->stop = &r->s->stop;
	t->number = i;
	t->threads = r->o->threads;
	t->dirfd = r->dirfd;
	t->area = r->s->area;
	for (size_t k = 0; k < sizeof(t->fd) / sizeof(t->fd[0]); k++)
		t->fd[k] = -1;
	if (r->o->threads) {
		r->arg[i] = (struct scale_starter){ r, t };
		rc = pthread_create(&r->thread[i], attr, thread_main,
				    &r->arg[i]);
		errno = rc;
		if (rc)
			return err_sys(e, "task %u: pthread_create", i);
	} else {
		r->pid[i] = fork();
		if (r->pid[i] < 0)
			return err_sys(e, "task %u: fork", i);
		if (!r->pid[i])
			process_main(r, t, parent);
	}
	r->started++;
	return 0;
}

int scale_task_start(struct scale_run *r, struct err *e)
{
	pthread_attr_t attr;
	int rc = 0;

	if (r->o->pin && allowed_cpus(r, e))
		return -1;
	if (r->o->w->setup && r->o->w->setup(r->s->area, e))
		return err_prefix(e, "set-up");
	if (pthread_attr_init(&attr) ||
	    pthread_attr_setstacksize(&attr, STACK_SIZE))
		return err_set(e, ERR_LIMIT, "cannot set a stack size");
	while (!rc && r->started < r->o->tasks)
		rc = start_one(r, &attr, e);
	pthread_attr_destroy(&attr);
	return rc;
}

void scale_task_release(struct scale_run *r)
{
	atomic_store(&r->s->go, 1);
	futex(&r->s->go, FUTEX_WAKE, INT_MAX);
}
