/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_ASK_H
#define IRONRIG_ASK_H

#include "box.h"

/* The run protocol's small verbs, as the session speaks them. */

/* One verb; ERR_PEER also when the answer does not begin with want. */
int ask_verb(struct box *b, int64_t ms, const char *want,
	     struct proto_words *answer, struct err *e, const char *fmt, ...)
	PRINTF_LIKE(6, 7) MUST_CHECK;
/*
 * hello, until ms have passed. Sets the clock when it is off by more than
 * ASK_CLOCK_MS. ERR_CONFLICT: the controller takes this key for another box.
 */
#define ASK_CLOCK_MS 200 /* above the round trip's share of a busy network */
int ask_hello(struct box *b, int64_t ms, struct err *e) MUST_CHECK;
/*
 * Tells how it goes; lease and text may be NULL. Text is cut and its odd
 * characters replaced as the protocol wants it. A failure is only said on the
 * console: the controller's deadlines do not depend on it.
 */
void ask_state(struct box *b, const char *phase, const char *lease,
	       const char *text);
/*
 * The file of that name to path, whole or not at all; mode 0600. More than most
 * bytes are ERR_LIMIT; ASK_TEXT for what is read as text, ask_member() for what
 * goes into an image: a quarter of the memory, of which files may fill half.
 */
#define ASK_TEXT (1U << 20)
uint64_t ask_member(void);
int ask_get(struct box *b, const char *name, const char *path, uint64_t most,
	    int64_t ms, struct err *e) MUST_CHECK;
/*
 * The controller's host.cfg of this box, checked, in place of b->host, which
 * stays as it was on failure. A file for another box is ERR_CONFLICT.
 */
int ask_host(struct box *b, int64_t ms, struct err *e) MUST_CHECK;

#endif
