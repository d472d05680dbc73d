/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CPIOTREE_H
#define IRONRIG_CPIOTREE_H

#include "cpio.h"

/*
 * Files, folders and links below dirfd as prefix/…, modes cut to 0755/0644
 * (setuid and group bits are no use on a box that has root alone).
 */
int cpiotree_add(struct cpio *c, const char *prefix, int dirfd, struct err *e)
	MUST_CHECK;

#endif
