/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_STORETEXT_H
#define IRONRIG_STORETEXT_H

#include "buf.h"
#include "result.h"

/*
 * What a result says of itself, and some of its members as they are, read by a
 * confined process (confine.h) from a file that is open at fd.
 */
struct storetext {
	const char *member; /* asked for */
	bool there;
	struct buf text; /* empty when it has more than 1 MiB */
};

/* Members are 16 at most; the caller frees each .text, and *r. */
int storetext_read(int fd, const char *name, struct storetext *v, size_t n,
		   struct result *r, struct err *e) MUST_CHECK;

#endif
