// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Growing buffers and string lists. Growth doubles, so that n appends cost
 * O(n); sizes are checked for overflow before every growth.
 */
#include "buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *buf_room(struct buf *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 256;
	char *p;

	if (b->failed || n > SIZE_MAX / 4 || b->len > SIZE_MAX / 4) {
		b->failed = true;
		return NULL;
	}
	while (cap < b->len + n + 1)
		cap *= 2;
	if (cap != b->cap) {
		p = realloc(b->data, cap);
		if (!p) {
			b->failed = true;
			return NULL;
		}
		b->data = p;
		b->cap = cap;
	}
	b->data[b->len] = '\0';
	return b->data + b->len;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	char *to = buf_room(b, n);

	if (!to)
		return;
	if (n)
		memcpy(to, p, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

/* Most texts fit into what is there: formatted twice only when they do not. */
void buf_printf(struct buf *b, const char *fmt, ...)
{
	size_t room = b->data && !b->failed ? b->cap - b->len : 0;
	va_list ap, again;
	char *to;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(room ? b->data + b->len : NULL, room, fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < room) {
		b->len += (size_t)n;
		va_end(again);
		return;
	}
	if (n < 0)
		b->failed = true;
	to = n < 0 ? NULL : buf_room(b, (size_t)n);
	if (to) {
		vsnprintf(to, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
}

int buf_ok(const struct buf *b, struct err *e)
{
	if (b->failed)
		return err_set(e, ERR_LIMIT, "out of memory");
	return 0;
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	b->failed = false;
	if (b->data)
		b->data[0] = '\0';
}

void buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

int strlist_add(struct strlist *l, const char *s, struct err *e)
{
	char *copy = strdup(s);

	if (!copy)
		return err_set(e, ERR_LIMIT, "out of memory");
	/* grows at powers of two: n & (n - 1) is 0 just there */
	if ((l->n & (l->n - 1)) == 0) {
		size_t cap = l->n ? l->n * 2 : 1;
		char **v = reallocarray(l->v, cap, sizeof(*v));

		if (!v) {
			free(copy);
			return err_set(e, ERR_LIMIT, "out of memory");
		}
		l->v = v;
	}
	l->v[l->n++] = copy;
	return 0;
}

bool strlist_has(const struct strlist *l, const char *s)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i], s))
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void strlist_sort(struct strlist *l)
{
	if (l->n > 1)
		qsort(l->v, l->n, sizeof(l->v[0]), by_name);
}

void strlist_free(struct strlist *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	*l = (struct strlist){ 0 };
}
