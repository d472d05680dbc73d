// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Lines, numbers and labels of what tools print, and the way values go out.
 * What a line means is left to the extractors.
 */
#include "text.h"
#include "plain.h"
#include "num.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	STAT_NAME_MAX = 256,
	NUMBER_MAX = 64,
};

int stat_put(struct stat_out *o, const char *unit, enum stat_better better,
	     double value, struct err *e, const char *fmt, ...)
{
	char name[STAT_NAME_MAX];
	struct stat_value v = { .name = name, .unit = unit, .better = better,
				.run = o->run, .value = value };
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	if (n < 0 || n >= (int)sizeof(name))
		return err_set(e, ERR_LIMIT,
			       "a stat's name is too long: %.64s...", name);
	if (!isfinite(value))
		return err_set(e, ERR_FORMAT, "%s is not a finite number",
			       name);
	/* a name is one word in every output of ours */
	plain_make(name, '_');
	for (char *p = name; *p; p++)
		if (*p == ' ')
			*p = '_';
	return o->sink(o->arg, &v, e);
}

void text_init(struct text *t, const char *name, char *p, size_t n)
{
	*t = (struct text){ .name = name, .at = p, .end = p + n, .line = p };
}

bool text_next(struct text *t)
{
	char *nl;

	if (t->at >= t->end)
		return false;
	t->line = t->at;
	t->no++;
	nl = memchr(t->at, '\n', (size_t)(t->end - t->at));
	if (!nl)
		nl = t->end; /* the NUL that the text ends with */
	t->at = nl + 1;
	*nl = '\0';
	if (nl > t->line && nl[-1] == '\r')
		nl[-1] = '\0';
	return true;
}

int text_bad(const struct text *t, struct err *e, const char *what)
{
	return err_set(e, ERR_FORMAT, "%s:%u: %s: \"%.80s\"", t->name, t->no,
		       what, t->line);
}

static char *skip_blanks(char *p)
{
	return p + strspn(p, " \t");
}

char *text_after(const struct text *t, const char *label)
{
	char *p = skip_blanks(t->line);
	size_t n = strlen(label);

	return strncmp(p, label, n) ? NULL : skip_blanks(p + n);
}

bool text_is_number(const char *p)
{
	p += strspn(p, " \t");
	p += *p == '-';
	return isdigit((unsigned char)*p);
}

/* The length of [+-]digits[.digits][e[+-]digits] at p. */
static size_t number_length(const char *p)
{
	const char *at = p + (*p == '-' || *p == '+'), *exp;
	size_t whole = strspn(at, "0123456789"), part = 0;

	at += whole;
	if (*at == '.') {
		part = strspn(at + 1, "0123456789");
		at += 1 + part;
	}
	if (!whole && !part)
		return 0;
	if (*at == 'e' || *at == 'E') {
		exp = at + 1 + (at[1] == '-' || at[1] == '+');
		if (isdigit((unsigned char)*exp))
			at = exp + strspn(exp, "0123456789");
	}
	return (size_t)(at - p);
}

int text_number(const struct text *t, char **p, double *v, struct err *e)
{
	char word[NUMBER_MAX];
	char *at = skip_blanks(*p);
	size_t n = number_length(at);

	if (!n || n >= sizeof(word))
		return text_bad(t, e, "a number was expected");
	if (at[n] == ',' && isdigit((unsigned char)at[n + 1]))
		return text_bad(t, e, "a decimal comma (LC_ALL=C was not set)");
	if (at[n] == '.')
		return text_bad(t, e, "not a number");
	memcpy(word, at, n);
	word[n] = '\0';
	if (num_double(word, v, NULL))
		return text_bad(t, e, "not a number");
	*p = at + n;
	return 0;
}

int text_numbers(const struct text *t, char *p, double *v, int max,
		 struct err *e)
{
	int n = 0;

	while (n < max && text_is_number(p)) {
		if (text_number(t, &p, &v[n], e))
			return -1;
		n++;
	}
	return n;
}

char *text_word(char **p)
{
	char *word = skip_blanks(*p);
	size_t n = strcspn(word, " \t");

	*p = word + n + (word[n] != '\0');
	word[n] = '\0';
	return word;
}

int text_labelled(struct text *t, const struct text_label *row, size_t n,
		  const char *prefix, struct stat_out *o, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		char *p = text_after(t, row[i].label);
		double v = 0;

		if (!p)
			continue;
		if (text_number(t, &p, &v, e) ||
		    stat_put(o, row[i].unit, row[i].better, v, e, "%s.%s",
			     prefix, row[i].name))
			return -1;
		return 1;
	}
	return 0;
}

int text_nothing(const struct text *t, const char *what, struct err *e)
{
	return err_set(e, ERR_FORMAT, "%s:%u: no %s; the last line is "
		       "\"%.80s\"", t->name, t->no, what,
		       t->no ? t->line : "");
}
