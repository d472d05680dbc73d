/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_BAG_H
#define IRONRIG_BAG_H

#include "gather.h"

/*
 * Named rows of values, found by name: what gather.c collects into. Values
 * given twice for one place are averaged.
 */
struct bag;

struct bag *bag_new(size_t places); /* NULL: out of memory */
void bag_free(struct bag *b);
/* place < places; per_run: one for the whole run. ERR_LIMIT beyond 100,000
 * rows or 16 million values. */
int bag_add(struct bag *b, const struct stat_value *v, size_t place,
	    bool per_run, struct err *e) MUST_CHECK;
/* Divides out; then the rows. */
const struct gather_stat *bag_rows(struct bag *b, size_t *n);

#endif
