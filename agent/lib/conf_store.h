/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CONF_STORE_H
#define IRONRIG_CONF_STORE_H

#include "conf_schema.h"

/*
 * One value into, and out of, the field of a struct that a table's row names;
 * for conf*.c only. base is the struct that the row's offset counts from.
 */

/* 0, or -1 with *wrong the node that is not what the key takes; *wrong is NULL
 * when memory ran out. The field is empty then. */
int conf_store_value(const struct conf_key *k, void *base,
		     const struct cfg_node *v,
		     const struct cfg_node **wrong) MUST_CHECK;
/* The default, or "not given". -1: out of memory. */
int conf_store_default(const struct conf_key *k, void *base) MUST_CHECK;
/* Frees what the table's fields own; the struct is not zeroed. */
void conf_store_free(const struct conf_key *table, void *base);

#endif
