/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_KCONFIG_H
#define IRONRIG_KCONFIG_H

#include "buf.h"

#include <stdbool.h>

/* A kernel's .config, as text. */

/* "y", "m", a number or string as written; "n" when it is not set. */
void kconfig_get(const char *text, const char *symbol, char *out,
		 size_t size);
/*
 * What a box needs and this kernel lacks, a line each: need holds what it
 * cannot boot or run a job without, want what makes it worse.
 */
int kconfig_check(const char *text, struct strlist *need,
		  struct strlist *want, struct err *e) MUST_CHECK;

#endif
