/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SHA256_H
#define IRONRIG_SHA256_H

#include "err.h"

#include <stddef.h>

/* SHA-256 (FIPS 180-4) as 64 lower-case hex digits plus NUL. */
#define SHA256_HEX 65

struct sha256; /* opaque, heap */

struct sha256 *sha256_new(void); /* NULL: out of memory */
void sha256_add(struct sha256 *s, const void *p, size_t n);
void sha256_hex(struct sha256 *s, char out[SHA256_HEX]); /* ends the hash */
void sha256_free(struct sha256 *s);
/* Of a whole file under dirfd. */
int sha256_file(int dirfd, const char *path, char out[SHA256_HEX],
		struct err *e) MUST_CHECK;

#endif
