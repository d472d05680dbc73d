/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PATHMATCH_H
#define IRONRIG_PATHMATCH_H

#include "buf.h"

/*
 * The paths below dirfd that match a pattern (glob(7), per component), appended
 * to *out in natural order ("cpu2" before "cpu10"). A pattern without wildcards
 * gives itself when it exists. Dot files are matched only by a dot. At most
 * max paths: beyond that ERR_LIMIT, with the first max in *out. A missing or
 * unreadable folder matches nothing.
 */
int pathmatch(int dirfd, const char *pattern, size_t max, struct strlist *out,
	      struct err *e) MUST_CHECK;

#endif
