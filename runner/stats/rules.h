/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_RULES_H
#define IRONRIG_RULES_H

#include "conf.h"
#include "text.h"

/*
 * A job's own extract rule: every line that its regular expression matches
 * gives the number of its group, as "TESTCASE.NAME", the n-th under run n.
 * ERR_FORMAT when a match is no number, or no line matches.
 */
int rules_text(const struct conf_extract *rule, const char *testcase,
	       struct text *t, struct stat_out *o, struct err *e) MUST_CHECK;

#endif
