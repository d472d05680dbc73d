// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * `ironrig fsck [--rebuild]`: reads every tarball of the store into a fresh
 * index and compares it with the one there is; lists what belongs to nothing.
 * Takes nothing away: a tarball that cannot be read is named, not moved.
 */
#include "cmd.h"
#include "collect.h"
#include "conf.h"
#include "fsck.h"
#include "io.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
	"usage: ironrig fsck [--rebuild]\n"
	"\n"
	"Verifies every result in the store, compares the index with what they\n"
	"say, and lists files and rows that belong to nothing.\n"
	"\n"
	"  --rebuild  puts the index that the tarballs say in place\n"
	"\n"
	"Exit status: 0 all is well (or was rebuilt); 1 something is not.\n";

static int in_home(const struct home *h, const char *name, char **path,
		   struct err *e)
{
	if (asprintf(path, "%s/%s", h->path, name) < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	return 0;
}

/* The fresh index takes the old one's place, under the lock. */
static int put_in_place(const struct home *h, struct err *e)
{
	if (index_delete(h->path, e))
		return -1;
	if (renameat(h->fd, ".fsck/index.db", h->fd, "index.db") < 0)
		return err_sys(e, "%s/index.db", h->path);
	return io_fsync_parent(h->fd, "index.db", e);
}

static int compare_old(const struct home *h, const struct fsck_digests *fresh,
		       unsigned long *wrong, struct err *e)
{
	struct fsck_digests old = { 0 };
	struct err why = ERR_INIT;
	struct index *x = NULL;
	int rc = 0;

	/* no index is an empty one; one of another version is wrong as such */
	if (index_open_read(h->path, &x, &why) && why.kind != ERR_NOTFOUND) {
		printf("index: %s\n", why.msg);
		++*wrong;
		return 0;
	}
	if (x)
		rc = fsck_digest(x, &old, e);
	index_close(x);
	if (!rc)
		*wrong += fsck_differences(&old, fresh);
	fsck_digests_free(&old);
	return rc;
}

static int check(const struct home *h, bool rebuild, unsigned long *wrong,
		 struct err *e)
{
	struct fsck_digests fresh = { 0 };
	struct index *x = NULL;
	unsigned long bad = 0, good = 0;
	char *tmp = NULL;
	int rc;

	if (in_home(h, ".fsck", &tmp, e))
		return -1;
	rc = io_remove_tree(h->fd, ".fsck", e);
	if (!rc)
		rc = io_mkdir_p(h->fd, ".fsck", 0700, e);
	if (!rc)
		rc = index_open(tmp, &x, e);
	if (!rc)
		rc = fsck_store(h, x, &good, &bad, e);
	if (!rc)
		rc = fsck_digest(x, &fresh, e);
	index_close(x); /* folds the write-ahead log in */
	if (!rc)
		rc = compare_old(h, &fresh, wrong, e);
	if (!rc && rebuild)
		rc = put_in_place(h, e);
	if (!rc)
		printf("%lu results are right, %lu are not; index %s\n", good,
		       bad, rebuild ? "rebuilt" : *wrong ? "differs" : "equal");
	if (rebuild)
		*wrong = 0;
	*wrong += bad;
	fsck_digests_free(&fresh);
	if (io_remove_tree(h->fd, ".fsck", rc ? NULL : e))
		rc = -1;
	free(tmp);
	return rc;
}

static int fsck(const char *home, bool rebuild, unsigned long *wrong,
		struct err *e)
{
	struct home h;
	int lock, rc;

	if (home_open(home, &h, e))
		return -1;
	lock = collect_lock(&h, e);
	rc = lock < 0 ? -1 : check(&h, rebuild, wrong, e);
	if (!rc)
		rc = fsck_orphans(&h, wrong, e);
	if (lock >= 0)
		close(lock);
	home_close(&h);
	return rc;
}

int cmd_fsck(const char *home, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "rebuild", no_argument, NULL, 'r' },
		{ NULL, 0, NULL, 0 },
	};
	struct err e = ERR_INIT;
	unsigned long wrong = 0;
	bool rebuild = false;
	int c;

	while ((c = getopt_long(argc, argv, "hr", options, NULL)) != -1)
		switch (c) {
		case 'h':
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		case 'r':
			rebuild = true;
			break;
		default:
			return cmd_usage("fsck", "see above");
		}
	if (optind < argc)
		return cmd_usage("fsck", "it takes no arguments");
	if (fsck(home, rebuild, &wrong, &e))
		return cmd_fail("fsck", &e);
	return wrong ? CMD_FAILED : EXIT_SUCCESS;
}
