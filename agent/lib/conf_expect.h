/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CONF_EXPECT_H
#define IRONRIG_CONF_EXPECT_H

#include "conf_schema.h"

/* For conf*.c only. "a whole number in 0..4094" */
void conf_expect_put(const struct conf_key *k, struct buf *out);
/* "\"eth 0\"", "a list" */
void conf_expect_got(const struct cfg_node *v, struct buf *out);

#endif
