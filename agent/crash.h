/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CRASH_H
#define IRONRIG_CRASH_H

#include "buf.h"

#include <stdbool.h>

/*
 * What the kernel before this one left in pstore (ramoops, EFI): kept until
 * it is home.
 */
struct crash {
	struct strlist file; /* names in sys/fs/pstore, sorted */
	char lease[33]; /* the last one named in them, "" */
	char what[160]; /* the line that says what happened, "" */
};

/* Reads below root; no pstore is an empty crash. */
int crash_look(int root, struct crash *c, struct err *e) MUST_CHECK;
/* Copies the files to the folder to (made when there is something). */
int crash_copy(int root, const struct crash *c, const char *to,
	       struct err *e) MUST_CHECK;
/* They are home: frees their room in pstore. */
void crash_forget(int root, struct crash *c);
void crash_free(struct crash *c);

/*
 * From the text of a kernel log: the last "lease LEASE" of the agent's notes,
 * and the first line of the worst kind (panic before BUG before Oops before
 * WARNING). Empty strings for what is not there.
 */
void crash_read(const char *text, char lease[33], char *what, size_t size);

#endif
