// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Writes one initramfs member: collects entries, sorts them, adds the folders
 * above them and the manifest behind them, compresses and pads. What goes into
 * which member is the caller's (image.c, modset.c, overlay.c).
 */
#include "cpio.h"

#include "image.h"
#include "io.h"
#include "lz4stream.h"
#include "num.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

/*
 * The kernel takes up to 3 zero bytes behind an LZ4 member for the start of a
 * block and loses the next member, partly without a message; from 4 on they
 * end the member. 512 is cpio's own block.
 */
enum { PAD_MIN = 4, PAD_TO = 512, FILE_MAX_BYTES = 512 << 20 };

struct entry {
	char *path;
	char *data; /* content, or a link's target */
	size_t n;
	mode_t mode;
	unsigned int dev_major, dev_minor;
};

struct cpio {
	char *member;
	struct entry *v;
	size_t n, cap;
};

struct cpio *cpio_new(const char *member, struct err *e)
{
	struct cpio *c = calloc(1, sizeof(*c));

	if (c)
		c->member = strdup(member);
	if (!c || !c->member) {
		free(c);
		err_set(e, ERR_LIMIT, "out of memory");
		return NULL;
	}
	return c;
}

void cpio_free(struct cpio *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].path);
		free(c->v[i].data);
	}
	free(c->v);
	free(c->member);
	free(c);
}

/* data becomes the archive's, also on failure. */
static int add(struct cpio *c, const char *path, mode_t mode, char *data,
	       size_t n, struct err *e)
{
	struct entry *to;

	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 64;
		struct entry *v = reallocarray(c->v, cap, sizeof(*v));

		if (!v)
			goto nomem;
		c->v = v;
		c->cap = cap;
	}
	to = &c->v[c->n];
	*to = (struct entry){ .path = strdup(path), .data = data, .n = n,
			      .mode = mode };
	if (!to->path)
		goto nomem;
	c->n++;
	return 0;
nomem:
	free(data);
	return err_set(e, ERR_LIMIT, "%s: out of memory", path);
}

int cpio_dir(struct cpio *c, const char *path, mode_t mode, struct err *e)
{
	return add(c, path, S_IFDIR | mode, NULL, 0, e);
}

int cpio_file(struct cpio *c, const char *path, mode_t mode, const void *p,
	      size_t n, struct err *e)
{
	char *data = malloc(n + 1);

	if (!data)
		return err_set(e, ERR_LIMIT, "%s: out of memory", path);
	memcpy(data, p, n);
	return add(c, path, S_IFREG | mode, data, n, e);
}

int cpio_take(struct cpio *c, const char *path, mode_t mode, struct buf *b,
	      struct err *e)
{
	char *data = b->data;
	size_t n = b->len;

	if (buf_ok(b, e))
		return err_prefix(e, "%s", path);
	*b = (struct buf){ 0 };
	return add(c, path, S_IFREG | mode, data, n, e);
}

int cpio_link(struct cpio *c, const char *path, const char *target,
	      struct err *e)
{
	char *copy = strdup(target);

	if (!copy)
		return err_set(e, ERR_LIMIT, "%s: out of memory", path);
	return add(c, path, S_IFLNK | 0777, copy, strlen(copy), e);
}

int cpio_node(struct cpio *c, const char *path, mode_t mode,
	      unsigned int dev_major, unsigned int dev_minor, struct err *e)
{
	if (add(c, path, S_IFCHR | mode, NULL, 0, e))
		return -1;
	c->v[c->n - 1].dev_major = dev_major;
	c->v[c->n - 1].dev_minor = dev_minor;
	return 0;
}

int cpio_copy(struct cpio *c, const char *path, mode_t mode, int dirfd,
	      const char *from, struct err *e)
{
	struct buf b = { 0 };

	if (io_read_file(dirfd, from, &b, FILE_MAX_BYTES, e)) {
		buf_free(&b);
		return -1;
	}
	return cpio_take(c, path, mode, &b, e);
}

/* ---- packing --------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static bool has_dir(const struct cpio *c, size_t sorted, const char *path)
{
	struct entry key = { .path = (char *)path };

	return bsearch(&key, c->v, sorted, sizeof(key), by_path);
}

/*
 * Adds the folders above entry i that nobody added. Paths with a common
 * beginning stand together, so the entry before has had the shared ones.
 */
static int add_parents_of(struct cpio *c, size_t i, size_t given,
			  struct err *e)
{
	const char *before = i ? c->v[i - 1].path : "";
	char *path = strdup(c->v[i].path);
	int rc = 0;

	if (!path)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (char *s = path; !rc && (s = strchr(s, '/')); s++) {
		if (!strncmp(before, path, (size_t)(s - path) + 1))
			continue;
		*s = '\0';
		if (!has_dir(c, given, path))
			rc = cpio_dir(c, path, 0755, e);
		*s = '/';
	}
	free(path);
	return rc;
}

static int add_parents(struct cpio *c, struct err *e)
{
	size_t given = c->n;

	qsort(c->v, c->n, sizeof(*c->v), by_path);
	for (size_t i = 1; i < given; i++)
		if (!strcmp(c->v[i - 1].path, c->v[i].path))
			return err_set(e, ERR_CONFLICT, "%s: given twice",
				       c->v[i].path);
	for (size_t i = 0; i < given; i++)
		if (add_parents_of(c, i, given, e))
			return -1;
	qsort(c->v, c->n, sizeof(*c->v), by_path);
	return 0;
}

static int data_sha256(const void *p, size_t n, char out[SHA256_HEX],
		       struct err *e)
{
	struct sha256 *s = sha256_new();

