/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_BODY_H
#define IRONRIG_BODY_H

#include "mail.h"

/*
 * What a report consists of, in its order. Every rendering walks the same
 * parts; only the table is each rendering's own.
 */
enum body_part {
	BODY_SUMMARY,
	BODY_KERNELS,
	BODY_TAGS,
	/* of each group */
	BODY_TEST,
	BODY_TABLE,
	BODY_FAILURES,
	BODY_TIMES,
	BODY_STABILITY,
	BODY_REPRODUCE,
	BODY_REST, /* groups that are left out */
	/* of the kernels */
	BODY_BUILDS,
	BODY_CONFIG,
	BODY_LAYOUT,
};

typedef void body_fn(void *arg, enum body_part part, size_t group,
		     struct evidence *ev);
/*
 * Calls fn for every part; ev has one element a group. A group, but for the
 * first, with which *out, which fn fills, has more than `most` bytes is taken
 * out again, and the rest with it.
 */
void body_walk(const struct compare *c, struct evidence *ev, body_fn *fn,
	       void *arg, struct buf *out, size_t most);
/*
 * A part as text: paragraphs, each with an empty line behind it, in which a
 * line that begins with a blank or tab is preformatted. BODY_TABLE has none.
 */
void body_text(const struct show *s, const struct compare *c, size_t group,
	       struct evidence *ev, const struct mail_ask *ask,
	       enum body_part part, struct buf *b);

#endif
