/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CONF_WRITE_H
#define IRONRIG_CONF_WRITE_H

#include "conf_schema.h"

/* For conf*.c and result.c: appends what is set, as conf_load.c reads it. */
void conf_write_table(const struct conf_key *table, const void *base,
		      struct buf *out);

#endif
