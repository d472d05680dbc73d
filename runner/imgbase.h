/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_IMGBASE_H
#define IRONRIG_IMGBASE_H

#include "cpio.h"

#include <stdbool.h>

struct home;

/* The member "base": what every box and kernel shares. */
struct imgbase {
	const char *agent;   /* NULL: ironrig-agent beside this program */
	const char *busybox; /* NULL: busybox on PATH; must be static */
	bool gzip;	     /* for kernels that cannot read LZ4 */
};

/*
 * Builds boot/base.cpio and writes the scripts of all boxes again, whose
 * command lines name it. ERR_NOTFOUND and ERR_INPUT name a program that is
 * missing or not static.
 */
int imgbase_build(const struct home *home, const struct imgbase *b,
	       struct cpio_made *made, struct err *e) MUST_CHECK;

/* The installed program name: beside ours, or in ../sbin. *path is owned. */
int imgbase_find_agent(char **path, struct err *e) MUST_CHECK;

#endif
