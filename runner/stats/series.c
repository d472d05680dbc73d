// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Samples of one monitor reduced to first, last, sum and count; and the
 * scanner of a sample's text. Which values there are is left to the monitors.
 */
#include "series.h"
#include "num.h"

#include <stdlib.h>
#include <string.h>

enum {
	ITEMS_FIRST = 256,
	ITEMS_MAX = ITEMS_FIRST << 10,
};

void series_free(struct series *s)
{
	free(s->v);
	free(s->hash);
	buf_free(&s->keys);
	*s = (struct series){ 0 };
}

void series_window(struct series *s)
{
	for (size_t i = 0; i < s->n; i++) {
		s->v[i].n = 0;
		s->v[i].at_first = false;
		s->v[i].last_at = 0;
		s->v[i].sum = 0;
	}
	s->samples = 0;
	s->shape_first = 0;
	s->reshaped = false;
}

void series_sample(struct series *s, int64_t ns)
{
	if (!s->samples++)
		s->first_ns = ns;
	s->last_ns = ns;
	s->cursor = 0;
	s->shape = 0;
}

void series_sampled(struct series *s)
{
	if (s->samples == 1)
		s->shape_first = s->shape;
	else if (s->shape != s->shape_first)
		s->reshaped = true;
}

/* Keys hold no NUL, so strncmp() ends with the shorter one. */
static bool is(const struct series *s, size_t i, const char *key, size_t n,
	       unsigned int field)
{
	const char *k = s->keys.data + s->v[i].key;

	return s->v[i].field == field && !strncmp(k, key, n) && !k[n];
}

/* The slot of a key: its item's, or the free one where it belongs. */
static size_t slot(const struct series *s, const char *key, size_t n,
		   unsigned int field)
{
	uint64_t h = 0xcbf29ce484222325ULL ^ field; /* FNV-1a, 64 bit */
	size_t at;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)key[i]) * 0x100000001b3ULL;
	at = (h ^ h >> 32) & (s->nhash - 1);
	while (s->hash[at] && !is(s, s->hash[at] - 1, key, n, field))
		at = (at + 1) & (s->nhash - 1);
	return at;
}

static int grow(struct series *s, struct err *e)
{
	size_t cap = s->cap ? s->cap * 2 : ITEMS_FIRST;
	struct series_item *v;
	unsigned int *hash;

	if (cap > ITEMS_MAX)
		return err_set(e, ERR_LIMIT, "more than %d values in a sample",
			       ITEMS_MAX);
	v = reallocarray(s->v, cap, sizeof(*v));
	if (v)
		s->v = v;
	hash = v ? calloc(cap * 2, sizeof(*hash)) : NULL;
	if (!hash)
		return err_set(e, ERR_LIMIT, "out of memory");
	free(s->hash);
	s->hash = hash;
	s->nhash = cap * 2;
	s->cap = cap;
	for (size_t i = 0; i < s->n; i++) {
		const char *k = series_key(s, &s->v[i]);

		s->hash[slot(s, k, strlen(k), s->v[i].field)] =
			(unsigned int)i + 1;
	}
	return 0;
}

/* The item of a key, made when there is none. */
static int place(struct series *s, const char *key, size_t n,
		 unsigned int field, size_t *item, struct err *e)
{
	size_t at;

	if (memchr(key, '\0', n))
		return err_set(e, ERR_FORMAT, "a zero byte in the sample");
	if (s->n == s->cap && grow(s, e))
		return -1;
	at = slot(s, key, n, field);
	if (s->hash[at]) {
		*item = s->hash[at] - 1;
		return 0;
	}
	s->v[s->n] = (struct series_item){ .key = s->keys.len,
					   .field = field };
	buf_add(&s->keys, key, n);
	buf_add(&s->keys, "", 1);
	if (buf_ok(&s->keys, e))
		return -1;
	*item = s->n++;
	s->hash[at] = (unsigned int)s->n;
	return 0;
}

