/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_FSCK_H
#define IRONRIG_FSCK_H

#include "home.h"
#include "index.h"

/* Reads every tarball of the store into x; names the bad ones on stdout. */
int fsck_store(const struct home *h, struct index *x, unsigned long *good,
	       unsigned long *bad, struct err *e) MUST_CHECK;

/* For each run of an index "BOX LEASE SHA-256 of all it says", sorted. */
struct fsck_digests {
	struct strlist line;
};

int fsck_digest(struct index *x, struct fsck_digests *d, struct err *e)
	MUST_CHECK;
void fsck_digests_free(struct fsck_digests *d);
/* Prints what old lacks, has too much, or says differently; how many. */
unsigned long fsck_differences(const struct fsck_digests *old,
			       const struct fsck_digests *fresh);

/*
 * Prints files that belong to nothing: in the store, what has no result's
 * name; in quarantine, what has no reason. Adds how many to *wrong.
 */
int fsck_orphans(const struct home *h, unsigned long *wrong, struct err *e)
	MUST_CHECK;

#endif
