/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_UNDO_H
#define IRONRIG_UNDO_H

#include "err.h"

#include <stddef.h>

/*
 * Small files as they were before a change of several of them, in memory.
 * Start with a zeroed one.
 */
struct undo {
	struct undo_file *v;
	size_t n;
};

/*
 * Remembers the file of that absolute path (printf-like) with its mode and owner, or that
 * there is none, nor a folder for it. Through a link: the file it names.
 */
int undo_note(struct undo *u, struct err *e, const char *fmt, ...)
	PRINTF_LIKE(3, 4) MUST_CHECK;
/*
 * Makes all of them what they were: those that were not there are removed,
 * with their folder when that is new and empty. e holds the reason for it and
 * keeps it; what cannot be put back is named in front.
 */
void undo_all(struct undo *u, struct err *e);
void undo_free(struct undo *u);

#endif
