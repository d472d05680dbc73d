// SPDX-License-Identifier: GPL-3.0-or-later
/* The hash of a file that grows is that of the whole, however it grew. */
#include "hasher.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 3000001 };

static char data[SIZE];

static int fresh(void)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	if (fd < 0)
		exit(1);
	return fd;
}

static void want(off_t size, char hex[SHA256_HEX])
{
	struct sha256 *s = sha256_new();

	if (!s)
		exit(1);
	sha256_add(s, data, (size_t)size);
	sha256_hex(s, hex);
	sha256_free(s);
}

/* step 0: all is said at the end only */
static void grows(off_t size, off_t step, const char *what)
{
	char got[SHA256_HEX] = "", right[SHA256_HEX];
	struct err e = ERR_INIT;
	struct hasher *h;
	int fd = fresh(), rc;
	off_t at = 0;

	rc = hasher_start(fd, &h, &e);
	while (!rc && at < size) {
		off_t n = step && step < size - at ? step : size - at;

		if (pwrite(fd, data + at, (size_t)n, at) != n)
			exit(1);
		at += n;
		if (step)
			hasher_allow(h, at);
	}
	if (!rc)
		rc = hasher_end(h, size, got, &e);
	want(size, right);
	ok(!rc, "%s: hashed", what);
	is_str(got, right, "%s: the right hash", what);
	hasher_free(h);
	close(fd);
}

int main(void)
{
	char hex[SHA256_HEX];
	struct err e = ERR_INIT;
	struct hasher *h;
	int fd;

	for (size_t i = 0; i < SIZE; i++)
		data[i] = (char)(i * 131 + i / 977);
	grows(SIZE, 4096, "in small steps");
	grows(SIZE, 700000, "in large steps");
	grows(SIZE, 0, "at the end only");
	grows(1, 1, "one byte");
	grows(0, 0, "an empty file");

	fd = fresh();
	ok(!ftruncate(fd, 1000) && !hasher_start(fd, &h, &e), "a short file");
	ok(hasher_end(h, 1001, hex, &e) && e.kind == ERR_FORMAT,
	   "has less than was said: %s", e.msg);
	hasher_free(h);
	close(fd);
	fd = fresh();
	ok(!ftruncate(fd, SIZE) && !hasher_start(fd, &h, &e), "given up");
	hasher_allow(h, SIZE);
	hasher_free(h);
	hasher_free(NULL);
	ok(1, "in the middle");
	close(fd);
	h = NULL;
	ok(!hasher_start(-1, &h, &e) && hasher_end(h, 1, hex, &e) &&
		   e.kind == ERR_SYS,
	   "no file: %s", e.msg);
	hasher_free(h);
	return done_testing();
}
