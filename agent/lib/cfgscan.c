// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Splits libconfig text into words as libconfig's scanner does, and checks
 * limits, names, numbers and doubles on the way. Builds no values: that is
 * cfgtree.c's work, from what libconfig read.
 */
#include "cfgscan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_CAP 32 /* of struct scan; the limit given is below it */

struct name {
	const char *p;
	size_t n;
};

struct level {
	char open; /* '{', '[', '(' */
	size_t base; /* its first name in scan.name */
	size_t elements; /* of a list */
	size_t path_len;
};

enum last {
	NOTHING,
	NAME,
	ASSIGN,
	STRING,
	VALUE,
	OPEN,
	COMMA
};

struct scan {
	const char *p, *end;
	unsigned int at; /* line */
	const struct cfg_limits *lim;
	struct conf_problem *bad;
	enum last last;
	struct level level[DEPTH_CAP];
	size_t depth; /* index of the open level */
	struct name *name; /* of all open groups */
	size_t nname, cap_name;
	char path[sizeof(((struct conf_problem *)0)->key)];
	unsigned int *line;
	size_t nline, cap_line;
};

PRINTF_LIKE(2, 3) static int fail(struct scan *s, const char *fmt, ...)
{
	va_list ap;

	s->bad->line = s->at;
	memcpy(s->bad->key, s->path, sizeof(s->path));
	va_start(ap, fmt);
	vsnprintf(s->bad->msg, sizeof(s->bad->msg), fmt, ap);
	va_end(ap);
	return -1;
}

/* Room for one more in a growing array of *cap elements. */
static int grow(struct scan *s, void *array, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? *cap * 2 : 64;
	void *p;

	if (n < *cap)
		return 0;
	p = reallocarray(*(void **)array, more, size);
	if (!p)
		return fail(s, "out of memory");
	*(void **)array = p;
	*cap = more;
	return 0;
}

static struct level *top(struct scan *s)
{
	return &s->level[s->depth];
}

static bool in_list(struct scan *s)
{
	return top(s)->open != '{';
}

/* The path of what stands in the open level: "extract[2].regex" */
static void set_path(struct scan *s, const char *p, size_t n)
{
	size_t len = top(s)->path_len;

	if (in_list(s))
		snprintf(s->path + len, sizeof(s->path) - len, "[%zu]",
			 top(s)->elements);
	else
		snprintf(s->path + len, sizeof(s->path) - len, "%s%.*s",
			 len && n ? "." : "", (int)(n < 96 ? n : 96), p);
}

static int open_level(struct scan *s, char open)
{
	struct level *l;

	if (s->depth + 1 >= s->lim->depth || s->depth + 1 >= DEPTH_CAP)
		return fail(s, "nested more than %zu deep", s->lim->depth);
	l = &s->level[++s->depth];
	*l = (struct level){
		.open = open,
		.base = s->nname,
		.path_len = strlen(s->path),
	};
	s->last = open == '{' ? NOTHING : OPEN;
	if (open != '{')
		set_path(s, "", 0);
	return 0;
}

static int close_level(struct scan *s, char c)
{
	char want = top(s)->open == '{' ? '}' : top(s)->open == '[' ? ']' : ')';

	if (!s->depth)
		return fail(s, "'%c' closes nothing", c);
	if (c != want)
		return fail(s, "'%c' where '%c' was expected", c, want);
	s->nname = top(s)->base;
	s->depth--;
	s->path[s->level[s->depth + 1].path_len] = '\0';
	s->last = VALUE;
	return 0;
}

static int comma(struct scan *s)
{
	s->last = COMMA;
	if (!in_list(s)) /* libconfig takes it as an end of a setting */
		return 0;
	if (++top(s)->elements >= s->lim->list)
		return fail(s, "more than %zu elements", s->lim->list);
	set_path(s, "", 0);
	return 0;
}

