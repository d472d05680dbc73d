// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A tree of files into an initramfs member. The order in which a file system
 * lists them does not matter: cpio_pack() sorts.
 */
#include "cpiotree.h"

#include "io.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int add_one(struct cpio *c, const char *path, int dirfd,
		   const char *name, struct err *e);

static int walk(struct cpio *c, const char *prefix, int dirfd, struct err *e)
{
	struct dirent *d;
	int rc = 0, fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		io_close(&fd);
		return err_sys(e, "%s", prefix);
	}
	/* No order: cpio_pack() sorts. */
	while (!rc && (d = readdir(dir))) {
		struct buf path = { 0 };

		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		buf_printf(&path, "%s%s%s", prefix, *prefix ? "/" : "",
			   d->d_name);
		rc = buf_ok(&path, e);
		if (!rc)
			rc = add_one(c, path.data, dirfd, d->d_name, e);
		buf_free(&path);
	}
	closedir(dir);
	return rc;
}

static int add_link(struct cpio *c, const char *path, int dirfd,
		    const char *name, struct err *e)
{
	char target[4096]; /* PATH_MAX */
	ssize_t n = readlinkat(dirfd, name, target, sizeof(target) - 1);

	if (n < 0)
		return err_sys(e, "%s", path);
	target[n] = '\0';
	return cpio_link(c, path, target, e);
}

static int add_one(struct cpio *c, const char *path, int dirfd,
		   const char *name, struct err *e)
{
	struct stat st;
	int fd, rc;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		return err_sys(e, "%s", path);
	if (S_ISLNK(st.st_mode))
		return add_link(c, path, dirfd, name, e);
	if (S_ISREG(st.st_mode))
		return cpio_copy(c, path, st.st_mode & 0111 ? 0755 : 0644,
				 dirfd, name, e);
	if (!S_ISDIR(st.st_mode))
		return 0;
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
					 O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "%s", path);
	rc = cpio_dir(c, path, 0755, e);
	if (!rc)
		rc = walk(c, path, fd, e);
	close(fd);
	return rc;
}

int cpiotree_add(struct cpio *c, const char *prefix, int dirfd, struct err *e)
{
	return walk(c, prefix, dirfd, e);
}
