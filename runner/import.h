/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_IMPORT_H
#define IRONRIG_IMPORT_H

#include "home.h"
#include "buf.h"
#include "stats/stats.h"

/* What is known of outputs that come from elsewhere. */
struct import {
	const struct stat_extractor *x;
	const char *box, *job, *kernel;
	const char *group;  /* NULL: the box */
	const char *params; /* NULL: none */
	struct strlist primary;
};

/* Takes the extractor's own primary stats when none were named. */
int import_primary(struct import *im, struct err *e) MUST_CHECK;
/* Whether the extractor understands the text; b keeps it. */
int import_check(const struct import *im, const char *name,
		 const struct buf *b, struct err *e) MUST_CHECK;
/*
 * Makes a result of one boot with one iteration that printed b, in
 * incoming/BOX; its file's name is appended.
 */
int import_file(const struct home *h, const struct import *im,
		const struct buf *b, int64_t mtime_s, struct buf *name,
		struct err *e) MUST_CHECK;

#endif
