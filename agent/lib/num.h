/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_NUM_H
#define IRONRIG_NUM_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers from text. Every parser takes the whole string: leading or trailing
 * blanks, signs where none belong, overflow and an empty string are ERR_INPUT
 * with the text quoted, and *out stays as it was.
 */
int num_i64(const char *s, int64_t min, int64_t max, int64_t *out,
	    struct err *e) MUST_CHECK;
int num_u64(const char *s, uint64_t max, uint64_t *out, struct err *e)
	MUST_CHECK;
/* Locale-free decimal or exponent form; no inf, nan or hex. */
int num_double(const char *s, double *out, struct err *e) MUST_CHECK;
/* "64", "64K", "64M", "2G": powers of 1024, in bytes. */
int num_size(const char *s, uint64_t *bytes, struct err *e) MUST_CHECK;
/* "300", "300s", "5m", "2h", "250ms": in milliseconds. */
int num_duration(const char *s, int64_t *ms, struct err *e) MUST_CHECK;
/*
 * "1%" as 0.01, and "0.01" as it is; *percent tells which form it was. No
 * limits: the caller's.
 */
int num_share(const char *s, double *out, bool *percent, struct err *e)
	MUST_CHECK;
/* "50%": 0 < percent <= 1000. False when s is not of that form. */
bool num_percent(const char *s, unsigned int *percent);

#endif
