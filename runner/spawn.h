/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SPAWN_H
#define IRONRIG_SPAWN_H

#include "buf.h"
#include <stdbool.h>
#include <stddef.h>

/*
 * Runs a program found by PATH and waits for it; argv ends with NULL. Its
 * stdin is /dev/null, its stderr ours. An exit status other than 0 or a death
 * by signal is ERR_PEER, a program that is not there ERR_NOTFOUND; both name
 * it.
 */
int spawn_run(const char *const argv[], struct err *e) MUST_CHECK;
/*
 * The same with stdout appended to out, at most max bytes (ERR_LIMIT beyond).
 * With both its stderr goes there too.
 */
int spawn_capture(const char *const argv[], bool both, struct buf *out,
		  size_t max, struct err *e) MUST_CHECK;
/*
 * The same with n bytes from memory as its stdin (a memory file, so that
 * nothing can block) and its stderr thrown away: for decompressors. out keeps
 * what came before an error.
 */
int spawn_filter(const char *const argv[], const void *in, size_t n,
		 struct buf *out, size_t max, struct err *e) MUST_CHECK;

#endif
