/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_ARCHIVE_H
#define IRONRIG_ARCHIVE_H

#include "verify.h"

/*
 * Pulls the members of a result one after the other out of a packed stream.
 * Nothing is ever written to disk from here. Refused, with ERR_FORMAT and the
 * member's name: everything but regular files and folders (links, devices,
 * sparse files), absolute names, "." and ".." and empty components, control
 * characters, a name seen before, a file used as a folder. Refused with
 * ERR_LIMIT: what exceeds the limits.
 */
struct archive_reader;

struct archive_member {
	const char *name; /* without a trailing '/', until the next call */
	uint64_t size;
	bool dir;
};

/* *l and arg must outlive the reader. */
int archive_open(verify_source *src, void *arg, const struct verify_limits *l,
		 struct archive_reader **out, struct err *e) MUST_CHECK;
/*
 * 1: *m is the next member. 0: the proper end: two zero blocks with at most
 * zero padding to a full tar record behind them, then the end of the one
 * frame with its checksum right, then the end of the source. -1: not so.
 */
int archive_next(struct archive_reader *a, struct archive_member *m,
		 struct err *e) MUST_CHECK;
/* Bytes of the current member; 0 at its end. */
ssize_t archive_data(struct archive_reader *a, const void **p, struct err *e)
	MUST_CHECK;
/* Appends the whole current member; ERR_LIMIT when longer than max. */
int archive_slurp(struct archive_reader *a, struct buf *b, size_t max,
		  struct err *e) MUST_CHECK;
void archive_close(struct archive_reader *a);

#endif
