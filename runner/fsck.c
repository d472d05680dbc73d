// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Checking the store: every tarball into a fresh index, two indexes compared
 * run by run, files that belong to nothing. Repairs nothing.
 */
#include "fsck.h"
#include "collect.h"
#include "sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct counts {
	unsigned long good, bad;
};

static void on_event(void *arg, enum collect_event ev, const char *box,
		     const char *file, const struct store_read *s,
		     const char *what)
{
	struct counts *n = arg;

	(void)s;
	if (ev == COLLECT_UNREADABLE || ev == COLLECT_LEFT) {
		n->bad++;
		printf("store/%s/%s: %s\n", box, file, what);
	} else {
		n->good++;
	}
}

int fsck_store(const struct home *h, struct index *x, unsigned long *good,
	       unsigned long *bad, struct err *e)
{
	struct counts n = { 0, 0 };
	const struct collect c = { .home = h, .x = x, .event = on_event,
				   .arg = &n };
	int rc = collect_stored(&c, e);

	*good = n.good;
	*bad = n.bad;
	return rc;
}

/* ---- two indexes ------------------------------------------------------------- */

struct digesting {
	struct fsck_digests *to;
	struct sha256 *sha;
	struct buf key; /* "BOX LEASE" of the run being digested */
};

static int end_run(struct digesting *d, struct err *e)
{
	char hex[SHA256_HEX];

	if (!d->sha)
		return 0;
	sha256_hex(d->sha, hex);
	sha256_free(d->sha);
	d->sha = NULL;
	buf_printf(&d->key, " %s", hex);
	if (buf_ok(&d->key, e))
		return -1;
	return strlist_add(&d->to->line, buf_str(&d->key), e);
}

/* "run box=B … lease=L …" starts a run */
static int take_key(struct digesting *d, const char *line, struct err *e)
{
	const char *box = strstr(line, " box="), *lease = strstr(line,
								 " lease=");

	buf_reset(&d->key);
	if (!box || !lease)
		return err_set(e, ERR_FORMAT, "index.db: a run without name");
	buf_add(&d->key, box + 5, strcspn(box + 5, " "));
	buf_puts(&d->key, " ");
	buf_add(&d->key, lease + 7, strcspn(lease + 7, " "));
	d->sha = sha256_new();
	if (!d->sha)
		return err_set(e, ERR_LIMIT, "out of memory");
	return buf_ok(&d->key, e);
}

static int on_line(void *arg, const char *line, struct err *e)
{
	struct digesting *d = arg;

	if (!strncmp(line, "run ", 4) &&
	    (end_run(d, e) || take_key(d, line, e)))
		return -1;
	if (!d->sha)
		return err_set(e, ERR_FORMAT, "index.db: a value of no run");
	sha256_add(d->sha, line, strlen(line) + 1);
	return 0;
}

int fsck_digest(struct index *x, struct fsck_digests *to, struct err *e)
{
	struct digesting d = { .to = to };
	int rc = index_dump(x, on_line, &d, e);

	if (!rc)
		rc = end_run(&d, e);
	sha256_free(d.sha);
	buf_free(&d.key);
	strlist_sort(&to->line);
	return rc;
}

void fsck_digests_free(struct fsck_digests *d)
{
	strlist_free(&d->line);
}

/* The length of "BOX LEASE". */
static size_t key_length(const char *line)
{
	return strlen(line) - (SHA256_HEX - 1) - 1;
}

static int by_key(const char *a, const char *b)
{
	size_t n = key_length(a), m = key_length(b);
	int order = strncmp(a, b, n < m ? n : m);

	return order || n == m ? order : n < m ? -1 : 1;
}

static void say(const char *line, const char *what)
{
	printf("index: %.*s: %s\n", (int)key_length(line), line, what);
}

unsigned long fsck_differences(const struct fsck_digests *old,
			       const struct fsck_digests *fresh)
{
	const struct strlist *a = &old->line, *b = &fresh->line;
	unsigned long n = 0;

	for (size_t i = 0, k = 0; i < a->n || k < b->n;) {
		int order = i == a->n ? 1 : k == b->n ? -1 :
			    by_key(a->v[i], b->v[k]);

		if (!order && strcmp(a->v[i], b->v[k]) != 0) {
			say(a->v[i], "says other than its tarball");
			n++;
		} else if (order < 0) {
			say(a->v[i], "its tarball is not in the store");
			n++;
		} else if (order > 0) {
			say(b->v[k], "is in the store and not indexed");
			n++;
		}
		i += order <= 0;
		k += order >= 0;
	}
	return n;
}

/* ---- files ------------------------------------------------------------------- */

static bool has_reason(const struct strlist *files, const char *file)
{
	char *reason;
	bool has;

	if (asprintf(&reason, "%s.reason", file) < 0)
		return true;
	has = strlist_has(files, reason);
	free(reason);
	return has;
}

static bool is_reason(const char *file)
{
	size_t n = strlen(file);

	return n > 7 && !strcmp(file + n - 7, ".reason");
}

/* What receive and power keep beside the results. */
static bool is_books(const char *file)
{
	static const char *const books[] = { "leases", "logs", "power.log",
					     "state", "state.old" };

	for (size_t i = 0; i < sizeof(books) / sizeof(books[0]); i++)
		if (!strcmp(file, books[i]))
			return true;
	return false;
}

static unsigned long orphans(const char *dir, const char *box,
			     const struct strlist *files)
{
	bool store = !strcmp(dir, "store");
	unsigned long n = 0;

	for (size_t i = 0; i < files->n; i++) {
		const char *f = files->v[i];
		bool known = store ? is_books(f) || collect_is_result(box, f) :
				     is_reason(f) || has_reason(files, f);

		if (known)
			continue;
		printf("%s/%s/%s: %s\n", dir, box, f, store ?
		       "belongs to no result" : "has no reason beside it");
		n++;
	}
	return n;
}

int fsck_orphans(const struct home *h, unsigned long *wrong, struct err *e)
{
	static const char *const dir[] = { "store", "quarantine" };
	int rc = 0;

	for (size_t d = 0; !rc && d < 2; d++) {
		struct strlist boxes = { 0 }, files = { 0 };

		rc = collect_names(h, dir[d], NULL, &boxes, e);
		for (size_t i = 0; !rc && i < boxes.n; i++) {
			char *path = NULL;

			if (asprintf(&path, "%s/%s", dir[d], boxes.v[i]) < 0)
				rc = err_set(e, ERR_LIMIT, "out of memory");
			else
				rc = collect_names(h, path, NULL, &files, e);
			if (!rc) {
				*wrong += orphans(dir[d], boxes.v[i], &files);
				strlist_free(&files);
			}
			free(path);
		}
		strlist_free(&boxes);
	}
	return rc;
}
