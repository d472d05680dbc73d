// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * perf-report(1) --stdio: the share of each symbol itself, summed over
 * commands. Lines of call graphs are skipped. Several events are several
 * sections, named by the event as lkp-tests does: self.cycles.SYMBOL.
 */
#include "extractors.h"

#include <stdlib.h>
#include <string.h>

enum { SYMBOLS = 65536, EVENT_LEN = 48 };

struct symbol {
	char *name;
	double percent;
};

struct profile {
	char event[EVENT_LEN];
	bool children; /* "Children Self": the second column counts */
	struct symbol *v;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name,
		      ((const struct symbol *)b)->name);
}

static void forget(struct profile *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].name);
	p->n = 0;
}

/* Emits the section's symbols, equal names added up. */
static int put(struct profile *p, struct stat_out *o, struct err *e)
{
	int rc = 0;

	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_name);
	for (size_t i = 0; !rc && i < p->n;) {
		double sum = 0;
		size_t at = i;

		while (i < p->n && !strcmp(p->v[i].name, p->v[at].name))
			sum += p->v[i++].percent;
		rc = stat_put(o, "%", STAT_NONE, sum, e,
			      "perf-profile.self.%s.%s", p->event,
			      p->v[at].name);
	}
	forget(p);
	return rc;
}

/* The symbol behind "[k] " and the like; NULL: not a symbol's line. */
static const char *symbol_of(const char *line)
{
	static const char *const level[] = { " [k] ", " [.] ", " [g] ",
					     " [u] ", " [H] " };

	for (size_t i = 0; i < sizeof(level) / sizeof(level[0]); i++) {
		const char *p = strstr(line, level[i]);

		if (p)
			return p + 5 + strspn(p + 5, " ");
	}
	return NULL;
}

static int add(struct text *t, struct profile *p, struct err *e)
{
	const char *symbol = symbol_of(t->line);
	char *at = t->line;
	double v;
	size_t n;

	if (!symbol || !*symbol || !text_is_number(at))
		return 0;
	if (text_number(t, &at, &v, e))
		return -1;
	if (*at++ != '%')
		return 0;
	if (p->children) {
		if (text_number(t, &at, &v, e))
			return -1;
		if (*at != '%')
			return text_bad(t, e, "no share of its own");
	}
	if (p->n == SYMBOLS)
		return text_bad(t, e, "too many symbols");
	/* a name may hold blanks (C++); columns behind it come after two */
	n = strlen(symbol);
	if (strstr(symbol, "  "))
		n = (size_t)(strstr(symbol, "  ") - symbol);
	while (n && symbol[n - 1] == ' ')
		n--;
	p->v[p->n].name = strndup(symbol, n);
	if (!p->v[p->n].name)
		return err_set(e, ERR_LIMIT, "out of memory");
	p->v[p->n++].percent = v;
	return 0;
}

/* "# Samples: 1K of event 'cycles:P'": the name without modifiers */
static void take_event(const char *line, struct profile *p)
{
	const char *from = strchr(line, '\'');
	size_t n = from ? strcspn(from + 1, ":'") : 0;

	p->children = false;
	n = n < EVENT_LEN - 1 ? n : EVENT_LEN - 1;
	if (n)
		memcpy(p->event, from + 1, n);
	p->event[n] = '\0';
}

static int walk(struct text *t, struct profile *p, bool *any,
		struct stat_out *o, struct err *e)
{
	while (text_next(t)) {
		if (text_after(t, "# Samples:")) {
			if (put(p, o, e))
				return -1;
			take_event(t->line, p);
			continue;
		}
		if (text_after(t, "# Children"))
			p->children = true;
		if (!*p->event || *t->line == '#')
			continue;
		if (add(t, p, e))
			return -1;
		*any |= p->n != 0;
	}
	return put(p, o, e);
}

int perfprofile_text(struct text *t, struct stat_out *o, struct err *e)
{
	struct profile p = { .v = calloc(SYMBOLS, sizeof(*p.v)) };
	bool any = false;
	int rc;

	if (!p.v)
		return err_set(e, ERR_LIMIT, "out of memory");
	rc = walk(t, &p, &any, o, e);
	if (!rc && !any)
		rc = text_nothing(t, "symbol in a report of perf", e);
	forget(&p);
	free(p.v);
	return rc;
}