	if (!s)
		return err_set(e, ERR_LIMIT, "out of memory");
	sha256_add(s, p, n);
	sha256_hex(s, out);
	sha256_free(s);
	return 0;
}

static int manifest(const struct cpio *c, struct buf *out,
		    struct cpio_made *made, struct err *e)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct entry *en = &c->v[i];
		char hex[SHA256_HEX];

		if (!S_ISREG(en->mode))
			continue;
		if (data_sha256(en->data, en->n, hex, e))
			return -1;
		buf_printf(out, "%s  %s\n", hex, en->path);
		made->files++;
		made->unpacked += en->n;
	}
	if (buf_ok(out, e))
		return -1;
	return data_sha256(buf_str(out), out->len, made->manifest_sha256, e);
}

static void pad(struct buf *out, size_t start, size_t least, size_t to)
{
	static const char zeros[PAD_TO + PAD_MIN];
	size_t n = least;

	while ((out->len - start + n) % to)
		n++;
	buf_add(out, zeros, n);
}

static void put_entry(struct buf *out, const struct entry *en, size_t ino,
		      unsigned long mtime_s)
{
	unsigned int nlink = S_ISDIR(en->mode) ? 2 : 1;

	buf_printf(out, "070701%08zX%08X%08X%08X%08X%08lX%08zX%08X%08X%08X%08X"
		   "%08zX%08X",
		   ino, (unsigned int)en->mode, 0U, 0U, nlink, mtime_s, en->n,
		   0U, 0U, en->dev_major, en->dev_minor, strlen(en->path) + 1,
		   0U);
	buf_add(out, en->path, strlen(en->path) + 1);
	pad(out, 0, 0, 4);
	if (en->n)
		buf_add(out, en->data, en->n);
	pad(out, 0, 0, 4);
}

/*
 * Entries into raw, each freed when it is in: the content is not twice in
 * memory for longer than it must be.
 */
static int put_entries(struct cpio *c, const char *name,
		       const struct buf *list, struct buf *raw, struct err *e)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	const struct entry end = { .path = (char *)"TRAILER!!!" };
	struct entry last = { .path = (char *)name, .data = list->data,
			      .n = list->len, .mode = S_IFREG | 0644 };
	uint64_t mtime_s = 0;

	if (epoch && num_u64(epoch, UINT32_MAX, &mtime_s, e))
		return err_prefix(e, "SOURCE_DATE_EPOCH");
	for (size_t i = 0; i < c->n; i++) {
		put_entry(raw, &c->v[i], i + 1, (unsigned long)mtime_s);
		free(c->v[i].data);
		c->v[i].data = NULL;
	}
	put_entry(raw, &last, c->n + 1, (unsigned long)mtime_s);
	put_entry(raw, &end, 0, 0);
	return buf_ok(raw, e);
}

static int to_buf(void *arg, const void *p, size_t n, struct err *e)
{
	buf_add(arg, p, n);
	return buf_ok(arg, e);
}

/* Raw deflate inside our own gzip wrapper: header without name and time. */
static int gzip(const struct buf *raw, struct buf *out, struct err *e)
{
	z_stream z = { .next_in = (Bytef *)raw->data,
		       .avail_in = (uInt)raw->len };
	int rc;

	/* 15 + 16: the largest window, gzip format (zlib.h) */
	if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return err_set(e, ERR_LIMIT, "gzip: out of memory");
	do {
		const size_t piece = 1 << 20;

		z.next_out = buf_room(out, piece);
		z.avail_out = (uInt)piece;
		if (!z.next_out)
			break;
		rc = deflate(&z, Z_FINISH);
		out->len += piece - z.avail_out;
	} while (rc == Z_OK);
	deflateEnd(&z);
	return buf_ok(out, e);
}

static int compress_to(enum cpio_compress how, const struct buf *raw,
		       struct buf *out, struct err *e)
{
	switch (how) {
	case CPIO_LZ4:
		return lz4_legacy_compress(raw->data, raw->len, to_buf, out,
					   e);
	case CPIO_GZIP:
		return gzip(raw, out, e);
	case CPIO_PLAIN:
		break;
	}
	buf_add(out, raw->data, raw->len);
	return buf_ok(out, e);
}

int cpio_pack(struct cpio *c, enum cpio_compress how, struct buf *out,
	      struct cpio_made *made, struct err *e)
{
	struct buf list = { 0 }, raw = { 0 }, name = { 0 };
	size_t start = out->len;
	int rc = -1;

	*made = (struct cpio_made){ .files = 0 };
	buf_printf(&name, IMAGE_MEMBERS_DIR "/%s", c->member);
	if (buf_ok(&name, e) || cpio_dir(c, IMAGE_MEMBERS_DIR, 0755, e) ||
	    add_parents(c, e) || manifest(c, &list, made, e) ||
	    put_entries(c, name.data, &list, &raw, e) ||
	    compress_to(how, &raw, out, e))
		goto out;
	pad(out, start, PAD_MIN, PAD_TO);
	rc = buf_ok(out, e);
	made->packed = out->len - start;
out:
	buf_free(&list);
	buf_free(&raw);
	buf_free(&name);
	return rc ? err_prefix(e, "member %s", c->member) : 0;
}

int cpio_compress_parse(const char *s, enum cpio_compress *how, struct err *e)
{
	static const char *const name[] = { "none", "lz4", "gzip" };

	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
		if (!strcmp(s, name[i])) {
			*how = (enum cpio_compress)i;
			return 0;
		}
	}
	return err_set(e, ERR_INPUT, "\"%s\": expected lz4, gzip or none", s);
}
