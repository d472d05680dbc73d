/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_MAIL_H
#define IRONRIG_MAIL_H

#include "compare.h"
#include "evidence.h"
#include "show.h"

/*
 * The whole report: as a mail to send (nothing here sends it), or as the same
 * text without headers. Below MAIL_MAX bytes: of a long list of groups the
 * last are named, not told.
 */
#define MAIL_MAX 100000

struct mail_ask {
	bool headers;
	const char *reply_to; /* Message-ID, with or without <>; NULL */
	const char *reported_by, *closes; /* NULL: no such line */
	struct strlist to, cc;
	int64_t now_s;
};

/* ev[i] belongs to c->group[i]; the maps in them are used up. */
void mail_text(const struct show *s, const struct compare *c,
	       struct evidence *ev, const struct mail_ask *ask, struct buf *b);
/* What a report is about in one line: commit, stat, change, verdict. */
void mail_subject(const struct show *s, const struct compare *c,
		  const struct evidence *ev, struct buf *text);
/* ERR_INPUT for what would break a header: control characters. */
int mail_check(const struct mail_ask *ask, struct err *e) MUST_CHECK;

#endif
