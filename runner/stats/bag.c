// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Rows of values by name, in a hash table (FNV-1a, open addressing).
 */
#include "bag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_FIRST = 1024, ROWS_MAX = 100000, VALUES_MAX = 16000000 };

struct row {
	double *sum;
	unsigned int *count;
};

struct bag {
	size_t places;
	struct gather_stat *stat;
	struct row *row;
	size_t n, cap;
	unsigned int *hash; /* row + 1, 0: free; twice .cap slots */
	bool divided;
};

struct bag *bag_new(size_t places)
{
	struct bag *b = calloc(1, sizeof(*b));

	if (b)
		b->places = places ? places : 1;
	return b;
}

void bag_free(struct bag *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++) {
		free((char *)b->stat[i].name);
		free((char *)b->stat[i].unit);
		free(b->row[i].sum);
		free(b->row[i].count);
	}
	free(b->stat);
	free(b->row);
	free(b->hash);
	free(b);
}

static size_t slot(const struct bag *b, const char *name)
{
	uint64_t h = 0xcbf29ce484222325ULL;
	size_t mask = b->cap * 2 - 1, at;

	for (const char *p = name; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3ULL;
	at = (h ^ h >> 32) & mask;
	while (b->hash[at] && strcmp(b->stat[b->hash[at] - 1].name, name) != 0)
		at = (at + 1) & mask;
	return at;
}

static int grow(struct bag *b, struct err *e)
{
	size_t cap = b->cap ? b->cap * 2 : ROWS_FIRST;
	struct gather_stat *stat = reallocarray(b->stat, cap, sizeof(*stat));
	struct row *row = reallocarray(b->row, cap, sizeof(*row));
	unsigned int *hash = calloc(cap * 2, sizeof(*hash));

	if (stat)
		b->stat = stat;
	if (row)
		b->row = row;
	if (!stat || !row || !hash) {
		free(hash);
		return err_set(e, ERR_LIMIT, "out of memory");
	}
	free(b->hash);
	b->hash = hash;
	b->cap = cap;
	for (size_t i = 0; i < b->n; i++)
		b->hash[slot(b, b->stat[i].name)] = (unsigned int)i + 1;
	return 0;
}

static int new_row(struct bag *b, const struct stat_value *v, bool per_run,
		   struct err *e)
{
	size_t n = per_run ? 1 : b->places;
	struct row r = { calloc(n, sizeof(double)),
			 calloc(n, sizeof(unsigned int)) };
	char *name = strdup(v->name), *unit = strdup(v->unit);

	if (!r.sum || !r.count || !name || !unit) {
		free(r.sum);
		free(r.count);
		free(name);
		free(unit);
		return err_set(e, ERR_LIMIT, "out of memory");
	}
	b->row[b->n] = r;
	b->stat[b->n] = (struct gather_stat){ .name = name, .unit = unit,
					      .better = v->better,
					      .per_run = per_run,
					      .value = r.sum, .n = n };
	b->n++;
	return 0;
}

int bag_add(struct bag *b, const struct stat_value *v, size_t place,
	    bool per_run, struct err *e)
{
	struct row *r;
	size_t at;

	if (b->n == b->cap && grow(b, e))
		return -1;
	at = slot(b, v->name);
	if (!b->hash[at]) {
		if (b->n >= ROWS_MAX || b->n * b->places >= VALUES_MAX)
			return err_set(e, ERR_LIMIT, "too many stats");
		if (new_row(b, v, per_run, e))
			return -1;
		b->hash[at] = (unsigned int)b->n;
	}
	r = &b->row[b->hash[at] - 1];
	if (b->stat[b->hash[at] - 1].per_run)
		place = 0;
	if (place >= b->stat[b->hash[at] - 1].n)
		return err_set(e, ERR_LIMIT, "%s: no iteration %zu", v->name,
			       place + 1);
	r->sum[place] += v->value;
	r->count[place]++;
	return 0;
}

const struct gather_stat *bag_rows(struct bag *b, size_t *n)
{
	for (size_t i = 0; !b->divided && i < b->n; i++)
		for (size_t k = 0; k < b->stat[i].n; k++)
			b->row[i].sum[k] = b->row[i].count[k] ?
				b->row[i].sum[k] / b->row[i].count[k] : NAN;
	b->divided = true;
	*n = b->n;
	return b->stat;
}
