/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_RECEIVE_PUT_H
#define IRONRIG_RECEIVE_PUT_H

#include "receive.h"
#include "verify.h"

/* One `put` under way. */
struct put {
	struct receive *r;
	const char *file; /* BOX.LEASE.tar.lz4 */
	char name[256];	  /* its part's name in incoming/BOX */
	char lease[LEASE_LEN + 1];
	int in, part;	  /* descriptors */
	bool ended;	  /* in has ended */
	bool unreadable;  /* the part, to us */
	uint64_t size, flushed, room; /* bytes: here, on their way, allowed */
	int64_t window_ns;	      /* progress is watched since */
	uint64_t window_bytes;
	struct sha256 *sha;
	char sha256[SHA256_HEX]; /* once the stream has ended */
};

/* ".FILE.part" */
void receive_put_part(const char *file, char *out, size_t size);
/* Sets p->room by the box's quota; ERR_LIMIT when nothing is left. */
int receive_put_room(struct put *p, struct err *e) MUST_CHECK;
/*
 * A whole stream with this result.cfg: who it says it is, then disk, then
 * name. What is not what the lease says is ERR_CONFLICT and in quarantine.
 */
int receive_put_finish(struct put *p, const struct result *result,
		       struct buf *answer, struct err *e) MUST_CHECK;
/* Quarantines the part with *e as its reason; returns -1, always. */
int receive_put_refuse(struct put *p, struct err *e);

#endif
