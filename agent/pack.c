// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Packs a result's tree in a child, so that sending overlaps packing and a
 * fault in the compressor costs no more than this result. Memory: the
 * compressor's own, whatever the tree's size. Sending is courier.c's work.
 */
#include "pack.h"
#include "buf.h"
#include "io.h"
#include "lz4stream.h"
#include "tar.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* 640 KB of 15.7 MB of samples, text and logs, against 955 at level 1 */
#define LEVEL 3
#define FIRST "result.cfg"

struct packer {
	int out;
	int grow;
	struct lz4_writer *lz4;
	struct tar_writer tar;
};

static int to_file(void *arg, const void *p, size_t n, struct err *e)
{
	struct packer *k = arg;

	if (io_write_all(k->out, p, n, e))
		return -1;
	/* a full pipe, or a reader that is gone, needs no byte */
	if (write(k->grow, "g", 1) != 1)
		errno = 0;
	return 0;
}

static int to_lz4(void *arg, const void *p, size_t n, struct err *e)
{
	struct packer *k = arg;

	return lz4_writer_add(k->lz4, p, n, e);
}

static int add(struct packer *k, int dirfd, const char *name, struct err *e)
{
	int fd = openat(dirfd, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int rc = 0;

	if (fd < 0)
		return errno == ELOOP || errno == ENXIO
			       ? 0
			       : err_sys(e, "%s", name);
	if (fstat(fd, &st) < 0)
		rc = err_sys(e, "%s", name);
	else if (S_ISREG(st.st_mode))
		rc = tar_add_fd(&k->tar, name, fd, e);
	else if (S_ISDIR(st.st_mode))
		rc = tar_add_tree(&k->tar, name, fd, e);
	close(fd);
	return rc;
}

/* Everything at the top but FIRST, in order. */
static int add_rest(struct packer *k, int dirfd, struct err *e)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct strlist names = { 0 };
	struct dirent *de;
	int rc = 0;

	if (!d) {
		err_sys(e, "opendir");
		io_close(&fd);
		return -1;
	}
	while (!rc && (de = readdir(d)))
		if (de->d_name[0] != '.' && strcmp(de->d_name, FIRST) != 0)
			rc = strlist_add(&names, de->d_name, e);
	closedir(d);
	strlist_sort(&names);
	for (size_t i = 0; !rc && i < names.n; i++)
		rc = add(k, dirfd, names.v[i], e);
	strlist_free(&names);
	return rc;
}

static int pack(struct packer *k, int dirfd, struct err *e)
{
	struct stat st;

	if (fstatat(dirfd, FIRST, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(e, FIRST);
	k->tar = (struct tar_writer){ .sink = to_lz4, .arg = k };
	k->tar.mtime_s = st.st_mtime;
	k->lz4 = lz4_writer_new(LEVEL, to_file, k, e);
	if (!k->lz4)
		return -1;
	if (add(k, dirfd, FIRST, e) || add_rest(k, dirfd, e) ||
	    tar_end(&k->tar, e))
		return -1;
	return lz4_writer_end(k->lz4, e);
}

static _Noreturn void child(struct packer *k, int dirfd, const char *path)
{
	struct err e = ERR_INIT;
	int flags;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	flags = fcntl(k->grow, F_GETFL);
	fcntl(k->grow, F_SETFL, flags | O_NONBLOCK);
	if (pack(k, dirfd, &e)) {
		dprintf(STDERR_FILENO, "ironrig-agent: pack %s: %s\n", path,
			e.msg);
		_exit(1);
	}
	lz4_writer_free(k->lz4);
	close(k->out);
	/* this one must arrive: wait for room */
	fcntl(k->grow, F_SETFL, flags);
	_exit(write(k->grow, &(char){ PACK_END }, 1) == 1 ? 0 : 1);
}

int pack_start(const char *tree, const char *path, pid_t *pid, int *grow_fd,
	       struct err *e)
{
	struct packer k = { .out = -1, .grow = -1 };
	int dirfd = open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd[2];

	if (dirfd < 0)
		return err_sys(e, "%s", tree);
	k.out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (k.out < 0) {
		err_sys(e, "%s", path);
		goto fail;
	}
	if (pipe2(fd, O_CLOEXEC) < 0) {
		err_sys(e, "pipe");
		goto fail;
	}
	k.grow = fd[1];
	*pid = fork();
	if (!*pid) {
		close(fd[0]);
		child(&k, dirfd, path);
	}
	close(fd[1]);
	if (*pid < 0) {
		err_sys(e, "fork");
		close(fd[0]);
		goto fail;
	}
	*grow_fd = fd[0];
	close(k.out);
	close(dirfd);
	return 0;
fail:
	io_close(&k.out);
	close(dirfd);
	return -1;
}

int pack_wait(pid_t pid, int *grow_fd, struct err *e)
{
	char piece[512], last = 0;
	ssize_t n;

	for (;;) {
		n = read(*grow_fd, piece, sizeof(piece));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		last = piece[n - 1];
	}
	io_close(grow_fd);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (last != PACK_END)
		return err_set(e, ERR_SYS, "the result could not be packed");
	return 0;
}
