// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Two kernel configurations, option by option.
 */
#include "confdiff.h"

#include <stdlib.h>
#include <string.h>

struct option {
	const char *name; /* from "CONFIG_" on, nlen bytes */
	const char *value;
	size_t nlen, vlen;
};

struct options {
	struct option *v;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	const struct option *x = a, *y = b;
	size_t n = x->nlen < y->nlen ? x->nlen : y->nlen;
	int order = memcmp(x->name, y->name, n);

	return order ? order : (x->nlen > y->nlen) - (x->nlen < y->nlen);
}

/* "CONFIG_X=value"; what is not set is not kept. */
static bool parse_line(const char *line, size_t n, struct option *o)
{
	const char *eq = memchr(line, '=', n);

	if (strncmp(line, "CONFIG_", 7) != 0 || !eq)
		return false;
	*o = (struct option){ line, eq + 1, (size_t)(eq - line),
			      n - (size_t)(eq + 1 - line) };
	return !(o->vlen == 1 && *o->value == 'n');
}

static int parse(const char *text, struct options *out, struct err *e)
{
	size_t lines = 1;

	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	out->v = calloc(lines, sizeof(*out->v));
	if (!out->v)
		return err_set(e, ERR_LIMIT, "out of memory");
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (parse_line(text, n, &out->v[out->n]))
			out->n++;
		text += n + (text[n] == '\n');
	}
	qsort(out->v, out->n, sizeof(*out->v), by_name);
	return 0;
}

static int say(const struct option *b, const struct option *h,
	       struct strlist *out, struct err *e)
{
	const struct option *name = b ? b : h;
	struct buf text = { 0 };
	int rc;

	buf_add(&text, name->name, name->nlen);
	buf_printf(&text, "=%.*s -> %.*s", b ? (int)b->vlen : 1,
		   b ? b->value : "n", h ? (int)h->vlen : 1,
		   h ? h->value : "n");
	rc = buf_ok(&text, e);
	if (!rc)
		rc = strlist_add(out, buf_str(&text), e);
	buf_free(&text);
	return rc;
}

static int merge(const struct options *b, const struct options *h,
		 struct strlist *out, struct err *e)
{
	size_t i = 0, k = 0;
	int rc = 0;

	while (!rc && (i < b->n || k < h->n)) {
		int order = i == b->n	? 1
			    : k == h->n ? -1
					: by_name(&b->v[i], &h->v[k]);
		const struct option *x = order <= 0 ? &b->v[i] : NULL;
		const struct option *y = order >= 0 ? &h->v[k] : NULL;

		if (!x || !y || x->vlen != y->vlen ||
		    memcmp(x->value, y->value, x->vlen) != 0)
			rc = say(x, y, out, e);
		i += order <= 0;
		k += order >= 0;
	}
	return rc;
}

int confdiff(const char *base, const char *head, struct strlist *out,
	     struct err *e)
{
	struct options b = { 0 }, h = { 0 };
	int rc = parse(base, &b, e);

	if (!rc)
		rc = parse(head, &h, e);
	if (!rc)
		rc = merge(&b, &h, out, e);
	free(b.v);
	free(h.v);
	return rc;
}
