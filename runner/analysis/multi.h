/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_MULTI_H
#define IRONRIG_MULTI_H

#include "err.h"

#include <stddef.h>

/*
 * Many tests at once. p[i] becomes adjusted[i], to be compared with alpha
 * itself; the arrays may be the same. A NAN p (no test) stays NAN and does not
 * count. Both cost a sort; ERR_LIMIT when its memory ran out.
 *
 * Holm (1979): the chance of any false alarm, whatever the dependence.
 * Benjamini & Hochberg (1995): the share of false ones among those called.
 */
int multi_holm(const double *p, size_t n, double *adjusted,
	       struct err *e) MUST_CHECK;
int multi_bh(const double *p, size_t n, double *adjusted,
	     struct err *e) MUST_CHECK;

#endif
