/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_JSONREAD_H
#define IRONRIG_JSONREAD_H

#include "text.h"

/*
 * A JSON text (RFC 8259) as its scalars, in order: "jobs[0].read.iops" and
 * the number or string there; true, false and null come as strings.
 */
struct json_value {
	const char *path;
	const char *string; /* NULL: a number */
	double number;
};

typedef int json_fn(void *arg, const struct json_value *v, struct err *e);

/*
 * Walks the object that the current line of t starts with, and leaves t
 * behind it, so that several may follow each other. ERR_FORMAT names the line.
 */
int jsonread_walk(struct text *t, json_fn *fn, void *arg, struct err *e)
	MUST_CHECK;
/* Whether the current line starts an object. */
bool jsonread_starts(const struct text *t);

#endif
