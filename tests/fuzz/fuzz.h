/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_FUZZ_H
#define IRONRIG_FUZZ_H

/*
 * A fuzz target a program, for clang's libFuzzer: `make fuzz` builds and runs
 * them for long, `make fuzz-short` each a fixed number of times. A finding is a
 * crash, a sanitizer's report, or require() failing.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define require(cond)                                                       \
	do {                                                                \
		if (!(cond))                                                \
			__builtin_trap();                                   \
	} while (0)

/*
 * The input as several: what stands before the next byte 0xff, as a string of
 * its own that free(3) takes; "" when nothing is left.
 */
static inline char *fuzz_piece(const uint8_t **p, size_t *left)
{
	const uint8_t *end = *left ? memchr(*p, 0xff, *left) : NULL;
	size_t n = end ? (size_t)(end - *p) : *left;
	char *s = malloc(n + 1);

	require(s);
	memcpy(s, *p, n);
	s[n] = '\0';
	*p += n + (end != NULL);
	*left -= n + (end != NULL);
	return s;
}

/* An empty root folder in memory, for readers that take one. */
static char fuzz_dir[] = "/dev/shm/ironrig-fuzz.XXXXXX";

static inline void fuzz_root_gone(void)
{
	char cmd[64];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", fuzz_dir);
	if (system(cmd))
		perror(fuzz_dir);
}

static inline int fuzz_root(void)
{
	static int fd = -1;

	if (fd < 0) {
		require(mkdtemp(fuzz_dir) && !atexit(fuzz_root_gone));
		fd = open(fuzz_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		require(fd >= 0);
	}
	return fd;
}

/* The file below that root holds the bytes; folders come by themselves. */
static inline void fuzz_file(const char *path, const void *p, size_t n)
{
	int fd = openat(fuzz_root(), path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	char dir[256];

	for (const char *s = path; fd < 0 && (s = strchr(s, '/')); s++) {
		snprintf(dir, sizeof(dir), "%.*s", (int)(s - path), path);
		mkdirat(fuzz_root(), dir, 0700);
	}
	if (fd < 0)
		fd = openat(fuzz_root(), path, O_WRONLY | O_CREAT, 0600);
	require(fd >= 0 && write(fd, p, n) == (ssize_t)n);
	close(fd);
}

#endif
