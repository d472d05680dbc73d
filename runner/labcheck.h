/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_LABCHECK_H
#define IRONRIG_LABCHECK_H

#include "buf.h"
#include "home.h"

/*
 * Whether boxes will be let in and served here: what an admin otherwise finds
 * out from a box that does not come back. Nothing is changed.
 */
enum lab_level { LAB_GOOD, LAB_NOTE, LAB_BAD };

struct lab_finding {
	enum lab_level level;
	char what[200];
	char todo[200]; /* "" when there is nothing to do */
};

struct lab_report {
	struct lab_finding *v;
	size_t n;
	int bad;
};

/* -1 only when the looking itself failed. */
int labcheck_run(const struct home *home, struct lab_report *r, struct err *e)
	MUST_CHECK;
void labcheck_free(struct lab_report *r);

/* ---- the parts ----------------------------------------------------------- */

void lab_add(struct lab_report *r, enum lab_level level, const char *todo,
	     const char *fmt, ...) PRINTF_LIKE(4, 5);
/* The account's shell: it runs commands, and prints nothing of its own. */
void lab_shell(struct lab_report *r);
/* `sshd -T` of the machine's own sshd, for this account. */
void lab_sshd(struct lab_report *r);

#endif
