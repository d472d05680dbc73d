/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_TEND_H
#define IRONRIG_TEND_H

#include "home.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A box that is silent in the middle of a boot or a run, for longer than
 * either may take, cannot be asked any more. First its iPXE script is pointed
 * back at the home kernel, because a power cycle would land in the same dead
 * kernel again; then its power command is run. What was lost by that the plan
 * learns when the box says hello.
 */
enum tend_did {
	TEND_FINE,    /* nothing is overdue */
	TEND_WAITS,   /* it was cycled, and may still be booting */
	TEND_CYCLED,  /* just now */
	TEND_FAILED,  /* its power command did not work */
	TEND_NO_POWER, /* overdue, but the host file has no power command */
	TEND_CAP,     /* overdue, and cycled power.max_cycles times in a row */
};

struct tend {
	enum tend_did did;
	int cycles;	  /* in a row, with this one */
	int64_t silent_s; /* of an overdue box */
	char text[256];	  /* a sentence for people, "" for TEND_FINE */
};

/* now_s is UNIX time. -1: the box could not be looked at. */
int tend_box(const struct home *home, const char *box, int64_t now_s,
	     struct tend *t, struct err *e) MUST_CHECK;
/* Whether it will not come back by itself, or by another tend_box(). */
bool tend_lost(const struct tend *t);

#endif
