// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * One pass of collecting: what is in incoming/ goes to the store and into the
 * index, or to quarantine/ with its reason. When passes happen, and what is
 * said about them, is cmd_collect's.
 */
#include "collect.h"
#include "conf.h"
#include "io.h"
#include "sha256.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_LEN = 512 };

int collect_lock(const struct home *h, struct err *e)
{
	int fd = openat(h->fd, ".collect.lock",
			O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return err_sys(e, "%s/.collect.lock", h->path);
	while (flock(fd, LOCK_EX) < 0)
		if (errno != EINTR) {
			err_sys(e, "%s/.collect.lock", h->path);
			close(fd);
			return -1;
		}
	return fd;
}

static bool has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = suffix ? strlen(suffix) : 0;

	return n > m && (!m || !strcmp(s + n - m, suffix));
}

int collect_names(const struct home *h, const char *dir, const char *suffix,
		  struct strlist *out, struct err *e)
{
	int fd = openat(h->fd, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *de;
	DIR *d;
	int rc = 0;

	*out = (struct strlist){ 0 };
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", dir);
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return err_sys(e, "%s", dir);
	}
	while (!rc && (de = readdir(d)))
		if (*de->d_name != '.' && has_suffix(de->d_name, suffix))
			rc = strlist_add(out, de->d_name, e);
	closedir(d);
	strlist_sort(out);
	if (rc)
		strlist_free(out);
	return rc;
}

static int path_of(char *out, const char *dir, const char *box,
		   const char *file, struct err *e)
{
	int n = snprintf(out, PATH_LEN, "%s/%s%s%s", dir, box, file ? "/" : "",
			 file ? file : "");

	if (n < 0 || n >= PATH_LEN)
		return err_set(e, ERR_LIMIT, "%s/%s: name too long", dir, box);
	return 0;
}

/* ---- moving ------------------------------------------------------------------ */

/* rename(2), durable on both sides; never over a file that exists. */
static int move(const struct home *h, const char *from, const char *to,
		struct err *e)
{
	if (renameat2(h->fd, from, h->fd, to, RENAME_NOREPLACE) < 0)
		return err_sys(e, "%s to %s", from, to);
	if (io_fsync_parent(h->fd, to, e))
		return -1;
	return io_fsync_parent(h->fd, from, e);
}

