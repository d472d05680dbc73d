/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_BUNDLEMAKE_H
#define IRONRIG_BUNDLEMAKE_H

#include "cpio.h"

#include <stdbool.h>

struct home;

/*
 * What a bundle is made of: a file in libconfig syntax,
 *
 *   packages = [ "iperf3" ];            Debian packages, downloaded and
 *                                       unpacked with their libraries
 *   programs = [ "/usr/bin/iperf3" ];   globs: kept with the shared
 *                                       libraries that they need
 *   files = [ "/etc/mime.types" ];      globs: kept as they are
 *   from = "iperf3.d";                  a folder laid out like /, taken
 *                                       whole; relative to this file
 *
 * Those that come with ironrig stand in initramfs/bundles/NAME.
 */
struct bundlemake {
	const char *name;
	const char *file; /* NULL: initramfs/bundles/NAME, unless from */
	const char *from; /* a folder alone, without a file */
	bool gzip;	  /* for kernels that cannot read LZ4 */
};

/*
 * Builds bundles/NAME.cpio in the home, with .sha and .packages beside it, and
 * writes the scripts of the boxes again.
 */
int bundlemake_run(const struct home *home, const struct bundlemake *b,
		   struct cpio_made *made, struct err *e) MUST_CHECK;

/*
 * "PROGRAM BUNDLE" for every program of every bundle that comes with ironrig,
 * a line each, sorted: the agent names the bundle of a program that it lacks.
 */
int bundlemake_index(struct buf *out, struct err *e) MUST_CHECK;

#endif
