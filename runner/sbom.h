/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SBOM_H
#define IRONRIG_SBOM_H

#include "buf.h"

struct home;

/*
 * What is in the images of this home, as an SPDX 2.3 tag-value document: the
 * agent and the static libraries in it and busybox, with the versions of
 * their Debian packages on this machine (which must be the one that built
 * them); the registered kernels; the packages of each bundle, as noted when it
 * was made. A package that dpkg does not know has no version.
 */
int sbom_write(const struct home *home, struct buf *out, struct err *e)
	MUST_CHECK;

#endif
