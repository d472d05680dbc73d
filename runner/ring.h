/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_RING_H
#define IRONRIG_RING_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Pieces of a stream handed from one thread to another without copying: the
 * producer fills a slot, hands it over and may still read it until it asks
 * for the next one but RING_SLOTS - 1; the consumer sees them in order.
 */
#define RING_SLOTS 8
#define RING_PIECE (256U << 10) /* bytes; below this the wake-ups show */

struct ring;

struct ring *ring_new(struct err *e);
/* Waits for a free slot; NULL when the consumer has given up. */
char *ring_slot(struct ring *r);
void ring_hand_over(struct ring *r, size_t n);
void ring_end(struct ring *r); /* no more pieces */
/* Consumer: the next piece, valid until the next call; 0 at the end. */
ssize_t ring_take(void *ring, const void **p, struct err *e);
void ring_give_up(struct ring *r); /* consumer: takes no more */
bool ring_given_up(struct ring *r);
void ring_free(struct ring *r); /* both threads are done with it */

#endif
