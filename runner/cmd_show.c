// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * `ironrig show RESULT`: what one result says, for people: identity, outcome,
 * tuning, proof of stability, stats, and where the files are. The numbers
 * come from the index, the rest from the tarball's own result.cfg.
 */
#include "cmd.h"
#include "home.h"
#include "runjson.h"
#include "show.h"
#include "storetext.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: ironrig show [--all] [--stat GLOB] [--json] RESULT\n"
	"\n"
	"RESULT is a lease, a unique prefix of one, a file's name, or @latest.\n"
	"\n"
	"  --all        every stat, not only the primary ones\n"
	"  --stat GLOB  the stats whose name matches\n"
	"  --json       an object, with every stat's values\n";

struct options {
	const char *what;
	const char *glob;
	bool all, json;
};

static int read_result(const struct home *h, const struct index_run *run,
		       struct result *r, struct err *e)
{
	char *path;
	int fd, rc;

	if (asprintf(&path, "store/%s", run->file) < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	fd = openat(h->fd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
				 O_NONBLOCK);
	rc = fd < 0 ? err_sys(e, "%s/%s", h->path, path) :
		      storetext_read(fd, run->file, NULL, 0, r, e);
	if (fd >= 0)
		close(fd);
	free(path);
	return rc;
}

static int json_stat(void *arg, const struct index_stat *s, struct err *e)
{
	struct jsonout *j = arg;

	runjson_stat(j, s);
	return buf_ok(j->out, e);
}

static int show_json(struct index *x, const struct index_run *run,
		     const char *glob, struct err *e)
{
	struct buf out = { 0 };
	struct jsonout j = { .out = &out };
	int rc;

	jsonout_open(&j, NULL, '{');
	runjson(&j, run);
	jsonout_open(&j, "stats", '[');
	rc = index_stats(x, run->id, glob, json_stat, &j, e);
	jsonout_close(&j, ']');
	jsonout_close(&j, '}');
	if (!rc)
		rc = buf_ok(&out, e);
	if (!rc)
		puts(buf_str(&out));
	buf_free(&out);
	return rc;
}

static int show_text(const struct home *h, struct index *x,
		     const struct index_run *run, const struct options *o,
		     struct err *e)
{
	struct err why = ERR_INIT;
	struct result r = { 0 };
	int rc;

	show_identity(run);
	/* the index still has the numbers of a file that is gone */
	if (read_result(h, run, &r, &why))
		printf("\n%s\n", why.msg);
	else
		show_result(&r);
	result_free(&r);
	rc = show_stats(x, run, o->all ? "*" : o->glob, e);
	if (*run->notes)
		printf("\nNot understood\n%s", run->notes);
	printf("\nFiles\n  lz4 -dc %s/store/%s | tar tv\n", h->path, run->file);
	return rc;
}

static int show(const char *home, const struct options *o, struct err *e)
{
	struct index_run run = { .id = 0 };
	struct index *x;
	struct home h;
	int rc;

	if (index_open_home(home, &h, &x, e))
		return -1;
	rc = index_find(x, o->what, &run, e);
	if (!rc)
		rc = o->json ? show_json(x, &run, o->glob, e) :
			       show_text(&h, x, &run, o, e);
	index_run_free(&run);
	index_close(x);
	home_close(&h);
	return rc;
}

int cmd_show(const char *home, int argc, char **argv)
{
	static const struct option options[] = {
		{ "all", no_argument, NULL, 'a' },
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'J' },
		{ "stat", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	struct options o = { .what = NULL };
	struct err e = ERR_INIT;
	int c;

	while ((c = getopt_long(argc, argv, "ahs:", options, NULL)) != -1)
		switch (c) {
		case 'a':
			o.all = true;
			break;
		case 'J':
			o.json = true;
			break;
		case 's':
			o.glob = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		default:
			return cmd_usage("show", "see above");
		}
	if (argc - optind != 1)
		return cmd_usage("show", "one RESULT");
	if (o.all && (o.glob || o.json))
		return cmd_usage("show", o.glob ? "--all or --stat, not both"
						: "--json has every stat "
						  "without --all");
	o.what = argv[optind];
	if (show(home, &o, &e))
		return cmd_fail("show", &e);
	return EXIT_SUCCESS;
}