/* The first of "to", "to.1", … that does not exist. */
static int free_name(const struct home *h, char *to, struct err *e)
{
	size_t len = strlen(to);

	for (int i = 1; i < 1000; i++) {
		struct stat st;

		if (fstatat(h->fd, to, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return errno == ENOENT ? 0 : err_sys(e, "%s", to);
		if (snprintf(to + len, PATH_LEN - len, ".%d", i) >=
		    (int)(PATH_LEN - len))
			break;
	}
	return err_set(e, ERR_LIMIT, "%s: too many of that name", to);
}

static int quarantine(const struct collect *c, const char *box,
		      const char *file, const char *why, struct err *e)
{
	char from[PATH_LEN], to[PATH_LEN], reason[PATH_LEN + 8];
	struct buf text = { 0 };
	int rc;

	if (path_of(from, "incoming", box, file, e) ||
	    path_of(to, "quarantine", box, NULL, e) ||
	    io_mkdir_p(c->home->fd, to, 0755, e) ||
	    path_of(to, "quarantine", box, file, e) ||
	    free_name(c->home, to, e))
		return -1;
	snprintf(reason, sizeof(reason), "%s.reason", to);
	buf_printf(&text, "%s\n", why);
	rc = buf_ok(&text, e);
	if (!rc)
		rc = io_replace_file(c->home->fd, reason, text.data, text.len,
				     0644, e);
	if (!rc)
		rc = move(c->home, from, to, e);
	if (!rc)
		c->event(c->arg, COLLECT_QUARANTINED, box, file, NULL, why);
	buf_free(&text);
	return rc;
}

/* The result says a box and a lease: they must be those of its name. */
static int check_name(const struct store_read *s, const char *box,
		      const char *file, struct err *e)
{
	struct buf name = { 0 };
	int rc = 0;

	if (strcmp(s->r.box, box) != 0)
		return err_set(e, ERR_CONFLICT, "result.cfg says box %s",
			       s->r.box);
	if (result_file_name(s->r.box, s->r.lease, &name, e))
		rc = -1;
	else if (strcmp(buf_str(&name), file) != 0)
		rc = err_set(e, ERR_CONFLICT, "result.cfg says lease %s",
			     s->r.lease);
	buf_free(&name);
	return rc;
}

/* 1: the store holds the same bytes under this name; 0: other bytes. */
static int same_file(const struct home *h, const char *a, const char *b,
		     struct err *e)
{
	char one[SHA256_HEX], two[SHA256_HEX];

	if (sha256_file(h->fd, a, one, e) || sha256_file(h->fd, b, two, e))
		return -1;
	return !strcmp(one, two);
}

/* 1: moved. 0: it was there already, or is in quarantine now. */
static int into_store(const struct collect *c, const char *box,
		      const char *file, struct err *e)
{
	char from[PATH_LEN], to[PATH_LEN];
	int rc;

	if (path_of(to, "store", box, NULL, e) ||
	    io_mkdir_p(c->home->fd, to, 0755, e) ||
	    path_of(from, "incoming", box, file, e) ||
	    path_of(to, "store", box, file, e))
		return -1;
	if (!move(c->home, from, to, e))
		return 1;
	if (e->sys != EEXIST)
		return -1;
	rc = same_file(c->home, from, to, e);
	if (rc < 0)
		return -1;
	if (!rc)
		return quarantine(c, box, file, "the store holds another "
				  "result with this lease", e);
	if (unlinkat(c->home->fd, from, 0) < 0)
		return err_sys(e, "%s", from);
	c->event(c->arg, COLLECT_DUPLICATE, box, file, NULL, "");
	return 0;
}

/* ---- one result -------------------------------------------------------------- */

static int open_at(const struct home *h, const char *dir, const char *box,
		   const char *file, struct err *e)
{
	char path[PATH_LEN];
	int fd;

	if (path_of(path, dir, box, file, e))
		return -1;
	/* NONBLOCK: a fifo of that name must not hold us up */
	fd = openat(h->fd, path,
		    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	return fd < 0 ? err_sys(e, "%s", path) : fd;
}

/* Whether the error is the machine's, not the result's. */
static bool is_ours(const struct err *e)
{
	return (e->kind == ERR_SYS && e->sys != ELOOP && e->sys != ENXIO) ||
	       (e->kind == ERR_LIMIT && !strcmp(e->msg, "out of memory"));
}

static int index_one(const struct collect *c, const char *box,
		     const char *file, const struct store_read *s,
		     enum collect_event ev, struct err *e)
{
	char path[PATH_LEN];

	if (path_of(path, box, file, NULL, e) ||
	    store_index(c->x, s, path, e))
		return -1;
	c->event(c->arg, ev, box, file, s, "");
	return 0;
}

static int take_one(const struct collect *c, struct store_reader *r,
		    const char *box, const char *file, struct err *e)
{
	struct store_read s = { .bytes = 0 };
	struct err why = ERR_INIT;
	int fd = open_at(c->home, "incoming", box, file, &why), rc;

	if (fd < 0 && why.sys == ENOENT)
		return 0; /* gone since it was listed */
	rc = fd < 0 ? -1 : store_read(r, fd, file, &s, &why);
	if (!rc)
		rc = check_name(&s, box, file, &why);
	if (rc && is_ours(&why)) {
		*e = why;
	} else if (rc) {
		rc = quarantine(c, box, file, why.msg, e);
	} else {
		rc = into_store(c, box, file, e);
		if (rc > 0)
			rc = index_one(c, box, file, &s, COLLECT_STORED, e);
	}
	if (fd >= 0)
		close(fd);
	store_read_free(&s);
	return rc;
}

/* The lease in BOX.LEASE.tar.lz4; false: not a name of this box. */
static bool lease_in(const char *box, const char *file,
		     char lease[LEASE_LEN + 1])
{
	size_t n = strlen(box);

	if (strncmp(file, box, n) != 0 || file[n] != '.' ||
	    strlen(file) != n + 1 + LEASE_LEN + strlen(COLLECT_SUFFIX))
		return false;
	memcpy(lease, file + n + 1, LEASE_LEN);
	lease[LEASE_LEN] = '\0';
	return lease_ok(lease);
}

/* What a power cut left between the rename and the index. */
static int index_stored(const struct collect *c, struct store_reader *r,
			const char *box, const char *file, struct err *e)
{
	struct store_read s = { .bytes = 0 };
	char lease[LEASE_LEN + 1];
	struct err why = ERR_INIT;
	int fd, rc;

	if (!lease_in(box, file, lease) || index_has(c->x, box, lease))
		return 0;
	fd = open_at(c->home, "store", box, file, &why);
	rc = fd < 0 ? -1 : store_read(r, fd, file, &s, &why);
	if (!rc)
		rc = check_name(&s, box, file, &why);
	if (!rc) {
		rc = index_one(c, box, file, &s, COLLECT_INDEXED, e);
	} else if (is_ours(&why)) {
		*e = why;
	} else {
		/* nothing is taken out of the store: fsck lists it */
		c->event(c->arg, COLLECT_UNREADABLE, box, file, NULL, why.msg);
		rc = 0;
	}
	if (fd >= 0)
		close(fd);
	store_read_free(&s);
	return rc;
}

/* ---- a pass ------------------------------------------------------------------ */

typedef int each_fn(const struct collect *c, struct store_reader *r,
		    const char *box, const char *file, struct err *e);

/* What one file, or one box's folder, cannot do stops nobody else's. */
static void left(const struct collect *c, const char *box, const char *file,
		 const struct err *e)
{
	c->event(c->arg, COLLECT_LEFT, box, file, NULL, e->msg);
}

static void each_file(const struct collect *c, const char *dir,
		      const char *box, each_fn *fn)
{
	struct store_reader *r = NULL; /* no process before it is asked */
	char path[PATH_LEN];
	struct strlist files;
	struct err e = ERR_INIT;

	if (path_of(path, dir, box, NULL, &e) ||
	    collect_names(c->home, path, COLLECT_SUFFIX, &files, &e)) {
		left(c, box, "", &e);
		return;
	}
	if (store_reader_new(NULL, &r, &e))
		left(c, box, "", &e);
	for (size_t i = 0; r && i < files.n && !(c->stop && *c->stop); i++) {
		e = (struct err)ERR_INIT;
		if (fn(c, r, box, files.v[i], &e))
			left(c, box, files.v[i], &e);
	}
	store_reader_free(r);
	strlist_free(&files);
}

static int each_box(const struct collect *c, const char *dir, each_fn *fn,
		    struct err *e)
{
	struct strlist boxes;
	int rc = collect_names(c->home, dir, NULL, &boxes, e);

	for (size_t i = 0; !rc && i < boxes.n; i++)
		if (conf_name_ok(boxes.v[i]))
			each_file(c, dir, boxes.v[i], fn);
	strlist_free(&boxes);
	return rc;
}

bool collect_is_result(const char *box, const char *file)
{
	char lease[LEASE_LEN + 1];

	return lease_in(box, file, lease);
}

int collect_stored(const struct collect *c, struct err *e)
{
	return each_box(c, "store", index_stored, e);
}

int collect_incoming(const struct collect *c, struct err *e)
{
	return each_box(c, "incoming", take_one, e);
}

int collect_pass(const struct collect *c, struct err *e)
{
	int rc = collect_stored(c, e);

	return collect_incoming(c, rc ? NULL : e) || rc ? -1 : 0;
}
