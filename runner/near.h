/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_NEAR_H
#define IRONRIG_NEAR_H

#include "buf.h"

/*
 * For "no such name" messages: appends ", near: A, B" with up to three of the
 * names in have that what may have been meant for, nearest first, or
 * ", there is: A, B, ..." when none is near; nothing when have is empty.
 */
void near_names(const struct strlist *have, const char *what, struct buf *out);

#endif
