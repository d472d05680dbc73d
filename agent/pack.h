/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PACK_H
#define IRONRIG_PACK_H

#include "err.h"

#include <sys/types.h>

/*
 * Forks a child that packs the folder `tree` (out_dir/LEASE) into the file
 * `path`: a tar with result.cfg first, in one LZ4 frame. *grow_fd is the read
 * end of a pipe: one byte per grown piece, so that sending overlaps packing;
 * the last byte is PACK_END when the file is complete and right. End of file
 * without it means that packing failed, with the reason on stderr. The child's
 * memory does not grow with the tree. The caller waits for *pid.
 */
#define PACK_END 'E'

int pack_start(const char *tree, const char *path, pid_t *pid, int *grow_fd,
	       struct err *e) MUST_CHECK;
/* Reads *grow_fd to its end, waits for pid, closes. -1: packing failed. */
int pack_wait(pid_t pid, int *grow_fd, struct err *e) MUST_CHECK;

#endif
