// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A small JSON reader that calls back for every scalar. It builds nothing,
 * so its memory is the path.
 */
#include "jsonread.h"
#include "num.h"

#include <ctype.h>
#include <string.h>

enum { DEPTH_MAX = 64, SCALAR_MAX = 64 };

struct json {
	struct text *t;
	char *at, *end;
	struct buf path, string;
	json_fn *fn;
	void *arg;
	struct err *e;
};

bool jsonread_starts(const struct text *t)
{
	return t->line[strspn(t->line, " \t")] == '{';
}

static int bad(struct json *j, const char *what)
{
	char near[48];
	size_t n = (size_t)(j->end - j->at);

	n = n < sizeof(near) - 1 ? n : sizeof(near) - 1;
	memcpy(near, j->at, n);
	near[n] = '\0';
	near[strcspn(near, "\r\n")] = '\0';
	return err_set(j->e, ERR_FORMAT, "%s:%u: JSON: %s at \"%s\"",
		       j->t->name, j->t->no, what, near);
}

static char skip(struct json *j)
{
	for (; j->at < j->end && isspace((unsigned char)*j->at); j->at++)
		if (*j->at == '\n')
			j->t->no++;
	return j->at < j->end ? *j->at : '\0';
}

/* \uXXXX beyond ASCII becomes '?': no name or unit of ours holds one. */
static int escape(struct json *j)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *hit;
	unsigned int code = 0;
	char c;

	if (++j->at >= j->end)
		return bad(j, "a cut string");
	hit = *j->at ? strchr(from, *j->at) : NULL;
	if (hit) {
		buf_add(&j->string, &to[hit - from], 1);
		return 0;
	}
	if (*j->at != 'u' || j->end - j->at < 5)
		return bad(j, "a bad escape");
	for (int i = 1; i <= 4; i++) {
		c = j->at[i];
		if (!isxdigit((unsigned char)c))
			return bad(j, "a bad escape");
		code = code * 16 + (unsigned int)(isdigit((unsigned char)c) ?
				   c - '0' : (c | 32) - 'a' + 10);
	}
	c = code && code < 128 ? (char)code : '?';
	buf_add(&j->string, &c, 1);
	j->at += 4;
	return 0;
}

static int string(struct json *j)
{
	buf_reset(&j->string);
	for (j->at++; j->at < j->end && *j->at != '"'; j->at++) {
		if ((unsigned char)*j->at < ' ')
			return bad(j, "a control character in a string");
		if (*j->at != '\\')
			buf_add(&j->string, j->at, 1);
		else if (escape(j))
			return -1;
	}
	if (j->at >= j->end)
		return bad(j, "a cut string");
	j->at++;
	return buf_ok(&j->string, j->e);
}

static int give(struct json *j, const char *text, double number)
{
	struct json_value v = { .path = buf_str(&j->path), .string = text,
				.number = number };

	if (buf_ok(&j->path, j->e))
		return -1;
	return j->fn(j->arg, &v, j->e);
}

static int scalar(struct json *j)
{
	char word[SCALAR_MAX];
	size_t n = 0;
	double v;

	while (j->at + n < j->end && n < sizeof(word) - 1 &&
	       (isalnum((unsigned char)j->at[n]) || strchr("+-.", j->at[n])))
		n++;
	memcpy(word, j->at, n);
	word[n] = '\0';
	if (!strcmp(word, "true") || !strcmp(word, "false") ||
	    !strcmp(word, "null")) {
		j->at += n;
		return give(j, word, 0);
	}
	if (!n || num_double(word, &v, NULL))
		return bad(j, "neither a value nor a number");
	j->at += n;
	return give(j, NULL, v);
}

static int value(struct json *j, int depth);

/* One element of an object or array; its part of the path is taken off. */
static int element(struct json *j, bool object, unsigned int i, int depth)
{
	size_t had = j->path.len;
	int rc;

	if (object) {
		if (skip(j) != '"')
			return bad(j, "a name was expected");
		if (string(j))
			return -1;
		buf_printf(&j->path, "%s%s", had ? "." : "",
			   buf_str(&j->string));
		if (skip(j) != ':')
			return bad(j, "':' was expected");
		j->at++;
	} else {
		buf_printf(&j->path, "[%u]", i);
	}
	rc = value(j, depth + 1);
	if (!rc && buf_ok(&j->path, j->e))
		rc = -1;
	if (!rc) {
		j->path.len = had;
		j->path.data[had] = '\0';
	}
	return rc;
}

static int value(struct json *j, int depth)
{
	char open = skip(j), close = open == '{' ? '}' : ']';

	if (depth > DEPTH_MAX)
		return bad(j, "nested too deep");
	if (open == '"')
		return string(j) ? -1 : give(j, buf_str(&j->string), 0);
	if (open != '{' && open != '[')
		return scalar(j);
	j->at++;
	if (skip(j) == close) {
		j->at++;
		return 0;
	}
	for (unsigned int i = 0;; i++) {
		char c;

		if (element(j, open == '{', i, depth))
			return -1;
		c = skip(j);
		if (c != ',' && c != close)
			return bad(j, "',' or the end was expected");
		j->at++;
		if (c == close)
			return 0;
	}
}

int jsonread_walk(struct text *t, json_fn *fn, void *arg, struct err *e)
{
	struct json j = { .t = t, .at = t->line, .end = t->end, .fn = fn,
			  .arg = arg, .e = e };
	char *eol;
	int rc;

	/* text_next() cut the line off: put its end back */
	if (t->at <= t->end)
		t->at[-1] = '\n';
	eol = memchr(t->line, '\0', (size_t)(t->end - t->line));
	if (eol && eol < t->end && eol + 1 == t->at - 1)
		*eol = '\r';
	rc = value(&j, 0);
	if (!rc) {
		char *nl = memchr(j.at, '\n', (size_t)(t->end - j.at));

		t->at = nl ? nl + 1 : t->end;
	}
	buf_free(&j.path);
	buf_free(&j.string);
	return rc;
}
