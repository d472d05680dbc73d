// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A bounded queue of big pieces between two threads. What the pieces are is
 * its users' business.
 */
#include "ring.h"

#include <pthread.h>
#include <stdlib.h>

struct ring {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t len[RING_SLOTS];
	unsigned int head, tail; /* handed over, taken; never wrapped back */
	bool taking;		 /* the consumer still reads slot tail */
	bool ended, given_up;
	char slot[RING_SLOTS][RING_PIECE];
};

struct ring *ring_new(struct err *e)
{
	struct ring *r = calloc(1, sizeof(*r));

	if (!r) {
		err_set(e, ERR_LIMIT, "out of memory");
		return NULL;
	}
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	return r;
}

char *ring_slot(struct ring *r)
{
	char *p;

	pthread_mutex_lock(&r->lock);
	while (r->head - r->tail == RING_SLOTS && !r->given_up)
		pthread_cond_wait(&r->changed, &r->lock);
	p = r->given_up ? NULL : r->slot[r->head % RING_SLOTS];
	pthread_mutex_unlock(&r->lock);
	return p;
}

void ring_hand_over(struct ring *r, size_t n)
{
	pthread_mutex_lock(&r->lock);
	r->len[r->head++ % RING_SLOTS] = n;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

void ring_end(struct ring *r)
{
	pthread_mutex_lock(&r->lock);
	r->ended = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

ssize_t ring_take(void *ring, const void **p, struct err *e)
{
	struct ring *r = ring;
	ssize_t n = 0;

	(void)e;
	pthread_mutex_lock(&r->lock);
	if (r->taking) {
		r->taking = false;
		r->tail++;
		pthread_cond_broadcast(&r->changed);
	}
	while (r->head == r->tail && !r->ended)
		pthread_cond_wait(&r->changed, &r->lock);
	if (r->head != r->tail) {
		*p = r->slot[r->tail % RING_SLOTS];
		n = (ssize_t)r->len[r->tail % RING_SLOTS];
		r->taking = true;
	}
	pthread_mutex_unlock(&r->lock);
	return n;
}

void ring_give_up(struct ring *r)
{
	pthread_mutex_lock(&r->lock);
	r->given_up = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

bool ring_given_up(struct ring *r)
{
	bool up;

	pthread_mutex_lock(&r->lock);
	up = r->given_up;
	pthread_mutex_unlock(&r->lock);
	return up;
}

void ring_free(struct ring *r)
{
	if (!r)
		return;
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r);
}
