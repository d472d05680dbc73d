/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_VERB_H
#define IRONRIG_VERB_H

#include "proto.h"
#include "ship.h"

/*
 * One verb of the run protocol over a connection: words there, data on stdin,
 * the answer line and what follows it back.
 */
#define VERB_LATER (-2)
/*
 * A verb's stdin: up to n bytes into p. Count; 0 at the end; VERB_LATER when
 * there is nothing yet (then the descriptor in .wait_fd becomes readable); -1.
 */
typedef ssize_t verb_source(void *arg, void *p, size_t n, struct err *e);
/* What follows the answer line on stdout. */
typedef int verb_sink(void *arg, const void *p, size_t n, struct err *e);

struct verb {
	const char *words;
	verb_source *source; /* NULL: empty stdin */
	verb_sink *sink;     /* NULL: bytes behind the answer are an error */
	void *arg;
	int wait_fd;
	int64_t deadline_ns;
};

struct verb_reply {
	struct proto_words words; /* .n == 0: there was no answer */
	char noise[128];	  /* what stood before it, its beginning */
	char said[256];		  /* remote stderr, its end */
	int exit_status;
};

/*
 * Runs one verb to its end. On failure with r->words.n != 0 the controller
 * refused: *e holds its kind and text and the connection is still good. Every
 * other failure leaves a connection that is good for ship_close() alone:
 * ERR_FORMAT (ended without or with a malformed answer, or with an exit status
 * that contradicts it), ERR_SYS (lost), ERR_TIMEOUT (deadline, or no progress
 * for two minutes), and what source and sink return.
 */
int verb_run(struct ship *s, const struct verb *v, struct verb_reply *r,
	     struct err *e) MUST_CHECK;

#endif
