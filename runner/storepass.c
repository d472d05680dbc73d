// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What was read of a result, as bytes and back. The way back trusts nothing:
 * who wrote them has read a hostile file.
 */
#include "storepass.h"
#include "confine.h"
#include "plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	STATS_MAX = 200000,	/* bag.h: 100,000 */
	VALUES_MAX = 16 << 20,	/* bag.h */
	PRIMARY_MAX = 1000,
};

static uint64_t to_u64(double v)
{
	uint64_t u;

	memcpy(&u, &v, sizeof(u));
	return u;
}

int storepass_out(const struct store_reading *from, struct buf *out,
		  struct err *e)
{
	const struct strlist none = { 0 };
	const struct strlist *primary =
		from->have_job ? &from->job.primary : &none;
	const struct gather_stat *v;
	struct buf text = { 0 };
	size_t n, values = 0;

	if (result_write(&from->r, &text, e)) {
		buf_free(&text);
		return -1;
	}
	confine_put_str(out, buf_str(&text));
	buf_free(&text);
	confine_put_str(out, buf_str(&from->notes));
	confine_put_u64(out, (uint64_t)(from->have_job ?
						from->job.iterations :
						gather_planned(from->g)));
	confine_put_u64(out, (uint64_t)gather_completed(from->g));
	confine_put_u64(out, primary->n);
	for (size_t i = 0; i < primary->n; i++)
		confine_put_str(out, primary->v[i]);
	v = gather_stats(from->g, &n);
	for (size_t i = 0; i < n; i++)
		values += v[i].n;
	confine_put_u64(out, n);
	confine_put_u64(out, values);
	for (size_t i = 0; i < n; i++) {
		confine_put_str(out, v[i].name);
		confine_put_str(out, v[i].unit);
		confine_put_u64(out, v[i].better);
		confine_put_u64(out, v[i].per_run);
		confine_put_u64(out, v[i].n);
		for (size_t k = 0; k < v[i].n; k++)
			confine_put_u64(out, to_u64(v[i].value[k]));
	}
	return buf_ok(out, e);
}

/* ---- the way back ------------------------------------------------------------ */

static int odd(struct err *e, const char *what)
{
	return err_set(e, ERR_FORMAT, "its reader gave an impossible %s", what);
}

static bool is_word(const char *s)
{
	return s && *s && plain_is(s) && !strchr(s, ' ');
}

/* Lines of text, in place. */
static int take_notes(struct confine_in *in, struct store_read *s,
		      struct err *e)
{
	const char *notes;

	if (confine_get_str(in, &notes, e))
		return -1;
	if (!notes)
		return odd(e, "note");
	s->notes = s->said.data + (notes - s->said.data);
	for (char *line = s->notes, *end; line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		plain_make(line, ' ');
		if (end)
			*end++ = '\n';
	}
	return 0;
}

static int take_primary(struct confine_in *in, struct store_read *s,
			struct err *e)
{
	const char *word;
	uint64_t n;

	if (confine_get_u64(in, PRIMARY_MAX, &n, e))
		return -1;
	while (n--) {
		if (confine_get_str(in, &word, e))
			return -1;
		if (!is_word(word))
			return odd(e, "primary");
		if (strlist_add(&s->primary, word, e))
			return -1;
	}
	return 0;
}

static int take_values(struct confine_in *in, double *to, size_t n,
		       struct err *e)
{
	const void *p = NULL;

	if (confine_get(in, &p, n * sizeof(*to), e))
		return -1;
	memcpy(to, p, n * sizeof(*to));
	for (size_t i = 0; i < n; i++)
		if (isinf(to[i]))
			return odd(e, "value");
	return 0;
}

static int take_stat(struct confine_in *in, struct gather_stat *st,
		     double **next, uint64_t *left, struct err *e)
{
	uint64_t better, per_run, n;

	if (confine_get_str(in, &st->name, e) ||
	    confine_get_str(in, &st->unit, e) ||
	    confine_get_u64(in, STAT_LOWER, &better, e) ||
	    confine_get_u64(in, 1, &per_run, e) ||
	    confine_get_u64(in, *left, &n, e))
		return -1;
	if (!is_word(st->name) || (st->unit && *st->unit &&
				   !is_word(st->unit)))
		return odd(e, "stat");
	st->better = (enum stat_better)better;
	st->per_run = per_run;
	st->value = *next;
	st->n = n;
	if (take_values(in, *next, n, e))
		return -1;
	*next += n;
	*left -= n;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The index takes each name once. */
static int check_names(const struct store_read *s, struct err *e)
{
	const char **name = calloc(s->nstat + 1, sizeof(*name));
	int rc = 0;

	if (!name)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (size_t i = 0; i < s->nstat; i++)
		name[i] = s->stat[i].name;
	qsort(name, s->nstat, sizeof(*name), by_name);
	for (size_t i = 1; i < s->nstat && !rc; i++)
		if (!strcmp(name[i - 1], name[i]))
			rc = odd(e, "pair of stats");
	free(name);
	return rc;
}

static int take_stats(struct confine_in *in, struct store_read *s,
		      struct err *e)
{
	uint64_t n, values;
	double *next;

	if (confine_get_u64(in, STATS_MAX, &n, e) ||
	    confine_get_u64(in, VALUES_MAX, &values, e))
		return -1;
	s->stat = calloc(n + 1, sizeof(*s->stat));
	next = s->value = calloc(values + 1, sizeof(*s->value));
	if (!s->stat || !s->value)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (s->nstat = 0; s->nstat < n; s->nstat++)
		if (take_stat(in, &s->stat[s->nstat], &next, &values, e))
			return -1;
	return in->left ? odd(e, "end") : check_names(s, e);
}

int storepass_in(struct store_read *s, const char *name, struct err *e)
{
	struct confine_in in = { s->said.data, s->said.len };
	uint64_t planned, completed;
	const char *text;

	if (confine_get_str(&in, &text, e))
		return -1;
	if (!text)
		return odd(e, "result.cfg");
	if (result_parse(text, name, &s->r, e) || take_notes(&in, s, e) ||
	    confine_get_u64(&in, INT32_MAX, &planned, e) ||
	    confine_get_u64(&in, INT32_MAX, &completed, e) ||
	    take_primary(&in, s, e))
		return -1;
	s->planned = (int)planned;
	s->completed = (int)completed;
	return take_stats(&in, s, e);
}
