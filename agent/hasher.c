// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A thread that hashes a file as far as it may. Without memory for a thread
 * the one who asks for the end does the work. When the file ends is its
 * user's knowledge.
 */
#include "hasher.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	PIECE = 128 << 10, /* stays in the second level cache */
	STACK = 128 << 10, /* pread(2) and OpenSSL need a few KiB */
};

struct hasher {
	int fd;
	struct sha256 *sha;
	char *piece; /* PIECE bytes, of whoever hashes */
	pthread_t thread;
	bool threaded;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock */
	off_t allowed;
	bool last; /* allowed grows no more */
	bool quit;
	/* the thread's, until it has ended */
	off_t done;
	int rc;
	struct err e;
};

/* Hashes from h->done to end. */
static int hash_to(struct hasher *h, off_t end)
{
	while (h->done < end) {
		off_t want = end - h->done;
		ssize_t n = pread(h->fd, h->piece,
				  want > PIECE ? PIECE : (size_t)want, h->done);

		if (n < 0)
			return err_sys(&h->e, "read");
		if (!n)
			return err_set(&h->e, ERR_FORMAT, "file shrank");
		sha256_add(h->sha, h->piece, (size_t)n);
		h->done += n;
	}
	return 0;
}

/* How far it may go now; waits for more than done. -1: quit. */
static off_t wait_allowed(struct hasher *h, bool *last)
{
	off_t end;

	pthread_mutex_lock(&h->lock);
	while (h->allowed <= h->done && !h->last && !h->quit)
		pthread_cond_wait(&h->changed, &h->lock);
	end = h->quit ? -1 : h->allowed;
	*last = h->last;
	pthread_mutex_unlock(&h->lock);
	return end;
}

static void *run(void *arg)
{
	struct hasher *h = arg;
	bool last = false;

	while (!last && !h->rc) {
		off_t end = wait_allowed(h, &last);

		if (end < 0)
			break;
		/* in turns: a quit is seen within a piece's time */
		if (end - h->done > PIECE) {
			end = h->done + PIECE;
			last = false;
		}
		h->rc = hash_to(h, end);
	}
	return NULL;
}

static void start_thread(struct hasher *h)
{
	pthread_attr_t a;

	if (pthread_attr_init(&a))
		return;
	h->threaded = !pthread_attr_setstacksize(&a, STACK) &&
		      !pthread_create(&h->thread, &a, run, h);
	pthread_attr_destroy(&a);
}

int hasher_start(int fd, struct hasher **out, struct err *e)
{
	struct hasher *h = calloc(1, sizeof(*h));

	*out = NULL;
	if (h) {
		h->fd = fd;
		h->sha = sha256_new();
		h->piece = malloc(PIECE);
		pthread_mutex_init(&h->lock, NULL);
		pthread_cond_init(&h->changed, NULL);
	}
	if (!h || !h->sha || !h->piece) {
		hasher_free(h);
		return err_set(e, ERR_LIMIT, "out of memory");
	}
	start_thread(h);
	*out = h;
	return 0;
}

/* To the thread: how far, whether that is all, whether to stop at once. */
static void tell(struct hasher *h, off_t end, bool last, bool quit)
{
	pthread_mutex_lock(&h->lock);
	if (end > h->allowed)
		h->allowed = end;
	h->last = h->last || last;
	h->quit = h->quit || quit;
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

void hasher_allow(struct hasher *h, off_t end)
{
	tell(h, end, false, false);
}

static void join(struct hasher *h)
{
	if (h->threaded)
		pthread_join(h->thread, NULL);
	h->threaded = false;
}

int hasher_end(struct hasher *h, off_t end, char hex[SHA256_HEX],
	       struct err *e)
{
	tell(h, end, true, false);
	join(h);
	if (!h->rc)
		h->rc = hash_to(h, end); /* nothing, but without a thread */
	if (h->rc) {
		*e = h->e;
		return -1;
	}
	sha256_hex(h->sha, hex);
	return 0;
}

void hasher_free(struct hasher *h)
{
	if (!h)
		return;
	if (h->threaded)
		tell(h, 0, false, true);
	join(h);
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->lock);
	sha256_free(h->sha);
	free(h->piece);
	free(h);
}
