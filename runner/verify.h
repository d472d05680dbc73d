/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_VERIFY_H
#define IRONRIG_VERIFY_H

#include "buf.h"
#include "result.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * Whether a stream is a result: exactly one whole LZ4 frame, holding a tar
 * that is walked to its proper end, with nothing in it that could harm the
 * reader. Results come from machines that run test kernels and are trusted
 * in nothing.
 */
struct verify_limits {
	uint64_t unpacked_max;	  /* bytes of the tar */
	uint64_t entry_max;	  /* bytes of one member */
	unsigned int entries_max; /* members */
};

/*
 * 288 CPUs sampled for an hour are about 8 GB raw (128 MB for 60 samples). LZ4
 * ends at 1:255: no limit of a ratio, as a workload that prints one line again
 * and again reaches that honestly.
 */
#define VERIFY_LIMITS_DEFAULT                                             \
	{ .unpacked_max = 16ULL << 30, .entry_max = 8ULL << 30,           \
	  .entries_max = 100000 }

/* The next piece of the packed bytes, valid until the next call; 0: end. */
typedef ssize_t verify_source(void *arg, const void **p, struct err *e);

/*
 * Reads src to its end. 0: a whole and harmless result whose first member
 * result.cfg is in *r (result_free() it). -1: ERR_FORMAT or ERR_LIMIT with
 * what is wrong and where, ERR_PEER when the stream ended before the frame did
 * (cut: the rest may still come), or the source's own error; *r is zeroed.
 * name is used in messages only.
 */
int verify_stream(verify_source *src, void *arg,
		  const struct verify_limits *l, const char *name,
		  struct result *r, struct err *e) MUST_CHECK;

/*
 * The same of an open file from its start. job (may be NULL) receives the
 * text of job.cfg when there is one.
 */
int verify_fd(int fd, const struct verify_limits *l, const char *name,
	      struct result *r, struct buf *job, struct err *e) MUST_CHECK;

/* A verify_source over a descriptor: *arg is a struct verify_file. */
struct verify_file {
	int fd;
	char piece[65536];
};
verify_source verify_file_source;

#endif
