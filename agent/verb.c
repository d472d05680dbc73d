// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * One verb over a channel: a sliding offer of its input, its answer found in
 * its output, and an end on either side noticed between writes. Where bytes
 * come from and go to, and trying again, is the courier's.
 */
#include "verb.h"
#include "io.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What libssh2 1.10 puts into one packet at most. Offering less doubles the
 * CPU time, so the buffer is refilled while it still holds a whole one.
 */
#define PACKET	 32700
#define OFFER	 (256U << 10)
#define READ_BUF (64U << 10)

/* Between two looks at what the other side says while we write. */
#define LOOK_EVERY 245760

struct run {
	struct ship *s;
	struct ship_channel *ch;
	const struct verb *v;
	struct verb_reply *r;
	char *buf; /* OFFER bytes: [at, len) is not sent yet */
	size_t at, len;
	bool held;  /* half a packet is on the wire */
	bool ended; /* the source has */
	bool later; /* the source has nothing now */
	bool end_said;
	struct buf out; /* stdout up to the answer line */
	bool answered, refused;
	struct err refusal;
	char *in; /* READ_BUF bytes */
};

static int to_sink(struct run *x, const char *p, size_t n, struct err *e)
{
	if (!n)
		return 0;
	if (x->refused || !x->v->sink)
		return err_set(e, ERR_FORMAT,
			       "bytes behind the answer");
	return x->v->sink(x->v->arg, p, n, e);
}

static int on_stdout(struct run *x, const char *p, size_t n, struct err *e)
{
	size_t used, noise;
	int found;

	if (x->answered)
		return to_sink(x, p, n, e);
	buf_add(&x->out, p, n);
	if (buf_ok(&x->out, e))
		return -1;
	found = proto_answer(x->out.data, x->out.len, &x->r->words, &used,
			     &noise, &x->refusal);
	if (!found)
		return 0;
	if (found < 0 && !x->r->words.n) {
		*e = x->refusal;
		return -1;
	}
	x->refused = found < 0;
	x->answered = true;
	snprintf(x->r->noise, sizeof(x->r->noise), "%.*s", (int)noise,
		 x->out.data);
	return to_sink(x, x->out.data + used, x->out.len - used, e);
}

/* Keeps the end of it: the last line of a long complaint is the reason. */
static void on_stderr(struct run *x, const char *p, size_t n)
{
	size_t had = strlen(x->r->said), room = sizeof(x->r->said) - 1;

	if (n > room) {
		p += n - room;
		n = room;
	}
	if (had + n > room) {
		size_t drop = had + n - room;

		memmove(x->r->said, x->r->said + drop, had - drop);
		had -= drop;
	}
	memcpy(x->r->said + had, p, n);
	x->r->said[had + n] = '\0';
}

/* All that has come; *got says whether anything has. */
static int take(struct run *x, bool *got, struct err *e)
{
	ssize_t n;

	while ((n = ship_read(x->ch, SHIP_STDOUT, x->in, READ_BUF, e)) > 0) {
		*got = true;
		if (on_stdout(x, x->in, (size_t)n, e))
			return -1;
	}
	if (n < 0)
		return -1;
	while ((n = ship_read(x->ch, SHIP_STDERR, x->in, READ_BUF, e)) > 0) {
		*got = true;
		on_stderr(x, x->in, (size_t)n);
	}
	return n < 0 ? -1 : 0;
}

static int refill(struct run *x, struct err *e)
{
	x->later = false;
	while (!x->ended && !x->later && !x->held &&
	       x->len - x->at < PACKET) {
		ssize_t n;

		if (x->at) {
			memmove(x->buf, x->buf + x->at, x->len - x->at);
			x->len -= x->at;
			x->at = 0;
		}
		n = x->v->source(x->v->arg, x->buf + x->len, OFFER - x->len,
				 e);
		if (n == -1)
			return -1;
		if (n == VERB_LATER)
			x->later = true;
		else if (!n)
			x->ended = true;
		else
			x->len += (size_t)n;
	}
	return 0;
}

/* Offers what there is; returns when it would block, or to let take() look. */
static int give(struct run *x, bool *got, struct err *e)
{
	size_t sent = 0;

	while (!x->end_said && sent < LOOK_EVERY) {
		ssize_t n;

		if (refill(x, e))
			return -1;
		if (x->at == x->len && !x->ended)
			return 0;
		if (x->at == x->len) {
			n = ship_write_end(x->ch, e);
			x->end_said = n > 0;
		} else {
			n = ship_write(x->ch, x->buf + x->at, x->len - x->at,
				       &x->held, e);
			if (n > 0)
				x->at += (size_t)n;
		}
		if (n <= 0)
			return n ? -1 : 0;
		sent += (size_t)n;
		*got = true;
	}
	return 0;
}

/*
 * Both directions until the other side has said all. When it has answered, or
 * has ended, before it took everything (a full disk, a quota), no more is
 * offered: libssh2 would wait for a window that never comes. Only a packet
 * that is half on the wire must be brought to its end first.
 */
static int pump(struct run *x, struct err *e)
{
	for (;;) {
		bool got = false, gone;

		if (take(x, &got, e))
			return -1;
		gone = ship_ended(x->ch);
		if ((x->answered || gone) && !x->held) {
			x->ended = true;
			x->later = false;
			x->at = x->len;
		}
		if (gone && !x->held)
			return 0;
		if (give(x, &got, e))
			return -1;
		if (!got && ship_wait(x->s, x->later ? x->v->wait_fd : -1, e))
			return -1;
	}
}

/* Judges what came. */
static int conclude(struct run *x, struct err *e)
{
	char *last = x->r->said + strlen(x->r->said);

	while (last > x->r->said && last[-1] == '\n')
		*--last = '\0';
	if (x->refused) {
		*e = x->refusal;
		return -1;
	}
	if (x->answered && !x->r->exit_status)
		return 0;
	x->r->words.n = 0;
	last = strrchr(x->r->said, '\n');
	return err_set(e, ERR_FORMAT, "%s, exit status %d%s%s",
		       x->answered ? "answered" : "no answer",
		       x->r->exit_status, *x->r->said ? ": " : "",
		       last ? last + 1 : x->r->said);
}

int verb_run(struct ship *s, const struct verb *v, struct verb_reply *r,
	     struct err *e)
{
	struct run x = { .s = s, .v = v, .r = r, .ended = !v->source };
	int rc = -1;

	memset(r, 0, sizeof(*r));
	ship_deadline(s, v->deadline_ns);
	x.in = malloc(READ_BUF);
	x.buf = v->source ? malloc(OFFER) : NULL;
	if (!x.in || (v->source && !x.buf))
		err_set(e, ERR_LIMIT, "out of memory");
	else if (!(x.ch = ship_exec(s, v->words, e)) || pump(&x, e) ||
		 ship_hang_up(x.ch, &r->exit_status, e))
		r->words.n = 0;
	else
		rc = conclude(&x, e);
	if (rc && !r->words.n)
		err_prefix(e, "%s", v->words);
	ship_channel_free(x.ch);
	buf_free(&x.out);
	free(x.buf);
	free(x.in);
	return rc;
}
