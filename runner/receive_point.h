/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_RECEIVE_POINT_H
#define IRONRIG_RECEIVE_POINT_H

#include "receive.h"

/*
 * Points the box's iPXE script at that kernel (bundles NULL: none), so that
 * its next boot through firmware comes up in it. Nothing to do for a host
 * without net.mac: it boots by other means.
 */
int receive_point(const struct receive *r, const char *kernel,
		  const struct strlist *bundles, struct err *e) MUST_CHECK;
/*
 * The command line of that boot by kexec, with the bundles of the box's plan:
 * what the script of a firmware boot would carry.
 */
int receive_cmdline(const struct receive *r, const char *kernel,
		    struct buf *out, struct err *e) MUST_CHECK;

#endif
