// SPDX-License-Identifier: GPL-3.0-or-later
#include "io.h"
#include "scratch.h"
#include "tap.h"
#include "tar.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static struct err e;

static int to_buf(void *arg, const void *p, size_t n, struct err *er)
{
	buf_add(arg, p, n);
	return buf_ok(arg, er);
}

static int count(void *arg, const void *p, size_t n, struct err *er)
{
	(void)p;
	(void)er;
	*(uint64_t *)arg += n;
	return 0;
}

static void name_of(struct buf *b, size_t n, size_t slash)
{
	buf_reset(b);
	for (size_t i = 0; i < n; i++)
		buf_add(b, i == slash ? "/" : "n", 1);
}

/* Every length around ustar's limits, read back by tar. */
static void test_names(int fd)
{
	static const size_t len[][2] = {
		{ 1, 0 },     { 99, 0 },    { 100, 50 },  { 101, 50 },
		{ 101, 101 }, { 156, 55 },  { 256, 155 }, { 257, 156 },
		{ 255, 154 }, { 300, 150 }, { 900, 0 },
	};
	struct buf out = { 0 }, want = { 0 }, name = { 0 };
	struct tar_writer t = { .sink = to_buf, .arg = &out };
	bool good = true;

	for (size_t i = 0; i < sizeof(len) / sizeof(len[0]); i++) {
		name_of(&name, len[i][0], len[i][1] ? len[i][1] : SIZE_MAX);
		if (len[i][0] == 900) /* parts of a name end at 255 */
			for (size_t k = 100; k < 900; k += 100)
				name.data[k] = '/';
		good &= !tar_add(&t, name.data, "x\n", 2, &e);
		buf_printf(&want, "%s\n", name.data);
		buf_puts(&name, "d");
		good &= !tar_dir(&t, name.data, &e);
		buf_printf(&want, "%s/\n", name.data);
	}
	ok(good && !tar_end(&t, &e), "names of every length");
	is_int(out.len % 512, 0, "whole blocks");
	ok(!io_replace_file(fd, "n.tar", out.data, out.len, 0644, &e) &&
		   !io_replace_file(fd, "n", want.data, want.len, 0644, &e) &&
		   scratch_sh("tar tf n.tar | cmp - n"),
	   "tar lists them");
	buf_free(&out);
	buf_free(&want);
	buf_free(&name);
}

static void test_refused(void)
{
	static const char *const bad[] = { "",	   "/a",  "..", "a/../b",
					   "a//b", "./a", "a/", "." };
	uint64_t n = 0;
	struct tar_writer t = { .sink = count, .arg = &n };
	struct buf name = { 0 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(tar_dir(&t, bad[i], &e) == -1 && e.kind == ERR_INPUT,
		   "name \"%s\" is refused", bad[i]);
	name_of(&name, 4096, SIZE_MAX);
	ok(tar_dir(&t, name.data, &e) == -1, "a name over 4095 bytes");
	buf_free(&name);
	is_int(n, 0, "and nothing was written");
	ok(!tar_file(&t, "f", 3, &e) && !tar_data(&t, "ab", 2, &e),
	   "an open file");
	ok(tar_dir(&t, "d", &e) == -1, "no member before its end");
	ok(tar_end(&t, &e) == -1, "no end either");
	ok(tar_data(&t, "cd", 2, &e) == -1 && e.kind == ERR_LIMIT,
	   "more than the header says");
	ok(!tar_file_end(&t, &e) && n == 1024, "the rest is zeros");
	ok(!tar_end(&t, &e) && n == 2048, "two blocks end it");
}

static void test_big(void)
{
	static const char record[] = "19 size=9663676416\n";
	struct buf out = { 0 };
	struct tar_writer t = { .sink = to_buf, .arg = &out };

	ok(!tar_file(&t, "big", 9ULL << 30, &e), "9 GiB");
	is_int(out.len, 1536, "pax header, records, header");
	is_str(out.data + 512, record, "the size in a record");
	is_str(out.data + 1024 + 124, "77777777777", "and the field is full");
	buf_reset(&out);
	t.left = 0;
	ok(!tar_file(&t, "big", (8ULL << 30) - 1, &e) && out.len == 512,
	   "one byte less than 8 GiB needs none");
	buf_free(&out);
}

static void test_tree(int fd)
{
	struct buf out = { 0 };
	struct tar_writer t = { .sink = to_buf, .arg = &out, .mtime_s = 1e9 };
	int in;

	ok(scratch_sh(
		   "mkdir -p in/b/c && cd in && echo one >a && "
		   "echo two >b/c/z && : >b/empty && ln -s /etc/passwd link && "
		   "mkfifo pipe && umask 077 && echo three >b/private"),
	   "a tree with a link and a FIFO");
	in = openat(fd, "in", O_RDONLY | O_DIRECTORY);
	ok(!tar_add_tree(&t, "iter/001", in, &e) && !tar_end(&t, &e), "packed");
	ok(!io_replace_file(fd, "t.tar", out.data, out.len, 0644, &e) &&
		   scratch_sh("mkdir out && tar xf t.tar -C out && "
			      "rm in/link in/pipe && diff -r in out/iter/001"),
	   "tar unpacks the same files, without link and FIFO");
	ok(scratch_sh(
		   "LC_ALL=C TZ=UTC tar tvf t.tar --numeric-owner "
		   "--full-time | sed 's/  */ /g' >got && cat >want <<'E'\n"
		   "drwxr-xr-x 0/0 0 2001-09-09 01:46:40 iter/001/\n"
		   "-rw-r--r-- 0/0 4 2001-09-09 01:46:40 iter/001/a\n"
		   "drwxr-xr-x 0/0 0 2001-09-09 01:46:40 iter/001/b/\n"
		   "drwxr-xr-x 0/0 0 2001-09-09 01:46:40 iter/001/b/c/\n"
		   "-rw-r--r-- 0/0 4 2001-09-09 01:46:40 iter/001/b/c/z\n"
		   "-rw-r--r-- 0/0 0 2001-09-09 01:46:40 iter/001/b/empty\n"
		   "-rw-r--r-- 0/0 6 2001-09-09 01:46:40 iter/001/b/private\n"
		   "E\n"
		   "diff want got"),
	   "sorted, with fixed owner, modes and time");
	close(in);
	buf_free(&out);
}

/* A file that ends before the size that its header gave. */
static void test_shrunk(int fd)
{
	struct buf out = { 0 };
	struct tar_writer t = { .sink = to_buf, .arg = &out };
	int f = openat(fd, "in/a", O_RDONLY);

	ok(lseek(f, 2, SEEK_SET) == 2 && !tar_add_fd(&t, "a", f, &e),
	   "a file of 4 bytes that gives 2");
	ok(out.len == 1024 && !memcmp(out.data + 512, "e\n\0\0", 4),
	   "keeps its size, filled with zeros");
	close(f);
	buf_free(&out);
}

int main(void)
{
	int fd = scratch_open();

	test_names(fd);
	test_refused();
	test_big();
	test_tree(fd);
	test_shrunk(fd);
	return scratch_end();
}
