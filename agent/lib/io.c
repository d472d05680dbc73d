// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Whole-file and whole-buffer input and output, durable replacement, trees.
 */
#include "io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int io_write_all(int fd, const void *p, size_t n, struct err *e)
{
	const char *at = p;

	while (n) {
		ssize_t w = write(fd, at, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return err_sys(e, "write");
		at += w;
		n -= (size_t)w;
	}
	return 0;
}

int io_read_all(int fd, void *p, size_t n, struct err *e)
{
	char *at = p;

	while (n) {
		ssize_t r = read(fd, at, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return err_sys(e, "read");
		if (!r)
			return err_set(e, ERR_FORMAT,
				       "ended %zu bytes too early", n);
		at += r;
		n -= (size_t)r;
	}
	return 0;
}

int io_slurp(int fd, struct buf *b, size_t max, struct err *e)
{
	size_t had = b->len;

	for (;;) {
		char *to = buf_room(b, 16384);
		ssize_t r;

		if (!to)
			return buf_ok(b, e);
		r = read(fd, to, 16384);
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return err_sys(e, "read");
		if (!r)
			return 0;
		b->len += (size_t)r;
		b->data[b->len] = '\0';
		if (b->len - had > max)
			return err_set(e, ERR_LIMIT, "longer than %zu bytes",
				       max);
	}
}

int io_read_file(int dirfd, const char *path, struct buf *b, size_t max,
		 struct err *e)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_sys(e, "%s", path);
	rc = io_slurp(fd, b, max, e);
	close(fd);
	return rc ? err_prefix(e, "%s", path) : 0;
}

int io_open_own(int dirfd, const char *path, int flags, mode_t mode,
		struct err *e)
{
	int fd = openat(dirfd, path, flags | O_NOFOLLOW | O_NONBLOCK |
			O_NOCTTY | O_CLOEXEC, mode);
	struct stat st;

	if (fd < 0)
		return err_sys(e, "%s", path);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	err_set(e, ERR_FORMAT, "%s: not a regular file", path);
	return -1;
}

int io_read_line(int dirfd, const char *path, char *out, size_t size,
		 struct err *e)
{
	struct buf b = { 0 };
	int rc = io_read_file(dirfd, path, &b, 65536, e);

	if (!rc) {
		size_t len = strcspn(buf_str(&b), "\n");

		if (len >= size) {
			rc = err_set(e, ERR_LIMIT, "%s: line too long", path);
		} else {
			memcpy(out, buf_str(&b), len);
			out[len] = '\0';
		}
	}
	buf_free(&b);
	return rc;
}

int io_write_file(int dirfd, const char *path, const char *s, struct err *e)
{
	int fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC | O_TRUNC);
	size_t n = strlen(s);
	ssize_t w;

	if (fd < 0)
		return err_sys(e, "%s", path);
	do
		w = write(fd, s, n);
	while (w < 0 && errno == EINTR);
	if (w != (ssize_t)n) {
		if (w >= 0)
			errno = EIO;
		err_sys(e, "%s", path);
		close(fd);
		return -1;
	}
	if (close(fd) < 0)
		return err_sys(e, "%s", path);
	return 0;
}

/* The folder part of path into out ("." when there is none). */
static int parent(const char *path, char *out, size_t size, struct err *e)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;

	if (slash == path)
		len = 1;
	if (len + 1 > size)
		return err_set(e, ERR_LIMIT, "%.128s: path too long", path);
	if (!len) /* no slash: the folder that dirfd stands for */
		path = ".", len = 1;
	memcpy(out, path, len);
	out[len] = '\0';
	return 0;
}

int io_fsync_parent(int dirfd, const char *path, struct err *e)
{
	char dir[4096];
	int fd, rc = 0;

	if (parent(path, dir, sizeof(dir), e))
		return -1;
	fd = openat(dirfd, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "%s", dir);
	if (fsync(fd) < 0)
		rc = err_sys(e, "fsync %s", dir);
	close(fd);
	return rc;
}

static int write_new(int dirfd, const char *path, const void *p, size_t n,
		     mode_t mode, struct err *e)
{
	int fd = openat(dirfd, path,
			O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			mode);
	int rc;

	if (fd < 0)
		return err_sys(e, "%s", path);
	rc = io_write_all(fd, p, n, e);
	if (!rc && fchmod(fd, mode) < 0) /* the umask may have cut it */
		rc = err_sys(e, "%s", path);
	if (!rc && fsync(fd) < 0)
		rc = err_sys(e, "fsync %s", path);
	if (close(fd) < 0 && !rc)
		rc = err_sys(e, "close %s", path);
	return rc;
}

int io_replace_file(int dirfd, const char *path, const void *p, size_t n,
		    mode_t mode, struct err *e)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *tmp;

	/*
	 * The thread's id keeps two writers of one path apart; the dot keeps
	 * what a killed one left out of every listing.
	 */
	if (asprintf(&tmp, "%.*s.%s.new.%ld", (int)(base - path), path, base,
		     (long)gettid()) < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	unlinkat(dirfd, tmp, 0);
	if (write_new(dirfd, tmp, p, n, mode, e))
		goto undo;
	if (renameat(dirfd, tmp, dirfd, path) < 0) {
		err_sys(e, "rename to %s", path);
		goto undo;
	}
	free(tmp);
	return io_fsync_parent(dirfd, path, e);
undo:
	unlinkat(dirfd, tmp, 0);
	free(tmp);
	return -1;
}

int io_mkdir_p(int dirfd, const char *path, mode_t mode, struct err *e)
{
	char *copy = strdup(path);
	int rc = 0;

	if (!copy)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (char *p = copy + 1; !rc; p++) {
		char c = *p;

		if (c != '/' && c)
			continue;
		*p = '\0';
		if (mkdirat(dirfd, copy, mode) < 0 && errno != EEXIST)
			rc = err_sys(e, "mkdir %s", copy);
		*p = c;
		if (!c)
			break;
	}
	free(copy);
	return rc;
}

static int remove_children(int fd, struct err *e)
{
	DIR *d = fdopendir(fd);
	struct dirent *de;
	int rc = 0;

	if (!d) {
		err_sys(e, "opendir");
		close(fd);
		return -1;
	}
	while (!rc && (de = readdir(d)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			rc = io_remove_tree(fd, de->d_name, e);
	closedir(d);
	return rc;
}

int io_remove_tree(int dirfd, const char *path, struct err *e)
{
	int fd;

	if (!unlinkat(dirfd, path, 0) || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return err_sys(e, "unlink %s", path);
	fd = openat(dirfd, path,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "%s", path);
	if (remove_children(fd, e)) /* closes fd */
		return err_prefix(e, "%s", path);
	if (unlinkat(dirfd, path, AT_REMOVEDIR) < 0)
		return err_sys(e, "rmdir %s", path);
	return 0;
}

void io_hold_std(void)
{
	int fd;

	/* the wrong way round: reading from 0 or writing to 1 is an error */
	for (int want = 0; want <= 2; want++) {
		if (fcntl(want, F_GETFD) >= 0)
			continue;
		fd = open("/dev/null", want ? O_RDONLY : O_WRONLY);
		if (fd != want)
			io_close(&fd);
	}
}

int64_t io_monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void io_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}
