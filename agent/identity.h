/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_IDENTITY_H
#define IRONRIG_IDENTITY_H

#include "job.h"

/*
 * Who and where: fills the identity of *r from the request and the machine.
 * governor is what the tuning asks, NULL for none (it is part of the params
 * path).
 */
int identity_fill(const struct job_request *rq, const char *governor,
		  struct result *r, struct err *e) MUST_CHECK;
/*
 * The kernel's build-id as hex, from sys/kernel/notes (ELF notes, elf(5),
 * NT_GNU_BUILD_ID). ERR_NOTFOUND when there is none.
 */
int identity_build_id(int root, struct buf *hex, struct err *e) MUST_CHECK;

#endif
