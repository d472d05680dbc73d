// SPDX-License-Identifier: GPL-3.0-or-later
#include "io.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	char line[8];
	struct buf b = { 0 };
	struct err e = ERR_INIT;
	struct stat st;
	int fd = scratch_open();

	ok(!io_mkdir_p(fd, "a/b/c", 0755, &e), "mkdir -p");
	ok(!io_mkdir_p(fd, "a/b/c", 0755, &e), "again is no error");
	ok(!io_replace_file(fd, "a/b/f", "one\ntwo\n", 8, 0600, &e), "made");
	ok(!fstatat(fd, "a/b/f", &st, 0) && (st.st_mode & 07777) == 0600,
	   "with its mode");
	ok(!io_read_line(fd, "a/b/f", line, sizeof(line), &e) &&
		   !strcmp(line, "one"),
	   "first line");
	ok(!io_replace_file(fd, "a/b/f", "123456789\n", 10, 0600, &e) &&
		   io_read_line(fd, "a/b/f", line, sizeof(line), &e) == -1 &&
		   e.kind == ERR_LIMIT,
	   "a line that does not fit is an error, not cut");
	ok(io_read_file(fd, "a/b/f", &b, 4, &e) == -1 && e.kind == ERR_LIMIT,
	   "a file over its cap");
	ok(io_read_file(fd, "none", &b, 4, &e) == -1 && e.sys == ENOENT,
	   "a missing file is ENOENT");
	ok(!symlinkat("/etc", fd, "a/link") &&
		   !io_remove_tree(fd, "a", &e) &&
		   faccessat(fd, "a", F_OK, 0) == -1 && !access("/etc", F_OK),
	   "rm -r does not follow links");
	ok(!io_remove_tree(fd, "a", &e), "a missing tree is no error");
	buf_free(&b);
	return scratch_end();
}
