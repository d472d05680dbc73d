/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_IO_H
#define IRONRIG_IO_H

#include "buf.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * Whole reads and writes on descriptors. A dirfd of AT_FDCWD means the current
 * folder; every other gives readers a root, so that fixtures need no special
 * build. EINTR is retried; a short write is an error.
 */
int io_write_all(int fd, const void *p, size_t n, struct err *e) MUST_CHECK;
/* Reads exactly n bytes, or fails (ERR_FORMAT at an early end of file). */
int io_read_all(int fd, void *p, size_t n, struct err *e) MUST_CHECK;
/* Appends all of fd to b; more than max bytes is ERR_LIMIT. */
int io_slurp(int fd, struct buf *b, size_t max, struct err *e) MUST_CHECK;
/* Appends the file to b. ENOENT comes as ERR_SYS with .sys == ENOENT. */
int io_read_file(int dirfd, const char *path, struct buf *b, size_t max,
		 struct err *e) MUST_CHECK;
/*
 * openat(2) of a file where somebody hostile may have put another: no link is
 * followed, no pipe waited for, and what is no regular file is ERR_FORMAT.
 * The descriptor, or -1.
 */
int io_open_own(int dirfd, const char *path, int flags, mode_t mode,
		struct err *e) MUST_CHECK;
/* First line without its newline into out (truncation is ERR_LIMIT). */
int io_read_line(int dirfd, const char *path, char *out, size_t size,
		 struct err *e) MUST_CHECK;
/* One write(2) of the string to an existing file, as sysfs wants it. */
int io_write_file(int dirfd, const char *path, const char *s, struct err *e)
	MUST_CHECK;
/*
 * Makes path hold exactly these bytes, durably: temporary file beside it,
 * fsync, rename, fsync of the folder. Readers see the old or the new content.
 */
int io_replace_file(int dirfd, const char *path, const void *p, size_t n,
		    mode_t mode, struct err *e) MUST_CHECK;
/* mkdir -p; existing folders keep their mode. */
int io_mkdir_p(int dirfd, const char *path, mode_t mode, struct err *e)
	MUST_CHECK;
/* fsync of the folder that holds path. */
int io_fsync_parent(int dirfd, const char *path, struct err *e) MUST_CHECK;
/* rm -r below dirfd, never following a link; a missing path is no error. */
int io_remove_tree(int dirfd, const char *path, struct err *e) MUST_CHECK;
/*
 * Fills descriptors 0 to 2 where one is closed, so that no file opened later
 * becomes standard output. Using such a stream still fails with EBADF.
 */
void io_hold_std(void);
int64_t io_monotonic_ns(void); /* CLOCK_MONOTONIC, nanoseconds */
void io_close(int *fd);	       /* closes unless -1, sets -1 */

#endif
