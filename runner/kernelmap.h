/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_KERNELMAP_H
#define IRONRIG_KERNELMAP_H

#include "buf.h"

struct home;

/*
 * A kernel's System.map where its own package does not bring one: Debian's
 * linux-image holds a stub, the real one is in its -dbg package.
 *
 * path is a System.map, or a .deb that has one for this release below
 * /usr/lib/debug/boot or /boot (only that file of it is unpacked); NULL: own,
 * which the kernel came with, or NULL too. Appended to out. ERR_FORMAT when
 * path is no map (a stub), ERR_NOTFOUND when the package has none.
 */
int kernelmap_read(const char *path, const char *own, const char *release,
		   struct buf *out, struct err *e) MUST_CHECK;
/* Puts it beside a kernel that is registered already. */
int kernelmap_keep(const struct home *home, const char *name,
		   const struct buf *map, struct err *e) MUST_CHECK;

#endif
