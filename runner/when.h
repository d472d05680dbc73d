/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_WHEN_H
#define IRONRIG_WHEN_H

#include "err.h"

#include <stdint.h>

/*
 * A time as people type it, in UNIX seconds: "90m", "12h", "2d" or "3w" before
 * now_s, or UTC: "2026-12-01", "2026-12-01 17:44", "2026-12-01T17:44:05Z" (the
 * form that ls prints). ERR_INPUT.
 */
int when_parse(const char *text, int64_t now_s, int64_t *out, struct err *e)
	MUST_CHECK;

#endif
