// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Which modules a set of names stands for: the closure over what depmod found
 * in the modules and what they say themselves in softdeps (Debian's r8169
 * wants realtek before it, which no symbol shows).
 */
#include "moddep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 64, DEPTH_MAX = 256 };

static const char soft_key[] = "softdep ";

void moddep_name(const char *path, char *out, size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *s = slash ? slash + 1 : path;
	const char *end = strstr(s, ".ko");
	size_t n = end ? (size_t)(end - s) : strlen(s);

	if (n >= size)
		n = size - 1;
	for (size_t i = 0; i < n; i++)
		out[i] = s[i];
	out[n] = '\0';
	for (char *p = out; *p; p++)
		if (*p == '-')
			*p = '_';
}

static int by_name(const void *a, const void *b)
{
	const struct moddep_module *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* "PATH: DEP DEP" */
static int take_module(struct moddep *d, char *line, char *colon, size_t *cap,
		       struct err *e)
{
	char name[NAME_SIZE];
	struct moddep_module *m;

	*colon = '\0';
	if (d->n == *cap) {
		size_t more = *cap ? 2 * *cap : 256;
		struct moddep_module *v =
			reallocarray(d->v, more, sizeof(*v));

		if (!v)
			return err_set(e, ERR_LIMIT, "out of memory");
		d->v = v;
		*cap = more;
	}
	moddep_name(line, name, sizeof(name));
	m = &d->v[d->n++];
	*m = (struct moddep_module){ .path = strdup(line),
				     .name = strdup(name),
				     .deps = strdup(colon + 1) };
	if (!m->path || !m->name || !m->deps)
		return err_set(e, ERR_LIMIT, "out of memory");
	return 0;
}

/* Aliases, symbols, device names and comments are for others. */
static int take_line(struct moddep *d, char *line, size_t *cap, struct err *e)
{
	char *colon = strchr(line, ':');

	if (!strncmp(line, soft_key, sizeof(soft_key) - 1))
		return strlist_add(&d->soft, line, e);
	if (!colon || *line == '#' || memchr(line, ' ', (size_t)(colon - line)))
		return 0;
	return take_module(d, line, colon, cap, e);
}

int moddep_parse(char *text, const char *builtin, struct moddep *d,
		 struct err *e)
{
	char *save;
	size_t cap = 0;
	int rc = 0;

	*d = (struct moddep){ .builtin = strdup(builtin) };
	if (!d->builtin)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (char *line = strtok_r(text, "\n", &save); line && !rc;
	     line = strtok_r(NULL, "\n", &save))
		rc = take_line(d, line, &cap, e);
	if (!rc && d->n)
		qsort(d->v, d->n, sizeof(*d->v), by_name);
	if (rc)
		moddep_free(d);
	return rc;
}

void moddep_free(struct moddep *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].path);
		free(d->v[i].name);
		free(d->v[i].deps);
	}
	free(d->v);
	strlist_free(&d->soft);
	free(d->builtin);
	*d = (struct moddep){ .n = 0 };
}

void moddep_choose_all(struct moddep *d)
{
	for (size_t i = 0; i < d->n; i++)
		d->v[i].chosen = true;
}

bool moddep_builtin(const struct moddep *d, const char *name)
{
	char want[NAME_SIZE], is[NAME_SIZE], path[256];

	moddep_name(name, want, sizeof(want));
	for (const char *s = d->builtin; *s;) {
		size_t n = strcspn(s, "\n");

		snprintf(path, sizeof(path), "%.*s", (int)n, s);
		moddep_name(path, is, sizeof(is));
		if (!strcmp(want, is))
			return true;
		s += n + (s[n] == '\n');
	}
	return false;
}

/* Calls choose for every word of a list of modules, skipping "pre:". */
static int choose_words(struct moddep *d, const char *words, struct err *e)
{
	char *copy = strdup(words), *save;
	int rc = 0;

	if (!copy)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (char *w = strtok_r(copy, " ", &save); w && rc >= 0;
	     w = strtok_r(NULL, " ", &save))
		if (w[strlen(w) - 1] != ':')
			rc = moddep_choose(d, w, e);
	free(copy);
	return rc < 0 ? -1 : 0;
}

/* "softdep NAME pre: A B post: C" */
static int choose_soft(struct moddep *d, const char *name, struct err *e)
{
	char is[NAME_SIZE], word[NAME_SIZE];

	for (size_t i = 0; i < d->soft.n; i++) {
		const char *s = d->soft.v[i] + sizeof(soft_key) - 1;
		size_t n = strcspn(s, " ");

		snprintf(word, sizeof(word), "%.*s", (int)n, s);
		moddep_name(word, is, sizeof(is));
		if (!strcmp(is, name) && choose_words(d, s + n, e))
			return -1;
	}
	return 0;
}

int moddep_choose(struct moddep *d, const char *name, struct err *e)
{
	char want[NAME_SIZE];
	struct moddep_module key = { .name = want }, *m;
	bool rc;

	moddep_name(name, want, sizeof(want));
	m = d->n ? bsearch(&key, d->v, d->n, sizeof(key), by_name) : NULL;
	if (!m)
		return 0;
	if (m->chosen)
		return 1;
	/* first the mark: softdeps may go in circles */
	m->chosen = true;
	if (d->depth == DEPTH_MAX)
		return err_set(e, ERR_LIMIT, "%s: dependencies %d deep", want,
			       DEPTH_MAX);
	d->depth++;
	rc = choose_words(d, m->deps, e) || choose_soft(d, m->name, e);
	d->depth--;
	return rc ? -1 : 1;
}