int series_add(struct series *s, const char *key, size_t n,
	       unsigned int field, double v, struct err *e)
{
	struct series_item *i;
	size_t at = s->cursor;

	if ((at >= s->n || !is(s, at, key, n, field)) &&
	    place(s, key, n, field, &at, e))
		return -1;
	s->cursor = at + 1;
	i = &s->v[at];
	if (s->samples == 1) {
		i->first = v;
		i->at_first = true;
	}
	i->last = v;
	i->last_at = s->samples;
	i->sum += v;
	i->n++;
	return 0;
}

double series_seconds(const struct series *s)
{
	if (s->samples < 2)
		return 0;
	return (double)(s->last_ns - s->first_ns) / 1e9;
}

bool series_delta(const struct series *s, const struct series_item *i,
		  double *d)
{
	if (s->samples < 2 || !i->at_first || i->last_at != s->samples ||
	    i->last < i->first)
		return false;
	*d = i->last - i->first;
	return true;
}

const struct series_item *series_find(const struct series *s, const char *key,
				      unsigned int field)
{
	size_t at;

	if (!s->n)
		return NULL;
	at = s->hash[slot(s, key, strlen(key), field)];
	return at && s->v[at - 1].n ? &s->v[at - 1] : NULL;
}

/* ---- a sample's text ----------------------------------------------------- */

bool sample_line(struct sample *t)
{
	const char *nl;

	if (t->at >= t->end)
		return false;
	nl = memchr(t->at, '\n', (size_t)(t->end - t->at));
	t->start = t->line = t->at;
	t->eol = nl ? nl : t->end;
	t->at = nl ? nl + 1 : t->end;
	if (t->eol > t->line && t->eol[-1] == '\r')
		t->eol--;
	t->no++;
	return true;
}

size_t sample_word(struct sample *t, const char **p)
{
	const char *at = t->line, *from;

	while (at < t->eol && (*at == ' ' || *at == '\t'))
		at++;
	from = at;
	while (at < t->eol && *at != ' ' && *at != '\t')
		at++;
	t->line = at;
	*p = from;
	return (size_t)(at - from);
}

bool sample_maybe_u64(struct sample *t, double *v)
{
	const char *at = t->line, *from;
	uint64_t n = 0;

	while (at < t->eol && (*at == ' ' || *at == '\t'))
		at++;
	from = at;
	for (; at < t->eol && *at >= '0' && *at <= '9'; at++) {
		if (n > (UINT64_MAX - 9) / 10)
			return false;
		n = n * 10 + (uint64_t)(*at - '0');
	}
	if (at == from || (at < t->eol && *at != ' ' && *at != '\t'))
		return false;
	t->line = at;
	*v = (double)n; /* exact to 2^53: counters of /proc stay below */
	return true;
}

int sample_double(struct sample *t, double *v, struct err *e)
{
	const char *p;
	char word[32];
	size_t n = sample_word(t, &p);

	if (n && n < sizeof(word)) {
		memcpy(word, p, n);
		word[n] = '\0';
		if (!num_double(word, v, NULL))
			return 0;
	}
	return sample_bad(t, e, "a number was expected");
}

int sample_u64(struct sample *t, double *v, struct err *e)
{
	if (sample_maybe_u64(t, v))
		return 0;
	return sample_bad(t, e, "a number was expected");
}

bool sample_starts(const struct sample *t, const char *s)
{
	size_t n = strlen(s);

	return (size_t)(t->eol - t->line) >= n && !memcmp(t->line, s, n);
}

int sample_bad(const struct sample *t, struct err *e, const char *what)
{
	ptrdiff_t n = t->eol - t->start;

	return err_set(e, ERR_FORMAT, "line %u of the sample: %s: \"%.*s\"",
		       t->no, what, (int)(n > 80 ? 80 : n), t->start);
}
