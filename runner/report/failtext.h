/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_FAILTEXT_H
#define IRONRIG_FAILTEXT_H

#include "../home.h"
#include "compare.h"

/*
 * The kernel's own words about a failure, from the first of these that has
 * them: the log in the result itself; pstore's records, which the box's next
 * result brought; the console text of that boot.
 */
struct failtext {
	char *where; /* below the home; NULL: nothing was found */
	struct buf text; /* the report alone, at most FAILTEXT_LINES lines */
};
#define FAILTEXT_LINES 40

/* What cannot be read is as if it were not there; only memory can run out. */
int failtext_find(const struct home *h, const struct compare_failure *f,
		  struct failtext *out, struct err *e) MUST_CHECK;
/*
 * The report in a log: from the line that says `what` ("dmesg.PLACE"; other
 * words: whatever fault comes first) to the end of its trace. Without levels
 * and without what a terminal would take for commands. false: there is none.
 */
bool failtext_cut(const char *log, const char *what, struct buf *out);
void failtext_free(struct failtext *t);

#endif
