/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_BUF_H
#define IRONRIG_BUF_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A growing byte buffer that is always NUL-terminated behind .len, and a
 * growing list of strings. A zeroed struct is a valid empty one.
 *
 * Running out of memory is remembered in .failed instead of being returned by
 * every append: append freely, then ask buf_ok() once. A failed buffer keeps
 * what it had and takes nothing more.
 */
struct buf {
	char *data; /* NULL while empty and never used */
	size_t len;
	size_t cap;
	bool failed;
};

void buf_add(struct buf *b, const void *p, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Room for n more bytes behind .len; NULL when memory ran out. */
void *buf_room(struct buf *b, size_t n);
/* -1 with ERR_LIMIT when an append failed. */
int buf_ok(const struct buf *b, struct err *e) MUST_CHECK;
/* .data, or "" for a never used buffer. */
const char *buf_str(const struct buf *b);
/* Sets .len to 0 and keeps the memory; clears .failed. */
void buf_reset(struct buf *b);
void buf_free(struct buf *b);

struct strlist {
	char **v; /* n owned strings */
	size_t n;
};

/* Appends a copy of s. -1 with ERR_LIMIT when memory ran out. */
int strlist_add(struct strlist *l, const char *s, struct err *e) MUST_CHECK;
bool strlist_has(const struct strlist *l, const char *s);
void strlist_sort(struct strlist *l); /* strcmp order */
void strlist_free(struct strlist *l);

#endif
