// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Walks over the children of this process. /proc/PID/task/TID/children would be
 * cheaper, but needs CONFIG_PROC_CHILDREN; none of this happens in a measured
 * window.
 */
#include "proctree.h"
#include "io.h"
#include "num.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* state and parent of a process; false when it is gone */
static bool look(int proc, const char *name, char *state, pid_t *parent)
{
	char path[64], line[1024];
	const char *at;

	snprintf(path, sizeof(path), "%.32s/stat", name);
	if (io_read_line(proc, path, line, sizeof(line), NULL))
		return false;
	at = strrchr(line, ')'); /* the name before it may hold anything */
	if (!at || strlen(at) < sizeof(") S 1") - 1)
		return false;
	*state = at[2];
	*parent = (pid_t)strtol(at + 4, NULL, 10);
	return true;
}

typedef void visit_fn(void *arg, pid_t pid, char state);

static void each_child(visit_fn *visit, void *arg)
{
	DIR *d = opendir("/proc");
	struct dirent *de;
	pid_t parent, me = getpid();
	uint64_t pid;
	char state;

	while (d && (de = readdir(d)))
		if (!num_u64(de->d_name, INT32_MAX, &pid, NULL) &&
		    look(dirfd(d), de->d_name, &state, &parent) && parent == me)
			visit(arg, (pid_t)pid, state);
	if (d)
		closedir(d);
}

struct list {
	pid_t *out;
	size_t n, max;
};

static void collect(void *arg, pid_t pid, char state)
{
	struct list *l = arg;

	(void)state;
	if (l->n < l->max)
		l->out[l->n++] = pid;
}

size_t proctree_children(pid_t *out, size_t max)
{
	struct list l = { .out = out, .max = max };

	each_child(collect, &l);
	return l.n;
}

struct sweep {
	const pid_t *spared;
	size_t n;
	int sig;
	unsigned int living;
};

static bool is_spared(const struct sweep *s, pid_t pid)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->spared[i] == pid)
			return true;
	return false;
}

static void send(void *arg, pid_t pid, char state)
{
	struct sweep *s = arg;

	if (state == 'Z' || is_spared(s, pid))
		return;
	s->living++;
	if (s->sig)
		kill(pid, s->sig);
}

unsigned int proctree_signal(const pid_t *spared, size_t n, int sig)
{
	struct sweep s = { .spared = spared, .n = n, .sig = sig };

	each_child(send, &s);
	return s.living;
}

static void bury(void *arg, pid_t pid, char state)
{
	if (state == 'Z' && !is_spared(arg, pid))
		waitpid(pid, NULL, WNOHANG);
}

void proctree_reap(const pid_t *spared, size_t n)
{
	struct sweep s = { .spared = spared, .n = n };

	each_child(bury, &s);
}
