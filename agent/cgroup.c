// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The fence around a job's processes. Decides nothing about when to kill.
 */
#include "cgroup.h"
#include "io.h"
#include "num.h"
#include "proctree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KILL_NS	 5000000000 /* a killed process is gone in ms, or hangs */
#define PAUSE_NS 2000000
#define SMALL	 65536 /* bound of the files here; a list of pids is longer */

static void nap(void)
{
	const struct timespec t = { .tv_nsec = PAUSE_NS };

	nanosleep(&t, NULL);
}

/* Where cgroup v2 is mounted: "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0". */
static int mount_point(char out[PATH_MAX])
{
	struct buf b = { 0 };
	char *line, *save, *dir;
	int rc = -1;

	if (io_read_file(AT_FDCWD, "/proc/self/mounts", &b, 1 << 20, NULL)) {
		buf_free(&b);
		return -1;
	}
	for (line = strtok_r(b.data, "\n", &save); rc && line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *end;

		dir = strchr(line, ' ');
		end = dir ? strchr(dir + 1, ' ') : NULL;
		if (!end || strncmp(end, " cgroup2 ", 9) != 0 ||
		    end - dir >= PATH_MAX)
			continue;
		memcpy(out, dir + 1, (size_t)(end - dir - 1));
		out[end - dir - 1] = '\0';
		rc = 0;
	}
	buf_free(&b);
	return rc;
}

/* This process's own group, "/" at the root: the line "0::/user.slice/…". */
static int own_group(char *out, size_t size)
{
	struct buf b = { 0 };
	const char *at;
	size_t len;
	int rc = -1;

	if (!io_read_file(AT_FDCWD, "/proc/self/cgroup", &b, SMALL, NULL)) {
		at = strstr(buf_str(&b), "0::/");
		len = at ? strcspn(at + 3, "\n") : 0;
		if (at && len < size) {
			memcpy(out, at + 3, len);
			out[len] = '\0';
			rc = 0;
		}
	}
	buf_free(&b);
	return rc;
}

