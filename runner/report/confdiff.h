/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CONFDIFF_H
#define IRONRIG_CONFDIFF_H

#include "buf.h"

/*
 * What two .config files differ in, as "CONFIG_X=y -> n", one a difference,
 * by name. "is not set" and a missing line are both n. Lines that the build
 * makes by itself (compiler's version and features) count too.
 */
int confdiff(const char *base, const char *head, struct strlist *out,
	     struct err *e) MUST_CHECK;

#endif
