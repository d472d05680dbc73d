// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Pull-based reader of results: source -> LZ4 frame -> libarchive's tar
 * reader, under limits. The only file that knows libarchive. What the members
 * mean is left to its callers.
 *
 * libarchive is lenient where a result may not be: it takes an end of input
 * for the end of a tar, stops at the first zero block and reads nothing
 * behind it. So the unpacked stream is watched on its way in: where its last
 * byte that is not zero stood, and how long it was.
 */
#include "archive.h"
#include "lz4stream.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

enum {
	BLOCK = 512,
	RECORD = 20 * BLOCK, /* tar pads its output to this */
	PIECE = 256 << 10,   /* unpacked bytes handed on at a time */
};

struct archive_reader {
	struct archive *tar;
	struct archive_entry *entry; /* owned by tar */
	const struct verify_limits *limits;
	verify_source *src;
	void *arg;
	struct lz4_reader *lz4;
	const void *in; /* packed bytes not yet decoded */
	size_t nin;
	bool in_ended;
	uint64_t packed, unpacked;
	uint64_t last_nonzero; /* offset behind the last byte that is not 0 */
	unsigned int entries;
	uint64_t entry_bytes; /* handed out of the current member */
	void *names;	      /* tsearch(3) tree of struct seen */
	char *name;	      /* the current member's */
	bool failed;	      /* the source, frame or a limit: see .why */
	struct err why;
	char out[PIECE];
};

struct seen {
	bool dir;
	char name[];
};

