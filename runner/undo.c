// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Taking back a change of several small files. What belongs to the change is
 * its owner's to say; other processes are kept out by the owner's lock.
 */
#include "undo.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 16 << 20 };

struct undo_file {
	char *path;
	bool there, folder_there;
	mode_t mode;
	uid_t uid;
	gid_t gid;
	struct buf text;
};

/* The folder of an absolute path, in memory; NULL without any. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strndup(path, slash && slash > path ? (size_t)(slash - path) :
						     1);
}

static bool have_folder(const char *path)
{
	char *folder = folder_of(path);
	bool there = !folder || !access(folder, F_OK);

	free(folder);
	return there;
}

static int look(struct undo_file *f, struct err *e)
{
	struct stat st;

	if (stat(f->path, &st) < 0) {
		if (errno != ENOENT)
			return err_sys(e, "%s", f->path);
		f->folder_there = have_folder(f->path);
		return 0;
	}
	f->there = true;
	f->mode = st.st_mode & 07777;
	f->uid = st.st_uid;
	f->gid = st.st_gid;
	return io_read_file(AT_FDCWD, f->path, &f->text, FILE_MAX, e);
}

int undo_note(struct undo *u, struct err *e, const char *fmt, ...)
{
	struct undo_file *v = reallocarray(u->v, u->n + 1, sizeof(*v));
	char *path, *real;
	va_list ap;
	int n;

	if (!v)
		return err_set(e, ERR_LIMIT, "out of memory");
	u->v = v;
	va_start(ap, fmt);
	n = vasprintf(&path, fmt, ap);
	va_end(ap);
	if (n < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	real = realpath(path, NULL);
	if (real)
		free(path);
	v += u->n++;
	*v = (struct undo_file){ .path = real ? real : path };
	return look(v, e);
}

/* The file is gone already, or was never made. */
static int take_away(const struct undo_file *f, struct err *e)
{
	char *folder = folder_of(f->path);

	if (unlink(f->path) < 0 && errno != ENOENT && errno != ENOTDIR) {
		free(folder);
		return err_sys(e, "%s", f->path);
	}
	if (folder && !f->folder_there)
		(void)rmdir(folder); /* somebody else's files keep it */
	free(folder);
	return 0;
}

static bool unchanged(const struct undo_file *f)
{
	struct buf now = { 0 };
	bool same = !io_read_file(AT_FDCWD, f->path, &now, FILE_MAX, NULL) &&
		    now.len == f->text.len &&
		    !memcmp(buf_str(&now), buf_str(&f->text), now.len);

	buf_free(&now);
	return same;
}

static int put_back(const struct undo_file *f, struct err *e)
{
	if (!f->there)
		return take_away(f, e);
	if (unchanged(f))
		return 0;
	if (io_replace_file(AT_FDCWD, f->path, buf_str(&f->text), f->text.len,
			    f->mode, e))
		return -1;
	if (chown(f->path, f->uid, f->gid) < 0)
		return err_sys(e, "%s: owner", f->path);
	return 0;
}

void undo_all(struct undo *u, struct err *e)
{
	for (size_t i = u->n; i-- > 0;) {
		struct err why = ERR_INIT;

		if (put_back(&u->v[i], &why))
			err_prefix(e, "not as it was before: %s; the reason",
				   why.msg);
	}
}

void undo_free(struct undo *u)
{
	for (size_t i = 0; i < u->n; i++) {
		free(u->v[i].path);
		buf_free(&u->v[i].text);
	}
	free(u->v);
	*u = (struct undo){ 0 };
}
