// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The known key nearest to an unknown one, for messages.
 */
#include "conf_near.h"

#include <string.h>

#define LONG 48 /* more than any key; longer ones have no near one */

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Levenshtein, one row at a time. */
static unsigned int distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned int row[LONG + 1];

	if (na > LONG || nb > LONG)
		return LONG;
	for (unsigned int k = 0; k <= nb; k++)
		row[k] = k;
	for (unsigned int i = 1; i <= na; i++) {
		unsigned int diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= nb; k++) {
			unsigned int cost = a[i - 1] != b[k - 1];
			unsigned int d = min3(row[k] + 1, row[k - 1] + 1,
					      diagonal + cost);

			diagonal = row[k];
			row[k] = d;
		}
	}
	return row[nb];
}

static const char *last_part(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

struct search {
	const char *path;
	unsigned int best;
	struct buf *out;
};

static void offer(struct search *s, const char *prefix, const char *known,
		  size_t n, unsigned int d)
{
	if (d >= s->best)
		return;
	s->best = d;
	buf_reset(s->out);
	buf_printf(s->out, "%s%s%.*s", prefix, *prefix ? "." : "", (int)n,
		   known);
}

static void search(struct search *s, const struct conf_key *table,
		   const char *prefix)
{
	const char *mine = last_part(s->path);

	for (const struct conf_key *k = table; k->path; k++) {
		const char *theirs = last_part(k->path);
		size_t group = strcspn(k->path, ".");

		offer(s, prefix, k->path, strlen(k->path),
		      distance(s->path, strlen(s->path), k->path,
			       strlen(k->path)) +
			      (*prefix ? 1 : 0));
		/* the right name in the wrong group */
		offer(s, prefix, k->path, strlen(k->path),
		      distance(mine, strlen(mine), theirs, strlen(theirs)) + 1);
		if (k->path[group])
			offer(s, prefix, k->path, group,
			      distance(s->path, strlen(s->path), k->path,
				       group));
		if (k->type == CONF_SUB)
			search(s, k->sub, k->path);
	}
}

bool conf_near_key(const struct conf_key *table, const char *path,
		   struct buf *out)
{
	struct search s = { .path = path, .best = LONG, .out = out };

	search(&s, table, "");
	/* more than half of it wrong is not near */
	return s.best <= (strlen(last_part(path)) + 1) / 2;
}
