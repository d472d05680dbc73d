/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SCRATCH_H
#define IRONRIG_SCRATCH_H

/*
 * A private folder for a C test: scratch_open() first, put() and text() for
 * files by their path in it, `return scratch_end();' last. What fails here
 * ends the test. Behind tap.h, headers only.
 */
#include "io.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRATCH_UNUSED __attribute__((unused))

static char scratch_dir[] = "/tmp/ironrig-test.XXXXXX";
static int scratch_fd = -1;

SCRATCH_UNUSED static void scratch_bail(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

/* Both return the folder's descriptor, which is scratch_fd, too. */
SCRATCH_UNUSED static int scratch_open(void)
{
	if (!mkdtemp(scratch_dir))
		scratch_bail(scratch_dir);
	scratch_fd = open(scratch_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (scratch_fd < 0)
		scratch_bail(scratch_dir);
	return scratch_fd;
}

/* Empty again, under the same name. */
SCRATCH_UNUSED static int scratch_anew(void)
{
	struct err e = ERR_INIT;

	io_close(&scratch_fd);
	if (io_remove_tree(AT_FDCWD, scratch_dir, &e) ||
	    mkdir(scratch_dir, 0700))
		scratch_bail(scratch_dir);
	scratch_fd = open(scratch_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (scratch_fd < 0)
		scratch_bail(scratch_dir);
	return scratch_fd;
}

/* A file and the folders above it. */
SCRATCH_UNUSED static void put_bytes(const char *path, const void *p, size_t n)
{
	const char *slash = strrchr(path, '/');
	struct err e = ERR_INIT;
	char parent[256];

	snprintf(parent, sizeof(parent), "%.*s",
		 slash ? (int)(slash - path) : 0, path);
	if ((*parent && io_mkdir_p(scratch_fd, parent, 0755, &e)) ||
	    io_replace_file(scratch_fd, path, p, n, 0644, &e))
		scratch_bail(e.msg);
}

SCRATCH_UNUSED static void put(const char *path, const char *content)
{
	put_bytes(path, content, strlen(content));
}

/* What a file holds, until the next call; "(none)" when it cannot be read. */
SCRATCH_UNUSED static const char *text(const char *path)
{
	static struct buf b;
	struct err e = ERR_INIT;

	buf_reset(&b);
	return io_read_file(scratch_fd, path, &b, 1 << 24, &e) ? "(none)"
							       : buf_str(&b);
}

/* Whether a shell's command, in the folder, succeeds. */
SCRATCH_UNUSED static bool scratch_sh(const char *command)
{
	struct buf line = { 0 };
	bool good;

	buf_printf(&line, "cd %s && %s", scratch_dir, command);
	good = !system(buf_str(&line));
	buf_free(&line);
	return good;
}

/* done_testing(), and nothing is left behind. */
SCRATCH_UNUSED static int scratch_end(void)
{
	struct err e = ERR_INIT;

	io_close(&scratch_fd);
	if (io_remove_tree(AT_FDCWD, scratch_dir, &e))
		scratch_bail(e.msg);
	return done_testing();
}

#endif
