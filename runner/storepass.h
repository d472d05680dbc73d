/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_STOREPASS_H
#define IRONRIG_STOREPASS_H

#include "store.h"

/* What passes between store.c's two processes. Nobody else includes this. */
struct store_reading {
	struct result r;
	struct conf_job job;
	bool have_job;
	struct gather *g; /* gather_end() was called */
	struct buf notes;
};

int storepass_out(const struct store_reading *from, struct buf *out,
		  struct err *e) MUST_CHECK;
/*
 * From s->said, which must stay as it is. ERR_FORMAT for what storepass_out()
 * cannot have written. name is used in messages.
 */
int storepass_in(struct store_read *s, const char *name, struct err *e)
	MUST_CHECK;

#endif
