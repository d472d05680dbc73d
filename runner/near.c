// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Names near to a mistyped one: by edit distance, or because one begins with
 * the other. Configuration keys have a search of their own (conf_near.c).
 */
#include "near.h"

#include <string.h>

enum { LONGEST = 64, SHOWN = 3, LISTED = 8, FAR = 1000 };

/* Levenshtein, one row at a time; names are conf_name_ok()'s, 64 at most. */
static int distance(const char *a, const char *b)
{
	int na = (int)strlen(a), nb = (int)strlen(b), row[LONGEST + 1];

	if (na > LONGEST || nb > LONGEST)
		return FAR;
	for (int k = 0; k <= nb; k++)
		row[k] = k;
	for (int i = 1; i <= na; i++) {
		int diagonal = row[0];

		row[0] = i;
		for (int k = 1; k <= nb; k++) {
			int d = diagonal + (a[i - 1] != b[k - 1]);

			diagonal = row[k];
			if (row[k] + 1 < d)
				d = row[k] + 1;
			if (row[k - 1] + 1 < d)
				d = row[k - 1] + 1;
			row[k] = d;
		}
	}
	return row[nb];
}

/* A third of it may be wrong; what begins alike is one step away. */
static int nearness(const char *what, const char *name)
{
	size_t n = strlen(what), m = strlen(name);
	int d = distance(what, name);

	if (n >= 3 && m >= 3 && !strncmp(what, name, n < m ? n : m))
		return 1;
	return 3 * d <= (int)n + 2 ? d : FAR;
}

void near_names(const struct strlist *have, const char *what, struct buf *out)
{
	size_t shown = 0;

	for (int d = 0; d <= LONGEST && shown < SHOWN; d++)
		for (size_t i = 0; i < have->n && shown < SHOWN; i++) {
			if (nearness(what, have->v[i]) != d)
				continue;
			buf_printf(out, "%s%s", shown ? ", " : ", near: ",
				   have->v[i]);
			shown++;
		}
	if (shown)
		return;
	for (size_t i = 0; i < have->n && i < LISTED; i++)
		buf_printf(out, "%s%s", i ? ", " : ", there is: ", have->v[i]);
	if (have->n > LISTED)
		buf_puts(out, ", ...");
}
