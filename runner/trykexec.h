/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_TRYKEXEC_H
#define IRONRIG_TRYKEXEC_H

#include "home.h"

#include <signal.h>
#include <stdbool.h>

/*
 * Whether a box can go from kernel to kernel by kexec and still reach home:
 * some NICs and watchdogs cannot. An experiment of one run that is booted by
 * kexec; when its result comes, the host file is given boot = "kexec", which
 * is what `ab' goes by. What is tried is the box's home kernel, from itself.
 */
struct trykexec {
	const struct home *home;
	const char *box;
	const volatile sig_atomic_t *stop;
	void (*say)(void *arg, const char *line);
	void *arg;
};

/*
 * Waits for it, tending the box. *works: the host file says kexec now; else
 * text tells what happened.
 */
int trykexec_run(const struct trykexec *t, bool *works, char text[256],
		 struct err *e) MUST_CHECK;

#endif
