/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_BRING_H
#define IRONRIG_BRING_H

#include "box.h"

/*
 * Makes sure that bundle NAME is on the box: as a member of the image, or
 * fetched now, unpacked over the root and checked against its manifest.
 * ERR_NOTFOUND and the like name it.
 */
int bring_bundle(struct box *b, const char *name, struct err *e) MUST_CHECK;

#endif
