/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CONF_NEAR_H
#define IRONRIG_CONF_NEAR_H

#include "conf_schema.h"

/*
 * For conf*.c only: the known key or group nearest to this path by edit
 * distance, "net.mac" for "net.mca" and "tune.governor" for "governer". False
 * when none is near.
 */
bool conf_near_key(const struct conf_key *table, const char *path,
		   struct buf *out);

#endif
