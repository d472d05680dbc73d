/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_STORE_H
#define IRONRIG_STORE_H

#include "stats/gather.h"
#include "index.h"

/*
 * One result, read whole: verified, its stats extracted. Two passes over the
 * file: the first proves that it is a result before the second believes any
 * of it, and brings job.cfg, which stands behind the outputs that its rules
 * are for. All of that happens in a confined process (confine.h).
 */
struct store_read {
	struct result r;
	struct strlist primary;	/* of its job, when that can be read */
	int planned, completed; /* measured iterations */
	uint64_t bytes;		/* of the file */
	struct gather_stat *stat; /* nstat of them */
	size_t nstat;
	char *notes; /* "" or what could not be understood, in lines */
	/* what .stat, .notes and its values stand in */
	struct buf said;
	double *value;
};

/*
 * Reads results of one box, one after the other: its files can harm what is
 * said of its other ones, at most. only: as in gather.h.
 */
struct store_reader;
int store_reader_new(const struct stat_extractor *only,
		     struct store_reader **r, struct err *e) MUST_CHECK;
void store_reader_free(struct store_reader *r); /* NULL is harmless */
/*
 * fd is an open regular file; name is used in messages. store_read_free() also
 * after a failure.
 */
int store_read(struct store_reader *r, int fd, const char *name,
	       struct store_read *s, struct err *e) MUST_CHECK;
/* The same of a folder that holds what the tarball holds. */
int store_read_dir(int dirfd, const char *name,
		   const struct stat_extractor *only, struct store_read *s,
		   struct err *e) MUST_CHECK;
void store_read_free(struct store_read *s);

/*
 * Puts the result and its stats into the index, in one transaction. file is
 * its path below the store.
 */
int store_index(struct index *x, const struct store_read *s, const char *file,
		struct err *e) MUST_CHECK;

#endif
