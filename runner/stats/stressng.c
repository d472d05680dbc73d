// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * stress-ng(1) with --metrics or --metrics-brief: bogo operations of each
 * stressor. Lines start "stress-ng: metrc: [PID]", before 0.14 "info:". A
 * stressor that failed makes the figures worth nothing.
 */
#include "extractors.h"

#include <string.h>

/* Behind "stress-ng: KIND: [PID] "; NULL: not such a line. */
static char *behind_tag(struct text *t, const char *kind)
{
	char *p = strstr(t->line, "stress-ng: "), *end;

	if (!p)
		return NULL;
	p += strlen("stress-ng: ");
	if (text_is_number(p)) /* --timestamp: "04:38:40.30 " */
		p += strcspn(p, " ") + strspn(p + strcspn(p, " "), " ");
	if (strncmp(p, kind, strlen(kind)) != 0)
		return NULL;
	end = strchr(p, ']');
	return end ? end + 1 : NULL;
}

/* NAME OPS REAL USR SYS OPS/S(real) OPS/S(usr+sys) … */
static int stressor(struct text *t, char *p, bool *any, struct stat_out *o,
		    struct err *e)
{
	double v[6];
	const char *name;
	int n;

	if (strstr(p, "miscellaneous") || !*p)
		return 0;
	name = text_word(&p);
	n = text_numbers(t, p, v, 6, e);
	if (n < 0)
		return -1;
	if (n != 6)
		return 0; /* the header, or one of the other metrics */
	if (v[1] <= 0)
		return 0; /* it did not run: no rate */
	*any = true;
	if (stat_put(o, "ops", STAT_NONE, v[0], e, "stress-ng.%s.ops", name) ||
	    stat_put(o, "ops", STAT_NONE, v[0], e, STAT_OPS))
		return -1;
	return stat_put(o, "ops/s", STAT_HIGHER, v[4], e,
			"stress-ng.%s.ops_per_sec", name);
}

int stressng_text(struct text *t, struct stat_out *o, struct err *e)
{
	bool any = false, in_table = false;

	while (text_next(t)) {
		char *p;

		if (behind_tag(t, "fail") || behind_tag(t, "error") ||
		    strstr(t->line, "unsuccessful run completed"))
			return text_bad(t, e, "stress-ng failed");
		if (strstr(t->line, "dispatching hogs")) {
			o->run++;
			in_table = false;
		}
		p = behind_tag(t, "metrc");
		if (!p)
			p = behind_tag(t, "info");
		if (!p)
			continue;
		if (strstr(p, "bogo ops")) {
			in_table = true;
			o->run += !o->run;
		} else if (in_table && stressor(t, p, &any, o, e)) {
			return -1;
		}
	}
	return any ? 0 : text_nothing(t, "metrics (run it with --metrics)", e);
}