static int add_name(struct scan *s, const char *p, size_t n)
{
	static const char chars[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-*";

	if (!strchr("0123456789_-", *p) && strspn(p, chars) >= n) {
		set_path(s, p, n);
	} else if (in_list(s)) {
		return fail(s, "\"%.*s\" where ',' was expected",
			    (int)(n < 64 ? n : 64), p);
	} else {
		set_path(s, "", 0);
		return fail(s, "\"%.*s\" is not the name of a key%s",
			    (int)(n < 64 ? n : 64), p,
			    memchr(p, '.', n)
				    ? "; write a.b = 1 as a = { b = 1; }"
				    : "");
	}
	for (size_t i = top(s)->base; i < s->nname; i++)
		if (s->name[i].n == n && !memcmp(s->name[i].p, p, n))
			return fail(s, "given twice in this group");
	if (s->nname - top(s)->base >= s->lim->group)
		return fail(s, "more than %zu keys in this group",
			    s->lim->group);
	if (grow(s, &s->name, s->nname, &s->cap_name, sizeof(*s->name)))
		return -1;
	s->name[s->nname++] = (struct name){ p, n };
	s->last = NAME;
	return 0;
}

/* Numbers as libconfig 1.5 takes them; it cuts those over 32 bits silently. */
static int check_number(struct scan *s, const char *p, size_t n)
{
	char word[64], *end;
	bool hex, suffix = false;
	long long v;

	if (n >= sizeof(word))
		return fail(s, "number of %zu digits", n);
	memcpy(word, p, n);
	word[n] = '\0';
	hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	errno = 0;
	v = strtoll(word, &end, hex ? 16 : 10);
	if (!hex && strchr(".eE", *end) && *end) {
		strtod(word, &end);
	} else {
		while (*end == 'L' && end < word + n)
			suffix = ++end;
		if (errno || (!suffix && (v > INT32_MAX || v < INT32_MIN)))
			return fail(s, "%s does not fit %s", word,
				    suffix || errno
					    ? "64 bits"
					    : "32 bits: put L behind it");
	}
	if (*end)
		return fail(s, "\"%s\" is not a number; text needs quotes",
			    word);
	return 0;
}

static int note_value(struct scan *s, unsigned int line)
{
	if (!in_list(s))
		return 0;
	if (grow(s, &s->line, s->nline, &s->cap_line, sizeof(*s->line)))
		return -1;
	s->line[s->nline++] = line;
	return 0;
}

static int word(struct scan *s)
{
	size_t n = strspn(s->p, "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"0123456789_-*+.");
	const char *p = s->p;

	if (!n)
		return fail(s,
			    (unsigned char)*p < 0x21 || (unsigned char)*p > 0x7e
				    ? "byte 0x%02x does not belong"
				    : "'%c' does not belong",
			    (unsigned char)*p);
	s->p += n;
	if (s->last != ASSIGN && s->last != OPEN && s->last != COMMA)
		return add_name(s, p, n);
	if (s->last == COMMA && !in_list(s))
		return add_name(s, p, n);
	s->last = VALUE;
	if (strchr("0123456789+-.", *p)) {
		if (check_number(s, p, n))
			return -1;
	} else if (!(n == 4 && !strncasecmp(p, "true", 4)) &&
		   !(n == 5 && !strncasecmp(p, "false", 5))) {
		return fail(s, "\"%.*s\" needs quotes", (int)(n < 64 ? n : 64),
			    p);
	}
	return note_value(s, s->at);
}

static int string(struct scan *s)
{
	unsigned int start = s->at;

	for (s->p++; s->p < s->end && *s->p != '"'; s->p++) {
		if (*s->p == '\\' && s->p + 1 < s->end)
			s->p++;
		s->at += *s->p == '\n';
	}
	if (s->p >= s->end) {
		s->at = start;
		return fail(s, "the string has no end");
	}
	s->p++;
	if (s->last == STRING) /* "a" "b" is one string */
		return 0;
	s->last = STRING;
	return note_value(s, start);
}

static int comment(struct scan *s)
{
	unsigned int start = s->at;

	if (s->p[1] != '*' || *s->p == '#') {
		s->p += strcspn(s->p, "\n");
		return 0;
	}
	for (s->p += 2; s->p < s->end; s->p++) {
		s->at += *s->p == '\n';
		if (s->p[0] == '*' && s->p[1] == '/') {
			s->p += 2;
			return 0;
		}
	}
	s->at = start;
	return fail(s, "the comment has no end");
}

static int step(struct scan *s)
{
	char c = *s->p;

	if (c == '#' || (c == '/' && (s->p[1] == '/' || s->p[1] == '*')))
		return comment(s);
	if (c == '"')
		return string(s);
	if (!strchr(" \t\r\f\n{[()]}=:,;", c))
		return word(s);
	s->p++;
	s->at += c == '\n';
	if (c == '{' || c == '[' || c == '(')
		return open_level(s, c);
	if (c == '}' || c == ']' || c == ')')
		return close_level(s, c);
	if (c == ',')
		return comma(s);
	if (c == '=' || c == ':') {
		s->last = ASSIGN;
	} else if (c == ';') {
		s->last = NOTHING;
		if (!in_list(s))
			set_path(s, "", 0);
	}
	return 0;
}

/*
 * libconfig opens what "@include" at the start of a line names. Refused in
 * strings and comments too, so that no difference between the two scanners
 * could let one through.
 */
static int refuse_include(struct scan *s)
{
	for (const char *p = s->p; p < s->end; p++) {
		size_t blank = strspn(p, " \t\r\f\v");

		if (!strncmp(p + blank, "@include", 8))
			return fail(s, "@include is refused: a file stands "
				       "for itself");
		p += strcspn(p, "\n");
		s->at++;
	}
	s->at = 1;
	return 0;
}

static int scan(struct scan *s)
{
	while (s->p < s->end)
		if (step(s))
			return -1;
	if (s->depth)
		return fail(s, "'%c' is not closed", top(s)->open);
	return 0;
}

int cfgscan_check(const char *text, size_t n, const struct cfg_limits *lim,
		  unsigned int **line, size_t *nline, struct conf_problem *bad)
{
	struct scan s = {
		.p = text,
		.end = text + n,
		.at = 1,
		.lim = lim,
		.bad = bad,
		.level = { { .open = '{' } },
	};
	int rc;

	*line = NULL;
	*nline = 0;
	if (n > lim->bytes || memchr(text, '\0', n)) {
		s.at = 0;
		return n > lim->bytes
			       ? fail(&s, "longer than %zu bytes", lim->bytes)
			       : fail(&s, "holds a NUL byte");
	}
	rc = refuse_include(&s) || scan(&s) ? -1 : 0;
	free(s.name);
	if (rc) {
		free(s.line);
		return rc;
	}
	*line = s.line;
	*nline = s.nline;
	return 0;
}
