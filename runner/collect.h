/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_COLLECT_H
#define IRONRIG_COLLECT_H

#include "home.h"
#include "index.h"
#include "store.h"

#include <signal.h>

/*
 * From incoming/BOX/ into the store: verify, extract, rename, index. Every
 * step may be the last before a power cut: a result that is still in incoming
 * is done again, one that is in the store but not in the index is found at
 * the next pass, and a reason in quarantine is there before its file.
 */
enum collect_event {
	COLLECT_STORED,	   /* what: how it went, for people */
	COLLECT_INDEXED,   /* stood in the store, was not in the index */
	COLLECT_DUPLICATE, /* the same bytes were stored before: dropped */
	COLLECT_QUARANTINED, /* what: the reason */
	COLLECT_UNREADABLE,  /* in the store, but not a result: what: why */
	/*
	 * what: why it could not be taken now (EIO, no access, a full disk or
	 * quarantine). It is as it was, and the next pass tries again. file is
	 * "" when it is the box's whole folder.
	 */
	COLLECT_LEFT,
};

struct collect {
	const struct home *home;
	struct index *x;
	/* s is NULL but for STORED and INDEXED */
	void (*event)(void *arg, enum collect_event ev, const char *box,
		      const char *file, const struct store_read *s,
		      const char *what);
	void *arg;
	const volatile sig_atomic_t *stop; /* ends a pass between results */
};

/* The lock that collect and fsck hold; waits for it. A descriptor, or -1. */
int collect_lock(const struct home *h, struct err *e) MUST_CHECK;
/*
 * One pass over all boxes, under the lock. What cannot be taken is left with
 * an event, and the others are taken; -1 is for a pass that cannot even see
 * what there is.
 */
int collect_pass(const struct collect *c, struct err *e) MUST_CHECK;
/*
 * Its halves: what is in the store and not in the index, which asks for every
 * result there is, and what is in incoming. Whoever stays asks the first once.
 */
int collect_stored(const struct collect *c, struct err *e) MUST_CHECK;
int collect_incoming(const struct collect *c, struct err *e) MUST_CHECK;
/* Whether a file has the name of a result of this box. */
bool collect_is_result(const char *box, const char *file);
/*
 * Names below dir (under the home) that end in suffix, or all with NULL,
 * sorted; none when there is no such folder.
 */
int collect_names(const struct home *h, const char *dir, const char *suffix,
		  struct strlist *out, struct err *e) MUST_CHECK;

#define COLLECT_SUFFIX ".tar.lz4"

#endif
