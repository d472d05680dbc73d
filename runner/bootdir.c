// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The folder that boxes boot from: where it is, who may read it, and putting
 * files there so that a box in the middle of booting never sees half of one.
 */
#include "bootdir.h"

#include "conf.h"
#include "home.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_MODE = 0750, FILE_MODE = 0640, COPY_MAX = 1 << 30 };

static int take_conf(const struct home *home, struct bootdir *b,
		     const struct conf_controller *c, struct err *e)
{
	bool absolute = c->boot && *c->boot == '/';
	const char *url = c->boot_url ? c->boot_url : "";
	size_t n = strlen(url);

	if (asprintf(&b->path, "%s%s%s", absolute ? "" : home->path,
		     absolute ? "" : "/",
		     c->boot && *c->boot ? c->boot : "boot") < 0 ||
	    asprintf(&b->url, "%s%s", url,
		     n && url[n - 1] != '/' ? "/" : "") < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	if (c->boot_group && *c->boot_group) {
		const struct group *g = getgrnam(c->boot_group);

		if (!g)
			return err_set(e, ERR_INPUT,
				       "conf/controller.cfg: boot_group: no "
				       "group \"%s\" on this machine",
				       c->boot_group);
		b->group = g->gr_gid;
	}
	return 0;
}

int bootdir_open(const struct home *home, struct bootdir *b, struct err *e)
{
	static const char conf[] = "conf/controller.cfg";
	struct conf_controller c = { 0 };
	int rc = 0;

	*b = (struct bootdir){ .fd = -1, .group = (gid_t)-1 };
	if (!faccessat(home->fd, conf, F_OK, 0))
		rc = conf_controller_load(home->fd, conf, &c, NULL, e);
	if (!rc)
		rc = take_conf(home, b, &c, e);
	if (!rc)
		rc = io_mkdir_p(AT_FDCWD, b->path, FOLDER_MODE, e);
	if (!rc) {
		b->fd = open(b->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (b->fd < 0)
			rc = err_sys(e, "%s", b->path);
	}
	/* only the owner may, and only to groups of his */
	if (!rc && b->group != (gid_t)-1 &&
	    fchown(b->fd, (uid_t)-1, b->group))
		rc = err_sys(e, "%s: change to group %s", b->path,
			     c.boot_group);
	conf_controller_free(&c);
	if (rc)
		bootdir_close(b);
	return rc;
}

void bootdir_close(struct bootdir *b)
{
	io_close(&b->fd);
	free(b->path);
	free(b->url);
	b->path = b->url = NULL;
}

static int give(const struct bootdir *b, const char *path, mode_t mode,
		struct err *e)
{
	if (fchmodat(b->fd, path, mode, 0) ||
	    (b->group != (gid_t)-1 &&
	     fchownat(b->fd, path, (uid_t)-1, b->group, 0)))
		return err_sys(e, "%s/%s", b->path, path);
	return 0;
}

/* The folders above path, each with our mode and group. */
static int make_folders(const struct bootdir *b, const char *path,
			struct err *e)
{
	char *copy = strdup(path);
	int rc = 0;

	if (!copy)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (char *s = copy; !rc && (s = strchr(s, '/')); s++) {
		*s = '\0';
		if (!mkdirat(b->fd, copy, FOLDER_MODE))
			rc = give(b, copy, FOLDER_MODE, e);
		else if (errno != EEXIST)
			rc = err_sys(e, "%s/%s", b->path, copy);
		*s = '/';
	}
	free(copy);
	return rc;
}

int bootdir_put(const struct bootdir *b, const char *path, const void *p,
		size_t n, struct err *e)
{
	if (make_folders(b, path, e) ||
	    io_replace_file(b->fd, path, p, n, FILE_MODE, e))
		return -1;
	return give(b, path, FILE_MODE, e);
}

static bool same_file(int a, const char *pa, int b, const char *pb)
{
	struct stat x, y;

	return !fstatat(a, pa, &x, 0) && !fstatat(b, pb, &y, 0) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int bootdir_show(const struct bootdir *b, const struct home *home,
		 const char *from, const char *path, struct err *e)
{
	struct buf data = { 0 };
	char tmp[256];
	int rc;

	if (same_file(home->fd, from, b->fd, path))
		return 0;
	if (make_folders(b, path, e))
		return -1;
	snprintf(tmp, sizeof(tmp), "%s.new.%ld", path, (long)getpid());
	unlinkat(b->fd, tmp, 0);
	if (!linkat(home->fd, from, b->fd, tmp, 0)) {
		if (!renameat(b->fd, tmp, b->fd, path))
			return give(b, path, FILE_MODE, e);
		unlinkat(b->fd, tmp, 0);
	}
	/* another file system, or one without links */
	rc = io_read_file(home->fd, from, &data, COPY_MAX, e);
	if (!rc)
		rc = bootdir_put(b, path, data.data, data.len, e);
	buf_free(&data);
	return rc;
}

/* "base.cpio" to "base.sha" */
static int sha_path(const char *path, char *out, size_t size, struct err *e)
{
	size_t n = strlen(path);

	if (n < 5 || n >= size || strcmp(path + n - 5, ".cpio") != 0)
		return err_set(e, ERR_INPUT, "%s: not a member's name", path);
	memcpy(out, path, n + 1);
	memcpy(out + n - 5, ".sha", sizeof(".sha"));
	return 0;
}

int bootdir_sha_write(int dirfd, const char *path,
		      const char sha256[SHA256_HEX], struct err *e)
{
	char name[256], line[SHA256_HEX + 1];

	if (sha_path(path, name, sizeof(name), e))
		return -1;
	snprintf(line, sizeof(line), "%s\n", sha256);
	return io_replace_file(dirfd, name, line, strlen(line), FILE_MODE, e);
}

int bootdir_sha_read(int dirfd, const char *path, char sha256[SHA256_HEX],
		     struct err *e)
{
	char name[256];

	if (sha_path(path, name, sizeof(name), e))
		return -1;
	if (faccessat(dirfd, path, F_OK, 0) ||
	    faccessat(dirfd, name, F_OK, 0))
		return err_set(e, ERR_NOTFOUND, "%s: not built", path);
	if (io_read_line(dirfd, name, sha256, SHA256_HEX, e))
		return -1;
	if (strlen(sha256) != SHA256_HEX - 1)
		return err_set(e, ERR_FORMAT, "%s: not a SHA-256", name);
	return 0;
}
