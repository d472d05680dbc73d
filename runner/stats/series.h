/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SERIES_H
#define IRONRIG_SERIES_H

#include "buf.h"
#include "stats.h"

/*
 * The samples of one monitor inside one window, reduced as they come: for
 * every (key, field) the first and last value, the sum and the count. Keys
 * stay from window to window, so that a sample is matched by position and
 * only a change of order costs a lookup.
 */
struct series_item {
	size_t key; /* offset in .keys, NUL-terminated */
	unsigned int field;
	unsigned int n;	      /* samples that had it */
	bool at_first;	      /* the window's first sample had it */
	unsigned int last_at; /* the last sample that had it, from 1 */
	double first, last, sum;
};

struct series {
	struct series_item *v;
	size_t n, cap;
	size_t cursor;
	struct buf keys;
	unsigned int *hash; /* item + 1, 0: free */
	size_t nhash;	    /* a power of two */
	unsigned int samples; /* in this window */
	int64_t first_ns, last_ns;
	/*
	 * A digest of what makes two samples comparable (which CPUs have a
	 * column); the parser may set .shape.
	 */
	uint64_t shape, shape_first;
	bool reshaped; /* it was not the same in every sample */
};

void series_free(struct series *s);
void series_window(struct series *s); /* starts the next window */
void series_sample(struct series *s, int64_t ns); /* starts a sample */
void series_sampled(struct series *s);		  /* ends it */
/* The key need not be terminated. ERR_LIMIT beyond some 200,000 items. */
int series_add(struct series *s, const char *key, size_t n,
	       unsigned int field, double v, struct err *e) MUST_CHECK;

static inline const char *series_key(const struct series *s,
				     const struct series_item *i)
{
	return s->keys.data + i->key;
}

/* Seconds between the first and the last sample; 0 with fewer than two. */
double series_seconds(const struct series *s);
/*
 * Last minus first. False when the item was not in both, there is only one
 * sample, or it went backwards: then it is missing.
 */
bool series_delta(const struct series *s, const struct series_item *i,
		  double *d);
/* The item of a key; NULL when the window has none. */
const struct series_item *series_find(const struct series *s, const char *key,
				      unsigned int field);

/* ---- a sample's text ----------------------------------------------------- */

/* Lines and words of a sample, which is only read. */
struct sample {
	const char *at, *end;	/* the rest of the text */
	const char *line, *eol; /* the rest of the current line */
	const char *start;	/* its start, for messages */
	unsigned int no;
};

bool sample_line(struct sample *t);
/* The next word of the line; 0: none left. */
size_t sample_word(struct sample *t, const char **p);
/* The next word as a number; ERR_FORMAT naming the line. */
int sample_u64(struct sample *t, double *v, struct err *e) MUST_CHECK;
/* The same with a fraction or an exponent. */
int sample_double(struct sample *t, double *v, struct err *e) MUST_CHECK;
/* A whole number when there is one: false at the end of the line or at a word.
 */
bool sample_maybe_u64(struct sample *t, double *v);
bool sample_starts(const struct sample *t, const char *s);
int sample_bad(const struct sample *t, struct err *e, const char *what);

/* How a monitor's samples become stats. */
struct monitor {
	/* Gives every value of a sample to series_add(). */
	int (*parse)(struct series *s, struct sample *t, struct err *e);
	/* Emits what a window's series says. */
	int (*finish)(const struct series *s, struct stat_out *o,
		      struct err *e);
	/* Every sample counts (levels), not only the first and last. */
	bool levels;
};

#endif
