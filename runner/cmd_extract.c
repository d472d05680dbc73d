// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * `ironrig extract NAME [FILE|DIR]`: one extractor on anyone's output, on a
 * result, or on an unpacked result; "key: value" on stdout.
 */
#include "cmd.h"
#include "sandbox.h"
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
	"usage: ironrig extract NAME [FILE | DIR | BOX.LEASE.tar.lz4]\n"
	"       ironrig extract --list\n"
	"\n"
	"Turns the output of a tool (stdin without FILE), or the samples of a\n"
	"monitor, into \"key: value\" lines. Several runs in one text give the\n"
	"keys several times. Of a result (packed, or its unpacked folder) the\n"
	"lines are those of its measured iterations.\n"
	"\n"
	"Exit status: 0; 1 and the line that was not understood; 2 usage.\n";

static int print(void *arg, const struct stat_value *v, struct err *e)
{
	(void)arg;
	(void)e;
	if (*v->name != '.') /* STAT_OPS is no stat */
		printf("%s: %.15g\n", v->name, v->value);
	return 0;
}

/* From here on this process reads, prints and ends. */
static int confined(struct err *e)
{
	struct sandbox got;

#ifdef __SANITIZE_ADDRESS__ /* LeakSanitizer looks from another process */
	if (e)
		return 0;
#endif
	return sandbox_enter(NULL, 0, false, &got, e);
}

static int from_text(const struct stat_extractor *x, int fd, const char *name,
		     struct err *e)
{
	struct stat_out out = { .sink = print };
	struct stat_feed *f;
	char piece[65536];
	ssize_t n = 0;
	int rc;

	if (confined(e) || stat_feed_new(x, name, NULL, 0, &out, &f, e))
		return -1;
	rc = 0;
	while (!rc && (n = read(fd, piece, sizeof(piece))) != 0) {
		if (n < 0 && errno != EINTR)
			rc = err_sys(e, "%s", name);
		else if (n > 0)
			rc = stat_feed_add(f, piece, (size_t)n, e);
	}
	if (!rc)
		rc = stat_feed_end(f, e);
	stat_feed_free(f);
	return rc;
}

/* The values of a result's iterations; its notes are this command's errors. */
static int from_result(const struct store_read *s, const char *name,
		       struct err *e)
{
	const struct gather_stat *v = s->stat;
	const char *notes = s->notes;

	for (size_t i = 0; i < s->nstat; i++)
		for (size_t k = 0; k < v[i].n; k++)
			if (!isnan(v[i].value[k]))
				printf("%s: %.15g\n", v[i].name,
				       v[i].value[k]);
	if (*notes)
		return err_set(e, ERR_FORMAT, "%s: %.*s", name,
			       (int)strcspn(notes, "\n"), notes);
	if (!s->nstat)
		return err_set(e, ERR_NOTFOUND,
			       "%s: no completed iteration has it", name);
	return 0;
}

static bool is_result(const char *name)
{
	size_t n = strlen(name);

	return n > 8 && !strcmp(name + n - 8, ".tar.lz4");
}

static int from_tarball(const struct stat_extractor *x, int fd,
			const char *name, struct store_read *s, struct err *e)
{
	struct store_reader *r;
	int rc = store_reader_new(x, &r, e);

	if (!rc)
		rc = store_read(r, fd, name, s, e);
	store_reader_free(r);
	return rc;
}

static int extract(const struct stat_extractor *x, const char *name,
		   struct err *e)
{
	struct store_read s = { .bytes = 0 };
	struct stat st;
	int fd, rc;

	if (!name)
		return from_text(x, STDIN_FILENO, "stdin", e);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		err_sys(e, "%s", name);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (S_ISDIR(st.st_mode))
		rc = store_read_dir(fd, name, x, &s, e);
	else if (is_result(name))
		rc = from_tarball(x, fd, name, &s, e);
	else
		rc = from_text(x, fd, name, e);
	if (!rc && s.notes)
		rc = from_result(&s, name, e);
	store_read_free(&s);
	close(fd);
	return rc;
}

static int list(void)
{
	for (const struct stat_extractor *x = stats_table; x->name; x++)
		printf("%-16s %-24s %s\n", x->name, x->file, x->what);
	return EXIT_SUCCESS;
}

int cmd_extract(const char *home, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "list", no_argument, NULL, 'l' },
		{ NULL, 0, NULL, 0 },
	};
	const struct stat_extractor *x;
	struct err e = ERR_INIT;
	int c;

	(void)home;
	while ((c = getopt_long(argc, argv, "hl", options, NULL)) != -1) {
		if (c == 'h')
			return fputs(usage, stdout) < 0 ? CMD_FAILED : 0;
		if (c == 'l')
			return list();
		return cmd_usage("extract", "see above");
	}
	if (optind >= argc || argc - optind > 2)
		return cmd_usage("extract", "one NAME and at most one FILE");
	x = stats_find(argv[optind]);
	if (!x)
		return cmd_usage("extract", "no extractor \"%s\", see --list",
				 argv[optind]);
	if (extract(x, argv[optind + 1], &e) || fflush(stdout))
		return cmd_fail("extract", &e);
	return EXIT_SUCCESS;
}
