/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_AB_COMPARE_H
#define IRONRIG_AB_COMPARE_H

#include "ab.h"
#include "report/request.h"

/*
 * For ab_*.c: an experiment's comparison as the report makes it, evaluated.
 * 1: *c is, compare_free(c); 0: no kernel has results beside the base's yet.
 */
int ab_compare(const struct home *h, const struct conf_experiment *x,
	       struct compare *c, struct err *e) MUST_CHECK;

#endif
