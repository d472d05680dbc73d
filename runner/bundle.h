/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_BUNDLE_H
#define IRONRIG_BUNDLE_H

#include "conf.h"

struct home;

/*
 * Bundles: members that bring a workload's programs, bundles/NAME.cpio in the
 * home, named by jobs.
 */

/*
 * The bundles that a box's image needs, sorted: those of the jobs in
 * experiments of that box that are not stopped. A job file that is gone or
 * wrong is passed over: what runs it says so.
 */
int bundle_of_box(const struct home *home, const char *box,
		  struct strlist *out, struct err *e) MUST_CHECK;

#endif
