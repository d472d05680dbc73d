/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_HASHER_H
#define IRONRIG_HASHER_H

#include "err.h"
#include "sha256.h"

#include <sys/types.h>

/*
 * The SHA-256 of a file that grows, made in a thread beside its sending: for
 * whoever encrypts it, the hash would be another third of the work. It reads
 * the file for itself, from the cache.
 */
struct hasher; /* opaque, heap */

/* fd stays the caller's, and open until hasher_free(). */
int hasher_start(int fd, struct hasher **out, struct err *e) MUST_CHECK;
/* The file's first end bytes are there and will not change; never waits. */
void hasher_allow(struct hasher *h, off_t end);
/*
 * Waits for the hash of the first end bytes, which is all of them; once.
 * ERR_FORMAT when the file has less, ERR_SYS when it cannot be read.
 */
int hasher_end(struct hasher *h, off_t end, char hex[SHA256_HEX],
	       struct err *e) MUST_CHECK;
void hasher_free(struct hasher *h); /* also in the middle; NULL is harmless */

#endif
