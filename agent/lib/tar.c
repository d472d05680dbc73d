// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A tar writer: ustar headers, pax records where ustar's fields are too small,
 * nothing that depends on the machine (owner, modes, order of names). Where
 * the bytes go is the sink's business; reading tar is libarchive's.
 */
#include "tar.h"
#include "buf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK	       512
#define SIZE_MAX_USTAR 077777777777ULL /* eleven octal digits: 8 GiB - 1 */
#define NAME_MAX_TAR   4095 /* PATH_MAX without its NUL */
#define DEPTH_MAX      64 /* folders; a job may make any tree it likes */

struct header { /* POSIX.1-1988, "ustar interchange format" */
	char name[100];
	char mode[8], uid[8], gid[8], size[12], mtime[12], sum[8];
	char type;
	char link[100];
	char magic[6], version[2];
	char uname[32], gname[32];
	char devmajor[8], devminor[8];
	char prefix[155];
	char pad[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is one block");

static int zeros(struct tar_writer *t, uint64_t n, struct err *e)
{
	static const char zero[8192];

	while (n) {
		size_t piece = n < sizeof(zero) ? (size_t)n : sizeof(zero);

		if (t->sink(t->arg, zero, piece, e))
			return -1;
		n -= piece;
	}
	return 0;
}

static uint64_t padding(uint64_t size)
{
	return (BLOCK - size % BLOCK) % BLOCK;
}

/* n bytes of field: digits and a NUL. v fits: the callers see to it. */
static void octal(char *field, size_t n, uint64_t v)
{
	field[--n] = '\0';
	while (n) {
		field[--n] = (char)('0' + (v & 7));
		v >>= 3;
	}
}

/* The name over the two fields, split at a '/'. False when it does not fit. */
static bool split_name(struct header *h, const char *name)
{
	size_t len = strlen(name);

	if (len <= sizeof(h->name)) {
		memcpy(h->name, name, len);
		return true;
	}
	for (size_t i = len - sizeof(h->name) - 1; i < len - 1; i++) {
		if (i > sizeof(h->prefix))
			break;
		if (!i || name[i] != '/')
			continue;
		memcpy(h->prefix, name, i);
		memcpy(h->name, name + i + 1, len - i - 1);
		return true;
	}
	return false;
}

static int put_header(struct tar_writer *t, struct header *h, char type,
		      uint64_t size, struct err *e)
{
	const unsigned char *p = (const unsigned char *)h;
	unsigned int sum = 0;

	octal(h->mode, sizeof(h->mode), type == '5' ? 0755 : 0644);
	octal(h->uid, sizeof(h->uid), 0);
	octal(h->gid, sizeof(h->gid), 0);
	octal(h->size, sizeof(h->size),
	      size > SIZE_MAX_USTAR ? SIZE_MAX_USTAR : size);
	octal(h->mtime, sizeof(h->mtime),
	      t->mtime_s < 0 ? 0 : (uint64_t)t->mtime_s & SIZE_MAX_USTAR);
	h->type = type;
	memcpy(h->magic, "ustar", 6);
	memcpy(h->version, "00", 2);
	memset(h->sum, ' ', sizeof(h->sum));
	for (size_t i = 0; i < sizeof(*h); i++)
		sum += p[i];
	octal(h->sum, sizeof(h->sum) - 1, sum); /* then NUL, then the blank */
	return t->sink(t->arg, h, sizeof(*h), e);
}

/* "LENGTH KEY=VALUE\n", where LENGTH counts its own digits too. */
static void pax_record(struct buf *b, const char *key, const char *value)
{
	size_t body = strlen(key) + strlen(value) + 3, total = body, was;
	char digits[24];

	do {
		was = total;
		total = body +
			(size_t)snprintf(digits, sizeof(digits), "%zu", was);
	} while (total != was);
	buf_printf(b, "%zu %s=%s\n", total, key, value);
}

static int put_pax(struct tar_writer *t, const char *path, uint64_t size,
		   struct err *e)
{
	struct header h = { .name = "PaxHeaders/member" };
	struct buf b = { 0 };
	char digits[24];
	int rc;

	/*
	 * A pax path is UTF-8 to be changed into the reader's character set,
	 * and libarchive refuses what has no place in that (all but ASCII for
	 * a program of locale C, as ours are): the bytes are the name.
	 */
	for (const char *p = path; p && *p; p++)
		if ((unsigned char)*p > 0x7f) {
			pax_record(&b, "hdrcharset", "BINARY");
			break;
		}
	if (path)
		pax_record(&b, "path", path);
	if (size > SIZE_MAX_USTAR) {
		snprintf(digits, sizeof(digits), "%llu",
			 (unsigned long long)size);
		pax_record(&b, "size", digits);
	}
	rc = buf_ok(&b, e);
	if (!rc)
		rc = put_header(t, &h, 'x', b.len, e);
	if (!rc)
		rc = t->sink(t->arg, b.data, b.len, e);
	if (!rc)
		rc = zeros(t, padding(b.len), e);
	buf_free(&b);
	return rc;
}

/* Relative, without "." and ".." and empty parts: what a reader will take. */
static bool name_ok(const char *name)
{
	size_t len = strlen(name);

	if (!len || len > NAME_MAX_TAR)
		return false;
	for (const char *p = name;;) {
		size_t part = strcspn(p, "/");

		if (!part || (part == 1 && p[0] == '.') ||
		    (part == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		if (!p[part])
			return true;
		p += part + 1;
	}
}

static int member(struct tar_writer *t, const char *name, char type,
		  uint64_t size, struct err *e)
{
	struct header h = { .name = "" };
	char stored[NAME_MAX_TAR + 2];
	bool fits;

	if (t->left)
		return err_set(e, ERR_FORMAT, "tar: the last file is open");
	if (!name_ok(name))
		return err_set(e, ERR_INPUT, "tar: name \"%.128s\"", name);
	snprintf(stored, sizeof(stored), "%s%s", name, type == '5' ? "/" : "");
	fits = split_name(&h, stored);
	if (!fits)
		memcpy(h.name, stored, sizeof(h.name));
	if ((!fits || size > SIZE_MAX_USTAR) &&
	    put_pax(t, fits ? NULL : stored, size, e))
		return -1;
	return put_header(t, &h, type, size, e);
}

int tar_dir(struct tar_writer *t, const char *name, struct err *e)
{
	return member(t, name, '5', 0, e);
}

int tar_file(struct tar_writer *t, const char *name, uint64_t size,
	     struct err *e)
{
	if (member(t, name, '0', size, e))
		return -1;
	t->size = t->left = size;
	return 0;
}

int tar_data(struct tar_writer *t, const void *p, size_t n, struct err *e)
{
	if (n > t->left)
		return err_set(e, ERR_LIMIT,
			       "tar: %zu bytes more than the header says",
			       n - (size_t)t->left);
	t->left -= n;
	return n ? t->sink(t->arg, p, n, e) : 0;
}

int tar_file_end(struct tar_writer *t, struct err *e)
{
	uint64_t n = t->left + padding(t->size);

	t->size = t->left = 0;
	return zeros(t, n, e);
}

int tar_add(struct tar_writer *t, const char *name, const void *p, size_t n,
	    struct err *e)
{
	if (tar_file(t, name, n, e) || tar_data(t, p, n, e))
		return -1;
	return tar_file_end(t, e);
}

/* Copies until the header's size is reached or the file ends. */
static int copy_fd(struct tar_writer *t, int fd, struct err *e)
{
	char piece[32768];

	while (t->left) {
		size_t want = t->left < sizeof(piece) ? (size_t)t->left
						      : sizeof(piece);
		ssize_t got = read(fd, piece, want);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(e, "read");
		if (!got)
			break;
		if (tar_data(t, piece, (size_t)got, e))
			return -1;
	}
	return 0;
}

int tar_add_fd(struct tar_writer *t, const char *name, int fd, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, "%s", name);
	if (tar_file(t, name, (uint64_t)st.st_size, e))
		return -1;
	if (copy_fd(t, fd, e))
		return err_prefix(e, "%s", name);
	return tar_file_end(t, e);
}

static int list_names(int dirfd, struct strlist *names, struct err *e)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *de;
	int rc = 0;

	if (!d) {
		err_sys(e, "opendir");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (!rc && (de = readdir(d)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			rc = strlist_add(names, de->d_name, e);
	closedir(d);
	strlist_sort(names);
	return rc;
}

static int add_tree(struct tar_writer *t, const char *prefix, int dirfd,
		    unsigned int depth, struct err *e);

static int add_entry(struct tar_writer *t, const char *prefix, int dirfd,
		     const char *name, unsigned int depth, struct err *e)
{
	struct buf path = { 0 };
	struct stat st;
	int fd, rc;

	/* the type first: opening a device or a FIFO would act on it */
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", name);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return 0;
	fd = openat(dirfd, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", name);
	buf_printf(&path, "%s%s%s", prefix, *prefix ? "/" : "", name);
	rc = buf_ok(&path, e);
	if (!rc && (fstat(fd, &st) < 0))
		rc = err_sys(e, "%s", path.data);
	if (!rc && S_ISREG(st.st_mode))
		rc = tar_add_fd(t, path.data, fd, e);
	else if (!rc && S_ISDIR(st.st_mode))
		rc = add_tree(t, path.data, fd, depth + 1, e);
	close(fd);
	buf_free(&path);
	return rc;
}

static int add_tree(struct tar_writer *t, const char *prefix, int dirfd,
		    unsigned int depth, struct err *e)
{
	struct strlist names = { 0 };
	int rc;

	if (depth > DEPTH_MAX || strlen(prefix) + 256 > NAME_MAX_TAR)
		return 0;
	rc = *prefix ? tar_dir(t, prefix, e) : 0;
	if (!rc)
		rc = list_names(dirfd, &names, e);
	for (size_t i = 0; !rc && i < names.n; i++)
		rc = add_entry(t, prefix, dirfd, names.v[i], depth, e);
	strlist_free(&names);
	return rc;
}

int tar_add_tree(struct tar_writer *t, const char *prefix, int dirfd,
		 struct err *e)
{
	return add_tree(t, prefix, dirfd, 0, e);
}

int tar_end(struct tar_writer *t, struct err *e)
{
	if (t->left)
		return err_set(e, ERR_FORMAT, "tar: the last file is open");
	return zeros(t, 2 * BLOCK, e);
}
