// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Bringing one file home while it may still grow: have, put from there, and
 * again until the controller holds the very same bytes.
 */
#include "courier_job.h"
#include "io.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Up to here asking what is there already costs more than sending it again: a
 * verb is four round trips and a process on the controller.
 */
#define SMALL (256 << 10)

/* What the caller says about the file meanwhile. */
static void hear(struct courier_job *j)
{
	struct courier_request news;
	ssize_t n;

	while ((n = recv(j->c->sock, &news, sizeof(news), MSG_DONTWAIT)) > 0) {
		j->whole = j->whole || news.ask == COURIER_WHOLE;
		j->spoilt = j->spoilt || news.ask == COURIER_SPOILT;
	}
	if (!n)
		_exit(0); /* the caller is gone */
}

static ssize_t put_source(void *arg, void *p, size_t n, struct err *e)
{
	struct courier_job *j = arg;
	bool whole;
	ssize_t got;

	hear(j);
	whole = j->whole; /* before the read: what comes later is not the end */
	got = pread(j->fd, p, n, j->at);
	if (got < 0) {
		j->own_fault = true;
		return err_sys(e, "%s", j->rq->words);
	}
	if (got > 0) {
		j->at += got;
		hasher_allow(j->hasher, j->at);
		return got;
	}
	if (j->spoilt)
		return err_set(e, ERR_FORMAT, "packing failed");
	return whole ? 0 : VERB_LATER;
}

/* Until the file is complete: only then can it be compared. */
static int wait_whole(struct courier_job *j, struct err *e)
{
	struct pollfd p = { .fd = j->c->sock, .events = POLLIN };

	for (;;) {
		int64_t ns = j->rq->deadline_ns - io_monotonic_ns();

		hear(j);
		if (j->whole)
			return 0;
		if (j->spoilt)
			return err_set(e, ERR_FORMAT, "%s: packing failed",
				       j->rq->words);
		if (ns <= 0)
			return err_set(e, ERR_TIMEOUT, "%s: deadline",
				       j->rq->words);
		poll(&p, 1, (int)(ns / 1000000 % 3600000 + 1));
	}
}

/* "ok|done SIZE SHA256" must be this file. */
static int same(struct courier_job *j, const struct proto_words *w,
		char sha256[SHA256_HEX], struct err *e)
{
	struct stat st;
	char size[24];

	if (wait_whole(j, e))
		return -1;
	if (fstat(j->fd, &st))
		return err_sys(e, "%s", j->rq->words);
	if (hasher_end(j->hasher, st.st_size, sha256, e))
		return err_prefix(e, "%s", j->rq->words);
	snprintf(size, sizeof(size), "%lld", (long long)st.st_size);
	if (w->n == 3 && !strcmp(w->v[1], size) && !strcmp(w->v[2], sha256))
		return 0;
	return err_set(e, ERR_PEER, "%s: the controller holds another one",
		       j->rq->words);
}

/* Where to go on, from the answer of have. */
static int offset(struct courier_job *j, const struct proto_words *w, struct err *e)
{
	struct stat st;
	char *end = NULL;
	unsigned long long part = 0;

	if (w->n == 2 && !strcmp(w->v[0], "part"))
		part = strtoull(w->v[1], &end, 10);
	else if (w->n != 1 || strcmp(w->v[0], "none"))
		return err_set(e, ERR_PEER, "have: unknown answer \"%s\"",
			       w->v[0]);
	if (end && *end)
		return err_set(e, ERR_PEER, "have: bad size");
	if (fstat(j->fd, &st))
		return err_sys(e, "%s", j->rq->words);
	/* More than there is: not ours, or of an agent that died. */
	j->at = part <= (unsigned long long)st.st_size ? (off_t)part : 0;
	hasher_allow(j->hasher, j->at);
	return 0;
}

static int resume(struct courier_job *j, struct verb_reply *r, struct err *e)
{
	char words[PROTO_LINE + 64];
	struct verb have = { .words = words, .wait_fd = -1 };
	int rc;

	snprintf(words, sizeof(words), "have %s", j->rq->words);
	do {
		rc = courier_verb(j, &have, r, e);
	} while (rc > 0);
	if (rc)
		return -1;
	return !strcmp(r->words.v[0], "done") ? 1 : offset(j, &r->words, e);
}

static int bring(struct courier_job *j, struct courier_reply *rp,
		 struct err *e)
{
	struct verb_reply r;
	struct stat st;
	char words[PROTO_LINE + 64];
	bool first = true;
	int rc;

	j->whole = j->rq->whole;
	if (fstat(j->fd, &st))
		return err_sys(e, "%s", j->rq->words);
	do {
		struct verb put = { .words = words, .source = put_source,
				    .arg = j, .wait_fd = j->c->sock };

		rc = first && j->whole && st.st_size <= SMALL ?
			     0 : resume(j, &r, e);
		first = false;
		if (rc < 0)
			return -1;
		if (rc)
			break; /* done already */
		snprintf(words, sizeof(words), "put %s %lld", j->rq->words,
			 (long long)j->at);
		rc = courier_verb(j, &put, &r, e);
	} while (rc > 0);
	return rc < 0 ? -1 : same(j, &r.words, rp->sha256, e);
}

int courier_bring(struct courier_job *j, struct courier_reply *rp,
		  struct err *e)
{
	int rc = hasher_start(j->fd, &j->hasher, e);

	if (!rc)
		rc = bring(j, rp, e);
	hasher_free(j->hasher);
	j->hasher = NULL;
	return rc;
}
