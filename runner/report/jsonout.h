/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_JSONOUT_H
#define IRONRIG_JSONOUT_H

#include "buf.h"

#include <stddef.h>

/*
 * Writes JSON (RFC 8259), compact, into a buffer. Commas follow from what was
 * written before; keys are NULL inside arrays. Strings that are not UTF-8 have
 * the wrong bytes replaced by U+FFFD.
 */
struct jsonout {
	struct buf *out;
	bool more; /* a value precedes at this level */
};

void jsonout_open(struct jsonout *j, const char *key,
		  char bracket); /* '{', '[' */
void jsonout_close(struct jsonout *j, char bracket); /* '}', ']' */
void jsonout_string(struct jsonout *j, const char *key, const char *value);
/* 15 significant digits; NaN and infinities are null. */
void jsonout_number(struct jsonout *j, const char *key, double value);
void jsonout_integer(struct jsonout *j, const char *key, long long value);
void jsonout_bool(struct jsonout *j, const char *key, bool value);
void jsonout_null(struct jsonout *j, const char *key);

#endif
