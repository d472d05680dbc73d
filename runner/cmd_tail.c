// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig tail: follows what a box's kernel prints, as it came by `log', from
 * boot to boot. Bytes that could steer a terminal are shown as '?': the text
 * comes from a machine that may mean ill.
 */
#include "boxview.h"
#include "cmd.h"
#include "io.h"
#include "num.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	LINES = 20,
	LINES_MAX = 100000,
	BACK_MAX = 1 << 20, /* bytes looked at for the last lines */
	AGAIN_MS = 1000,    /* in case a filesystem tells nothing */
};

struct tail {
	int dir;       /* store/BOX/logs */
	int fd;	       /* the newest log, -1 */
	char name[64]; /* its name */
	int64_t lines;
};

static int help(void)
{
	puts("usage: ironrig tail BOX [-n LINES] [--no-follow]\n\n"
	     "Prints the end of what the box's kernel printed, and then what\n"
	     "comes, from boot to boot, until Ctrl-C.\n\n"
	     "  -n LINES     to begin with (20)\n"
	     "  --no-follow  and no more");
	return EXIT_SUCCESS;
}

/* The log written to last; false when there is none. */
static bool newest(int dir, char *name, size_t size)
{
	struct timespec best = { 0 };
	struct dirent **v;
	int n = scandirat(dir, ".", &v, NULL, alphasort);
	bool found = false;

	for (int i = 0; i < n; i++) {
		size_t len = strlen(v[i]->d_name);
		struct stat st;

		if (len > 4 && len < size &&
		    !strcmp(v[i]->d_name + len - 4, ".log") &&
		    !fstatat(dir, v[i]->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode) &&
		    (!found || st.st_mtim.tv_sec > best.tv_sec ||
		     (st.st_mtim.tv_sec == best.tv_sec &&
		      st.st_mtim.tv_nsec > best.tv_nsec))) {
			best = st.st_mtim;
			memcpy(name, v[i]->d_name, len + 1);
			found = true;
		}
		free(v[i]);
	}
	if (n >= 0)
		free(v);
	return found;
}

/* A return alone would let a box write over what stands in its line. */
static bool is_plain(const char *p, size_t left)
{
	if (*p == '\r')
		return left > 1 && p[1] == '\n';
	return *p == '\n' || *p == '\t' || (*p >= ' ' && *p < 0x7f);
}

static void print(char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_plain(p + i, n - i))
			p[i] = '?';
	fwrite(p, 1, n, stdout);
}

/* To where the last lines begin. */
static int seek_back(struct tail *t, struct err *e)
{
	off_t size = lseek(t->fd, 0, SEEK_END), from;
	struct buf b = { 0 };
	int64_t left = t->lines;
	size_t at;
	int rc;

	from = size > BACK_MAX ? size - BACK_MAX : 0;
	if (size < 0 || lseek(t->fd, from, SEEK_SET) < 0)
		return err_sys(e, "%s", t->name);
	rc = io_slurp(t->fd, &b, 2 * BACK_MAX, e);
	at = b.len;
	if (at && b.data[at - 1] == '\n')
		at--;
	while (at && !(b.data[at - 1] == '\n' && --left <= 0))
		at--;
	if (!rc && lseek(t->fd, from + (off_t)at, SEEK_SET) < 0)
		rc = err_sys(e, "%s", t->name);
	buf_free(&b);
	return rc;
}

static int copy(struct tail *t, struct err *e)
{
	char piece[16384];
	ssize_t n;

	while ((n = read(t->fd, piece, sizeof(piece))) > 0)
		print(piece, (size_t)n);
	fflush(stdout);
	return n < 0 && errno != EINTR ? err_sys(e, "%s", t->name) : 0;
}

/* Prints what is new, and goes on to a newer boot's log when there is one. */
static int look(struct tail *t, bool first, struct err *e)
{
	char name[sizeof(t->name)];

	if (t->fd >= 0 && copy(t, e))
		return -1;
	if (!newest(t->dir, name, sizeof(name)) ||
	    (t->fd >= 0 && !strcmp(name, t->name)))
		return 0;
	io_close(&t->fd);
	memcpy(t->name, name, sizeof(name));
	t->fd = openat(t->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (t->fd < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", name);
	printf("==> %s <==\n", name);
	if (first && seek_back(t, e))
		return -1;
	return copy(t, e);
}

static int follow(struct tail *t, const char *path, struct err *e)
{
	int in = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	int rc = 0;

	if (in < 0)
		return err_sys(e, "inotify");
	if (inotify_add_watch(in, path, IN_MODIFY | IN_CREATE) < 0)
		rc = err_sys(e, "watch %s", path);
	while (!rc && !ferror(stdout)) {
		struct pollfd p = { .fd = in, .events = POLLIN };
		char events[4096];

		rc = look(t, false, e);
		if (!rc && poll(&p, 1, AGAIN_MS) > 0)
			while (read(in, events, sizeof(events)) > 0)
				;
	}
	close(in);
	return rc;
}

static int run(const char *home, const char *box, int64_t lines, bool on,
	       struct err *e)
{
	struct tail t = { .dir = -1, .fd = -1, .lines = lines };
	char *path = NULL;
	struct home h;
	int rc = -1;

	if (home_open(home, &h, e))
		return -1;
	if (!conf_name_ok(box)) {
		err_set(e, ERR_INPUT, "\"%.64s\" is no box's name", box);
		goto out;
	}
	if (asprintf(&path, "%s/store/%s/logs", h.path, box) < 0) {
		path = NULL;
		err_set(e, ERR_LIMIT, "out of memory");
		goto out;
	}
	t.dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t.dir < 0) {
		if (errno == ENOENT)
			err_set(e, ERR_NOTFOUND, "box %s has sent no log yet",
				box);
		else
			err_sys(e, "%s", path);
		goto out;
	}
	rc = look(&t, true, e);
	if (!rc && on)
		rc = follow(&t, path, e);
out:
	io_close(&t.fd);
	io_close(&t.dir);
	free(path);
	home_close(&h);
	return rc;
}

int cmd_tail(const char *home, int argc, char **argv)
{
	struct err e = ERR_INIT;
	const char *box = NULL;
	int64_t lines = LINES;
	bool on = true;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
			return help();
		if (!strcmp(argv[i], "--no-follow")) {
			on = false;
		} else if (!strcmp(argv[i], "-n") && i + 1 < argc) {
			if (num_i64(argv[++i], 1, LINES_MAX, &lines, &e))
				return cmd_usage("tail", "-n: %s", e.msg);
		} else if (argv[i][0] == '-' || box) {
			return cmd_usage("tail", "what is \"%s\"?", argv[i]);
		} else {
			box = argv[i];
		}
	}
	if (!box)
		return cmd_usage("tail", "which box?");
	if (run(home, box, lines, on, &e))
		return cmd_fail("tail", &e);
	return EXIT_SUCCESS;
}
