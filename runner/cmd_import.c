// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * `ironrig import`: other people's outputs as results, so that everything
 * that works on ours works on theirs. Each file is one boot with one
 * iteration; nothing is known of its machine, and nothing is made up: there
 * are no time.* and no monitors.
 */
#include "cmd.h"
#include "collect.h"
#include "confine.h"
#include "conf.h"
#include "import.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
	"usage: ironrig import --kernel K --box B --job J --extract NAME\n"
	"                      [--group G] [--params PATH] [--primary STAT]\n"
	"                      FILE...\n"
	"\n"
	"Makes a result of each FILE, which is what the tool that NAME\n"
	"understands (see `ironrig extract --list') printed in one boot of\n"
	"kernel K, and collects it. A file that cannot be understood is an\n"
	"error, and none is imported.\n"
	"\n"
	"  --group G       the box's group, by default B\n"
	"  --params PATH   parameters, as in \"100%-thread-lock1\"\n"
	"  --primary STAT  may be repeated; by default the extractor's own\n";

enum { FILE_MAX = 64 << 20 };

/* The file is anybody's, its extractor may err. */
struct check {
	const struct import *im;
	const char *file;
	const struct buf *b;
};

static int check(int fd, const char *name, const void *arg, struct buf *out,
		 struct err *e)
{
	const struct check *c = arg;

	(void)fd;
	(void)name;
	(void)out;
	return import_check(c->im, c->file, c->b, e);
}

static int take_file(const struct import *im, const char *file, struct buf *b,
		     int64_t *mtime_s, struct err *e)
{
	const struct check c = { im, file, b };
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct buf none = { 0 };
	struct stat st;
	int rc;

	if (fd < 0 || fstat(fd, &st) < 0) {
		err_sys(e, "%s", file);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	*mtime_s = st.st_mtime;
	if (io_slurp(fd, b, FILE_MAX, e))
		rc = err_prefix(e, "%s", file);
	else
		rc = confine_run(check, &c, fd, false, file, &none, e);
	close(fd);
	buf_free(&none);
	return rc;
}

static int check_all(const struct import *im, char **file, int n,
		     struct err *e)
{
	for (int i = 0; i < n; i++) {
		struct buf b = { 0 };
		int64_t mtime_s;
		int rc = take_file(im, file[i], &b, &mtime_s, e);

		buf_free(&b);
		if (rc)
			return -1;
	}
	return 0;
}

static int import_one(const struct home *h, const struct import *im,
		      const char *file, struct err *e)
{
	struct buf b = { 0 }, name = { 0 };
	int64_t mtime_s;
	int rc = take_file(im, file, &b, &mtime_s, e);

	if (!rc)
		rc = import_file(h, im, &b, mtime_s, &name, e);
	if (!rc)
		printf("%s: %s\n", file, buf_str(&name));
	buf_free(&b);
	buf_free(&name);
	return rc;
}

static void on_event(void *arg, enum collect_event ev, const char *box,
		     const char *file, const struct store_read *s,
		     const char *what)
{
	size_t *left = arg;

	(void)s;
	*left += ev == COLLECT_LEFT;
	if (ev == COLLECT_QUARANTINED || ev == COLLECT_UNREADABLE ||
	    ev == COLLECT_LEFT)
		fprintf(stderr, "%s/%s: %s\n", box, file, what);
}

static int collect(const struct home *h, struct err *e)
{
	size_t left = 0;
	struct collect c = { .home = h, .event = on_event, .arg = &left };
	int lock = collect_lock(h, e), rc;

	if (lock < 0)
		return -1;
	rc = index_open(h->path, &c.x, e);
	if (!rc)
		rc = collect_pass(&c, e);
	if (!rc && left)
		rc = err_set(e, ERR_SYS, "%zu could not be collected", left);
	index_close(c.x);
	close(lock);
	return rc;
}

static int import(const char *home, const struct import *im, char **file,
		  int n, struct err *e)
{
	struct home h;
	int rc;

	if (check_all(im, file, n, e) || home_open(home, &h, e))
		return -1;
	rc = 0;
	for (int i = 0; !rc && i < n; i++)
		rc = import_one(&h, im, file[i], e);
	if (!rc)
		rc = collect(&h, e);
	home_close(&h);
	return rc;
}

static const struct option options[] = {
	{ "box", required_argument, NULL, 'b' },
	{ "extract", required_argument, NULL, 'x' },
	{ "group", required_argument, NULL, 'g' },
	{ "help", no_argument, NULL, 'h' },
	{ "job", required_argument, NULL, 'j' },
	{ "kernel", required_argument, NULL, 'k' },
	{ "params", required_argument, NULL, 'p' },
	{ "primary", required_argument, NULL, 'P' },
	{ NULL, 0, NULL, 0 },
};

/* -1: go on; else the exit status. */
static int option(int c, struct import *im)
{
	struct err e = ERR_INIT;

	switch (c) {
	case 'b':
		im->box = optarg;
		return -1;
	case 'g':
		im->group = optarg;
		return -1;
	case 'j':
		im->job = optarg;
		return -1;
	case 'k':
		im->kernel = optarg;
		return -1;
	case 'p':
		im->params = optarg;
		return -1;
	case 'P':
		if (strlist_add(&im->primary, optarg, &e))
			return cmd_fail("import", &e);
		return -1;
	case 'x':
		im->x = stats_find(optarg);
		if (!im->x || strcmp(im->x->file, "stdout") != 0)
			return cmd_usage("import", "no extractor of outputs "
					 "\"%s\"", optarg);
		return -1;
	case 'h':
		fputs(usage, stdout);
		return EXIT_SUCCESS;
	default:
		return cmd_usage("import", "see above");
	}
}

static int check_names(const struct import *im)
{
	const char *const name[] = { im->kernel, im->box, im->job, im->group };

	if (!im->kernel || !im->box || !im->job || !im->x)
		return cmd_usage("import", "--kernel, --box, --job and "
				 "--extract are needed");
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (name[i] && !conf_name_ok(name[i]))
			return cmd_usage("import", "\"%s\" is not a name",
					 name[i]);
	return -1;
}

int cmd_import(const char *home, int argc, char **argv)
{
	struct import im = { .box = NULL };
	struct err e = ERR_INIT;
	int c, rc = -1;

	while (rc < 0 &&
	       (c = getopt_long(argc, argv, "h", options, NULL)) != -1)
		rc = option(c, &im);
	if (rc < 0)
		rc = check_names(&im);
	if (rc < 0 && optind >= argc)
		rc = cmd_usage("import", "no FILE");
	if (rc < 0)
		rc = import_primary(&im, &e) ||
		     import(home, &im, argv + optind, argc - optind, &e) ?
			     cmd_fail("import", &e) : EXIT_SUCCESS;
	strlist_free(&im.primary);
	return rc;
}