/* A first process goes in and ends: shows whether we may use the group. */
static bool usable(const struct cgroup *c)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(cgroup_enter(c) ? 1 : 0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool make(struct cgroup *c, const char *base, const char *name)
{
	if (snprintf(c->path, sizeof(c->path), "%s/%s", base, name) >=
	    (int)sizeof(c->path))
		return false;
	if (mkdir(c->path, 0755) < 0 && errno != EEXIST)
		return false;
	c->fd = open(c->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->fd >= 0 && usable(c))
		return true;
	io_close(&c->fd);
	rmdir(c->path);
	return false;
}

static bool has_controller(const char *control, const char *name)
{
	struct buf b = { 0 };
	bool has = false;

	if (!io_read_file(AT_FDCWD, control, &b, SMALL, NULL))
		has = strstr(buf_str(&b), name);
	buf_free(&b);
	return has;
}

static void limit(struct cgroup *c, const char *base, const char *controller,
		  const char *value, struct buf *notes)
{
	char path[PATH_MAX + 2048], plus[32], file[32];
	struct err e = ERR_INIT;
	bool had;

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", base);
	had = has_controller(path, controller);
	snprintf(plus, sizeof(plus), "+%s", controller);
	snprintf(file, sizeof(file), "%s.max", controller);
	if (io_write_file(AT_FDCWD, path, plus, &e) ||
	    io_write_file(c->fd, file, value, &e))
		buf_printf(notes, "%s limit of the job is not enforced: %s\n",
			   controller, e.msg);
	else if (!had && !strcmp(controller, "memory"))
		snprintf(c->memory_of, sizeof(c->memory_of), "%.*s",
			 PATH_MAX - 1, path);
}

/*
 * At the root of the hierarchy when we may write there: only the root group may
 * both hold processes and hand controllers down. Else below our own group.
 */
void cgroup_open(const char *name, const struct cgroup_limits *l,
		 struct cgroup *c, struct buf *notes)
{
	char base[PATH_MAX], own[1024] = "", below[PATH_MAX + 1024], value[32];
	const char *at = base;

	*c = (struct cgroup){ .fd = -1 };
	c->nspared = proctree_children(c->spared, CGROUP_SPARED);
	if (mount_point(base)) {
		buf_puts(notes, "no cgroup v2: the job is fenced by its process"
				" tree, without limits\n");
		return;
	}
	if (!make(c, base, name)) {
		if (own_group(own, sizeof(own)))
			own[0] = '\0';
		snprintf(below, sizeof(below), "%s%s", base, own);
		at = below;
		if (!make(c, at, name)) {
			c->path[0] = '\0';
			buf_printf(notes,
				   "cgroup v2 cannot be used (%s): the job is "
				   "fenced by its process tree, without "
				   "limits\n",
				   strerrordesc_np(errno));
			return;
		}
	}
	if (l->pids) {
		snprintf(value, sizeof(value), "%d", l->pids);
		limit(c, at, "pids", value, notes);
	}
	if (l->memory) {
		snprintf(value, sizeof(value), "%llu",
			 (unsigned long long)l->memory);
		limit(c, at, "memory", value, notes);
	}
}

int cgroup_sub(const struct cgroup *parent, const char *name, struct cgroup *c,
	       struct err *e)
{
	*c = *parent;
	c->memory_of[0] = '\0';
	if (parent->fd < 0) {
		c->nspared = proctree_children(c->spared, CGROUP_SPARED);
		return 0;
	}
	c->fd = -1;
	if (snprintf(c->path, sizeof(c->path), "%s/%s", parent->path, name) >=
	    (int)sizeof(c->path))
		return err_set(e, ERR_LIMIT, "cgroup path too long");
	if (mkdir(c->path, 0755) < 0 && errno != EEXIST)
		return err_sys(e, "%s", c->path);
	c->fd = open(c->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return c->fd < 0 ? err_sys(e, "%s", c->path) : 0;
}

void cgroup_spare(struct cgroup *c, pid_t pid)
{
	if (c->nspared < CGROUP_SPARED)
		c->spared[c->nspared++] = pid;
}

int cgroup_enter(const struct cgroup *c)
{
	int fd, rc;

	if (c->fd < 0)
		return 0;
	fd = openat(c->fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = write(fd, "0", 1) == 1 ? 0 : -1; /* 0: the writer */
	close(fd);
	return rc;
}

int64_t cgroup_figure(const struct cgroup *c, const char *file, const char *key)
{
	struct buf b = { 0 };
	const char *at;
	int64_t v = -1;

	if (c->fd >= 0 && !io_read_file(c->fd, file, &b, SMALL, NULL)) {
		at = strstr(buf_str(&b), key);
		while (at && at != b.data && at[-1] != '\n')
			at = strstr(at + 1, key); /* the end of another key */
		if (at)
			v = strtoll(at + strlen(key), NULL, 10);
	}
	buf_free(&b);
	return v;
}

int64_t cgroup_cpu_us(const struct cgroup *c)
{
	return cgroup_figure(c, "cpu.stat", "usage_usec ");
}

/* SIGKILL (or 0: only count) to all in the group at dirfd and below it. */
static unsigned int walk(int dirfd, int sig)
{
	struct buf b = { 0 };
	unsigned int n = 0;
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *de;

	if (!io_read_file(dirfd, "cgroup.procs", &b, 1 << 24, NULL)) {
		for (char *p = b.data; p && *p; p++) {
			long pid = strtol(p, &p, 10);

			if (pid > 0) {
				n++;
				kill((pid_t)pid, sig);
			}
			if (*p != '\n')
				break;
		}
	}
	buf_free(&b);
	while (d && (de = readdir(d))) {
		int sub;

		if (de->d_type != DT_DIR || de->d_name[0] == '.')
			continue;
		sub = openat(dirfd, de->d_name,
			     O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (sub >= 0)
			n += walk(sub, sig);
		io_close(&sub);
	}
	if (d)
		closedir(d);
	else
		io_close(&fd);
	return n;
}

unsigned int cgroup_count(const struct cgroup *c)
{
	if (c->fd >= 0)
		return walk(c->fd, 0);
	return proctree_signal(c->spared, c->nspared, 0);
}

int cgroup_kill(const struct cgroup *c, struct err *e)
{
	int64_t end = io_monotonic_ns() + KILL_NS;
	bool asked = false, frozen = false;
	unsigned int n;

	if (c->fd >= 0)
		asked = !io_write_file(c->fd, "cgroup.kill", "1", NULL);
	if (c->fd >= 0 && !asked) /* frozen processes cannot fork away */
		frozen = !io_write_file(c->fd, "cgroup.freeze", "1", NULL);
	for (;;) {
		if (c->fd < 0)
			n = proctree_signal(c->spared, c->nspared, SIGKILL);
		else
			n = walk(c->fd, asked ? 0 : SIGKILL);
		if (!n || io_monotonic_ns() > end)
			break;
		nap();
	}
	if (frozen && io_write_file(c->fd, "cgroup.freeze", "0", e))
		return err_prefix(e, "%s", c->path);
	if (n)
		return err_set(e, ERR_TIMEOUT,
			       "%u processes of the job survive SIGKILL", n);
	return 0;
}

void cgroup_reap(const struct cgroup *c)
{
	proctree_reap(c->spared, c->nspared);
}

void cgroup_close(struct cgroup *c)
{
	int64_t end = io_monotonic_ns() + KILL_NS / 10;

	if (c->fd < 0 || !c->path[0])
		return;
	io_close(&c->fd);
	/* EBUSY until the last exit has passed through the kernel */
	while (rmdir(c->path) < 0 && errno == EBUSY && io_monotonic_ns() < end)
		nap();
	c->path[0] = '\0';
	if (c->memory_of[0] &&
	    !io_write_file(AT_FDCWD, c->memory_of, "-memory", NULL))
		c->memory_of[0] = '\0';
}
