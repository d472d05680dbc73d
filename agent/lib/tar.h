/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_TAR_H
#define IRONRIG_TAR_H

#include "err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A ustar writer (POSIX.1-1988), with pax headers (POSIX.1-2001) for names
 * over 100/255 bytes and sizes from 8 GiB. Only regular files and folders,
 * owner 0:0, mode 0644/0755: a result holds nothing else. Reading is
 * libarchive's work, on the controller.
 */
typedef int tar_sink(void *arg, const void *p, size_t n, struct err *e);

struct tar_writer {
	tar_sink *sink;
	void *arg;
	int64_t mtime_s; /* every member's */
	uint64_t size;	 /* of the open member */
	uint64_t left;	 /* bytes that it still needs */
};

int tar_dir(struct tar_writer *t, const char *name, struct err *e) MUST_CHECK;
/* Header of a file of exactly size bytes; then tar_data, then tar_file_end. */
int tar_file(struct tar_writer *t, const char *name, uint64_t size,
	     struct err *e) MUST_CHECK;
int tar_data(struct tar_writer *t, const void *p, size_t n, struct err *e)
	MUST_CHECK;
/* Pads; fills with zeros what a file that shrank meanwhile did not give. */
int tar_file_end(struct tar_writer *t, struct err *e) MUST_CHECK;
/* A file from memory, or from a descriptor (size from fstat). */
int tar_add(struct tar_writer *t, const char *name, const void *p, size_t n,
	    struct err *e) MUST_CHECK;
int tar_add_fd(struct tar_writer *t, const char *name, int fd, struct err *e)
	MUST_CHECK;
/*
 * Regular files and folders below dirfd, sorted by name, as PREFIX/NAME
 * ("" for none). Skips everything else, and folders more than 64 deep.
 */
int tar_add_tree(struct tar_writer *t, const char *prefix, int dirfd,
		 struct err *e) MUST_CHECK;
/* The two zero blocks. */
int tar_end(struct tar_writer *t, struct err *e) MUST_CHECK;

#endif
