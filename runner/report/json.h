/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_JSON_H
#define IRONRIG_JSON_H

#include "buf.h"

#include <stddef.h>

/*
 * Writes JSON (RFC 8259), compact, into a buffer. Commas follow from what was
 * written before; keys are NULL inside arrays. Strings that are not UTF-8 have
 * the wrong bytes replaced by U+FFFD.
 */
struct json {
	struct buf *out;
	bool more; /* a value precedes at this level */
};

void json_open(struct json *j, const char *key, char bracket); /* '{', '[' */
void json_close(struct json *j, char bracket); /* '}', ']' */
void json_string(struct json *j, const char *key, const char *value);
/* 17 significant digits where needed; NaN and infinities are null. */
void json_number(struct json *j, const char *key, double value);
void json_integer(struct json *j, const char *key, long long value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

#endif
