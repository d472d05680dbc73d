/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SANDBOX_H
#define IRONRIG_SANDBOX_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Confines this process for good, before it reads what a hostile box sent:
 * files only below the given folders, to be read or with writes also to be
 * changed (Landlock, from ABI 2 on: Linux 5.19), no new descriptors to the network, no program, no other process
 * (seccomp). Threads may still be made; what is open stays usable.
 *
 * A kernel without one of the two leaves that one out. -1: a kernel that has
 * it refused.
 */
struct sandbox {
	bool landlock, seccomp; /* what is in force */
};

int sandbox_enter(const int *folder, size_t n, bool writes,
		  struct sandbox *got, struct err *e) MUST_CHECK;

/* Does what takes time of it, for children that enter it. */
int sandbox_prepare(bool writes, struct err *e) MUST_CHECK;

#endif
