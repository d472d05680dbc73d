// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Folders for work in progress. A lock on each says that its process lives: a
 * PID in the name would not, as PIDs come again.
 */
#include "scratch.h"
#include "buf.h"
#include "io.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char prefix[] = ".new-";

/* What cannot be removed stays: that is no reason not to work. */
static void sweep(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct strlist names = { 0 };
	struct err e = ERR_INIT;
	const struct dirent *de;

	if (!d) {
		io_close(&fd);
		return;
	}
	while ((de = readdir(d)))
		if (!strncmp(de->d_name, prefix, sizeof(prefix) - 1) &&
		    strlist_add(&names, de->d_name, &e))
			break;
	closedir(d);
	for (size_t i = 0; i < names.n; i++) {
		fd = openat(dir, names.v[i],
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) &&
		    io_remove_tree(dir, names.v[i], &e))
			fprintf(stderr, "ironrig: left behind: %s\n", e.msg);
		io_close(&fd);
	}
	strlist_free(&names);
}

static int make(int dir, const char *name, struct err *e)
{
	int fd;

	sweep(dir);
	if (io_mkdir_p(dir, name, 0750, e))
		return -1;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0) {
		err_sys(e, "%s", name);
		io_close(&fd);
	}
	return fd;
}

int scratch_make(int dirfd, const char *parent, char name[SCRATCH_NAME],
		 struct err *e)
{
	int dir = openat(dirfd, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = -1, skip = (int)strlen(parent) + 1;

	if (snprintf(name, SCRATCH_NAME, "%s/%s%ld", parent, prefix,
		     (long)getpid()) >= SCRATCH_NAME) {
		err_set(e, ERR_LIMIT, "%s: too long", parent);
	} else if (dir < 0 || flock(dir, LOCK_EX) < 0) {
		/* the lock: nobody sweeps between making and marking */
		err_sys(e, "%s", parent);
	} else {
		fd = make(dir, name + skip, e);
	}
	io_close(&dir);
	return fd;
}
