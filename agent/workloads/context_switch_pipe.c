// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * context_switch_pipe: each task sends a byte to a partner through a pipe and
 * waits for it to come back through another.
 *
 * Measures sleeping and waking through pipes: the scheduler's choice of a CPU,
 * the switch, the pipe's lock, and an IPI when the partner sits elsewhere.
 * N tasks are N pairs, 2N schedulable entities; the partner is a process or a
 * thread like the task, and when pinned shares its CPU. Does not measure
 * throughput of pipes. One operation is one round trip: two switches at least.
 */
#include "scale.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUR_READ, THEIR_WRITE, THEIR_READ, OUR_WRITE };

/* Sends everything back until the task closes its end. */
static void echo(int from, int to)
{
	char c;

	while (read(from, &c, 1) == 1)
		if (write(to, &c, 1) != 1)
			break;
}

static void *thread_partner(void *arg)
{
	const struct scale_task *t = arg;

	echo(t->fd[THEIR_READ], t->fd[THEIR_WRITE]);
	return NULL;
}

/* Own copies: the task's struct is shared memory, and the task goes on. */
static _Noreturn void process_partner(const int fd[4], pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(fd[OUR_WRITE]);
	close(fd[OUR_READ]);
	if (getppid() == parent)
		echo(fd[THEIR_READ], fd[THEIR_WRITE]);
	_exit(0);
}

static int prepare(struct scale_task *t, struct err *e)
{
	pid_t pid, parent = getpid();
	pthread_t thread;
	int fd[4];

	if (pipe2(t->fd, O_CLOEXEC) || pipe2(t->fd + 2, O_CLOEXEC))
		return err_sys(e, "pipe");
	if (t->threads) {
		errno = pthread_create(&thread, NULL, thread_partner, t);
		if (errno)
			return err_sys(e, "pthread_create");
		t->num = (long)thread;
		return 0;
	}
	memcpy(fd, t->fd, sizeof(fd));
	pid = fork();
	if (!pid)
		process_partner(fd, parent);
	if (pid < 0)
		return err_sys(e, "fork");
	t->num = pid;
	/* A partner that dies must be seen as an end, not as silence. */
	close(t->fd[THEIR_WRITE]);
	close(t->fd[THEIR_READ]);
	t->fd[THEIR_WRITE] = t->fd[THEIR_READ] = -1;
	return 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	char c = 'x';

	while (!scale_stop(t)) {
		if (write(t->fd[OUR_WRITE], &c, 1) != 1)
			return err_sys(e, "write");
		if (read(t->fd[OUR_READ], &c, 1) != 1)
			return err_set(e, ERR_SYS, "partner died");
		scale_count(t, 1);
	}
	return 0;
}

static void cleanup(struct scale_task *t)
{
	if (t->fd[OUR_WRITE] >= 0)
		close(t->fd[OUR_WRITE]);
	t->fd[OUR_WRITE] = -1;
	if (t->num && t->threads)
		pthread_join((pthread_t)t->num, NULL);
	else if (t->num)
		waitpid((pid_t)t->num, NULL, 0);
}

const struct scale_workload context_switch_pipe_workload = {
	.name = "context_switch_pipe",
	.what = "one byte to a partner and back, through two pipes",
	.calls = 2,
	.prepare = prepare,
	.loop = loop,
	.cleanup = cleanup,
};
