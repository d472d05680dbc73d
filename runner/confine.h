/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CONFINE_H
#define IRONRIG_CONFINE_H

#include "buf.h"

#include <stdint.h>

/*
 * Reads what came from a box in a process of its own, which has the file (or
 * folder) in question open and nothing else, and is in the sandbox (sandbox.h)
 * with limits on memory and CPU time. Starting one takes 1 to 3 ms, so it may
 * read several files one after the other; a parser that is taken over can lie
 * about these, and that is all: give it files of one box. Its memory is a copy
 * of the caller's, which therefore holds no secrets.
 *
 * fn runs there, with the file as fd, and leaves in *out what the caller gets.
 */
#define CONFINE_MAX  (256U << 20) /* bytes of one answer */
#define CONFINE_NAME 256

typedef int confine_fn(int fd, const char *name, const void *arg,
		       struct buf *out, struct err *e);

struct confine; /* opaque, heap */

/* arg must stay as it is. folder: files may be opened below it; -1: none. */
int confine_start(confine_fn *fn, const void *arg, int folder,
		  struct confine **c, struct err *e) MUST_CHECK;
/*
 * Appends fn's answer about that file to *out. ERR_FORMAT: the process died in
 * it, twice if it had read others before, or made no sense; ERR_SYS: it was
 * killed from outside, the file may be good; else what fn returned, with no
 * control characters in the message. The next call starts another process where
 * one is gone. What a terminal sends to a whole process group does not end it.
 */
int confine_ask(struct confine *c, int fd, const char *name, struct buf *out,
		struct err *e) MUST_CHECK;
void confine_stop(struct confine *c); /* NULL is harmless */

/* The three in one. */
int confine_run(confine_fn *fn, const void *arg, int fd, bool folder,
		const char *name, struct buf *out, struct err *e) MUST_CHECK;

/*
 * What passes: pieces with their lengths before them. The getters believe
 * nothing: past the end they return -1, with ERR_FORMAT.
 */
void confine_put(struct buf *b, const void *p, size_t n);
void confine_put_str(struct buf *b, const char *s); /* NULL too */
void confine_put_u64(struct buf *b, uint64_t v);

struct confine_in {
	const char *p;
	size_t left;
};

/* Exactly n bytes, in the buffer. */
int confine_get(struct confine_in *in, const void **p, size_t n,
		struct err *e) MUST_CHECK;
/* NUL-terminated, in the buffer; NULL for one that was NULL. */
int confine_get_str(struct confine_in *in, const char **s, struct err *e)
	MUST_CHECK;
int confine_get_u64(struct confine_in *in, uint64_t max, uint64_t *v,
		    struct err *e) MUST_CHECK;

#endif