static int by_name(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* ---- unpacked bytes -------------------------------------------------------- */

static int more_input(struct archive_reader *a, struct err *e)
{
	ssize_t n;

	if (a->nin || a->in_ended)
		return 0;
	n = a->src(a->arg, &a->in, e);
	if (n < 0)
		return -1;
	a->nin = (size_t)n;
	a->packed += (uint64_t)n;
	a->in_ended = n == 0;
	return 0;
}

static void watch_zeros(struct archive_reader *a, size_t n)
{
	size_t at = n;

	while (at && !a->out[at - 1])
		at--;
	if (at)
		a->last_nonzero = a->unpacked + at;
	a->unpacked += n;
}

static int within_limits(const struct archive_reader *a, struct err *e)
{
	const struct verify_limits *l = a->limits;

	if (a->unpacked > l->unpacked_max)
		return err_set(e, ERR_LIMIT, "unpacks to more than %llu bytes",
			       (unsigned long long)l->unpacked_max);
	return 0;
}

/* The next unpacked bytes in a->out; 0: the frame and the source ended. */
static ssize_t unpack(struct archive_reader *a, struct err *e)
{
	for (;;) {
		size_t n = sizeof(a->out);

		if (more_input(a, e))
			return -1;
		if (!a->nin && a->in_ended) {
			if (lz4_reader_ended(a->lz4))
				return 0;
			return err_set(e, ERR_PEER,
				       "LZ4 frame cut after %llu bytes",
				       (unsigned long long)a->packed);
		}
		if (lz4_reader_run(a->lz4, &a->in, &a->nin, a->out, &n, e))
			return -1;
		if (!n)
			continue;
		watch_zeros(a, n);
		if (within_limits(a, e))
			return -1;
		return (ssize_t)n;
	}
}

static la_ssize_t tar_read(struct archive *tar, void *arg, const void **p)
{
	struct archive_reader *a = arg;
	ssize_t n = a->failed ? -1 : unpack(a, &a->why);

	if (n < 0) {
		a->failed = true;
		archive_set_error(tar, EIO, "input");
		return -1;
	}
	*p = a->out;
	return n;
}

/* ---- members --------------------------------------------------------------- */

static int fail(struct archive_reader *a, struct err *e)
{
	const char *text = archive_error_string(a->tar);

	if (a->failed) {
		*e = a->why;
		return -1;
	}
	return err_set(e, ERR_FORMAT, "not a tar: %s",
		       text ? text : "unknown error");
}

int archive_open(verify_source *src, void *arg, const struct verify_limits *l,
		 struct archive_reader **out, struct err *e)
{
	struct archive_reader *a = calloc(1, sizeof(*a));

	if (!a)
		return err_set(e, ERR_LIMIT, "out of memory");
	*a = (struct archive_reader){ .limits = l, .src = src, .arg = arg };
	a->lz4 = lz4_reader_new(e);
	a->tar = archive_read_new();
	if (!a->lz4)
		goto fail;
	if (!a->tar || archive_read_support_filter_none(a->tar) ||
	    archive_read_support_format_tar(a->tar)) {
		err_set(e, ERR_LIMIT, "out of memory");
		goto fail;
	}
	if (archive_read_open(a->tar, a, NULL, tar_read, NULL) != ARCHIVE_OK) {
		fail(a, e);
		goto fail;
	}
	*out = a;
	return 0;
fail:
	archive_close(a);
	return -1;
}

/* Makes a->name from the entry's; a folder's may end in one '/'. */
static int take_name(struct archive_reader *a, bool dir, struct err *e)
{
	const char *s = archive_entry_pathname(a->entry);
	size_t len = s ? strlen(s) : 0;

	if (dir && len && s[len - 1] == '/')
		len--;
	free(a->name);
	a->name = NULL;
	if (!len) {
		err_set(e, ERR_FORMAT, "member %u has no name", a->entries);
		return -1;
	}
	a->name = strndup(s, len);
	if (!a->name) {
		err_set(e, ERR_LIMIT, "out of memory");
		return -1;
	}
	for (const char *p = a->name; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return err_set(e, ERR_FORMAT,
				       "member %u has a control character in "
				       "its name", a->entries);
	if (*a->name == '/')
		return err_set(e, ERR_FORMAT, "absolute name \"%s\"", a->name);
	for (const char *p = a->name;; p++) {
		size_t n = strcspn(p, "/");

		if (!n || (n == 1 && *p == '.') ||
		    (n == 2 && p[0] == '.' && p[1] == '.'))
			return err_set(e, ERR_FORMAT,
				       "name \"%s\" leaves its folder or is "
				       "not plain", a->name);
		p += n;
		if (!*p)
			return 0;
	}
}

static const struct seen *find(struct archive_reader *a, const char *name,
			       size_t len)
{
	struct seen *key = malloc(sizeof(*key) + len + 1);
	struct seen *const *hit;

	if (!key)
		return NULL;
	memcpy(key->name, name, len);
	key->name[len] = '\0';
	hit = tfind(key, &a->names, by_name);
	free(key);
	return hit ? *hit : NULL;
}

/* Remembers the name; a second one, or a file used as a folder, is refused. */
static int take_place(struct archive_reader *a, bool dir, struct err *e)
{
	size_t len = strlen(a->name);
	struct seen *s, **at;

	for (const char *p = strchr(a->name, '/'); p; p = strchr(p + 1, '/')) {
		const struct seen *up = find(a, a->name,
					     (size_t)(p - a->name));

		if (up && !up->dir)
			return err_set(e, ERR_FORMAT,
				       "\"%s\" lies below a file", a->name);
	}
	s = malloc(sizeof(*s) + len + 1);
	if (!s)
		return err_set(e, ERR_LIMIT, "out of memory");
	s->dir = dir;
	memcpy(s->name, a->name, len + 1);
	at = (struct seen **)tsearch(s, &a->names, by_name);
	if (at && *at == s)
		return 0;
	free(s);
	if (!at)
		return err_set(e, ERR_LIMIT, "out of memory");
	return err_set(e, ERR_FORMAT, "\"%s\" occurs twice", a->name);
}

static int check_kind(const struct archive_reader *a, bool *dir,
		      struct err *e)
{
	mode_t type = archive_entry_filetype(a->entry);
	const char *s = archive_entry_pathname(a->entry), *what = NULL;

	*dir = type == AE_IFDIR;
	if (archive_entry_hardlink(a->entry))
		what = "a hard link";
	else if (type == AE_IFLNK)
		what = "a symbolic link";
	else if (type != AE_IFREG && type != AE_IFDIR)
		what = "a device or special file";
	else if (archive_entry_sparse_count(a->entry))
		what = "a sparse file";
	if (!what)
		return 0;
	return err_set(e, ERR_FORMAT, "\"%.128s\" is %s", s ? s : "", what);
}

/*
 * header_position is where libarchive met the first zero block (or the end
 * of input, which it also takes for an end).
 */
static int check_end(struct archive_reader *a, struct err *e)
{
	uint64_t end = (uint64_t)archive_read_header_position(a->tar);
	ssize_t n;

	while ((n = unpack(a, e)) > 0)
		;
	if (n < 0)
		return -1;
	if (a->last_nonzero > end)
		return err_set(e, ERR_FORMAT, "data behind the tar's end at "
			       "byte %llu", (unsigned long long)end);
	if (a->unpacked < end + 2 * BLOCK)
		return err_set(e, ERR_FORMAT, "tar cut at byte %llu: no two "
			       "zero blocks", (unsigned long long)a->unpacked);
	if (a->unpacked % BLOCK || a->unpacked - end > RECORD + BLOCK)
		return err_set(e, ERR_FORMAT, "%llu bytes behind the tar's "
			       "end", (unsigned long long)(a->unpacked - end));
	return 0;
}

int archive_next(struct archive_reader *a, struct archive_member *m,
		 struct err *e)
{
	int rc = archive_read_next_header(a->tar, &a->entry);
	bool dir;

	if (rc == ARCHIVE_EOF && !a->failed)
		return check_end(a, e);
	/* a warning is a name or header that libarchive could not read */
	if (rc != ARCHIVE_OK)
		return fail(a, e);
	a->entry_bytes = 0;
	if (++a->entries > a->limits->entries_max)
		return err_set(e, ERR_LIMIT, "more than %u members",
			       a->limits->entries_max);
	if (check_kind(a, &dir, e) || take_name(a, dir, e) ||
	    take_place(a, dir, e))
		return -1;
	if (archive_entry_size(a->entry) < 0 ||
	    (dir && archive_entry_size(a->entry)))
		return err_set(e, ERR_FORMAT, "\"%s\" has no usable size",
			       a->name);
	*m = (struct archive_member){
		.name = a->name,
		.size = (uint64_t)archive_entry_size(a->entry),
		.dir = dir,
	};
	if (m->size > a->limits->entry_max)
		return err_set(e, ERR_LIMIT, "\"%s\" is larger than %llu "
			       "bytes", a->name,
			       (unsigned long long)a->limits->entry_max);
	return 1;
}

ssize_t archive_data(struct archive_reader *a, const void **p, struct err *e)
{
	la_int64_t offset;
	size_t n;
	int rc;

	do
		rc = archive_read_data_block(a->tar, p, &n, &offset);
	while (rc == ARCHIVE_OK && !n);
	if (rc == ARCHIVE_EOF && !a->failed)
		return 0;
	if (rc != ARCHIVE_OK) {
		fail(a, e);
		return err_prefix(e, "%s", a->name);
	}
	if ((uint64_t)offset != a->entry_bytes)
		return err_set(e, ERR_FORMAT, "\"%s\" has holes", a->name);
	a->entry_bytes += n;
	return (ssize_t)n;
}

int archive_slurp(struct archive_reader *a, struct buf *b, size_t max,
		  struct err *e)
{
	size_t had = b->len;
	const void *p;
	ssize_t n;

	while ((n = archive_data(a, &p, e)) > 0) {
		if (b->len - had + (size_t)n > max)
			return err_set(e, ERR_LIMIT,
				       "\"%s\" is larger than %zu bytes",
				       a->name, max);
		buf_add(b, p, (size_t)n);
	}
	return n < 0 ? -1 : buf_ok(b, e);
}

void archive_close(struct archive_reader *a)
{
	if (!a)
		return;
	if (a->tar)
		archive_read_free(a->tar);
	lz4_reader_free(a->lz4);
	tdestroy(a->names, free);
	free(a->name);
	free(a);
}
