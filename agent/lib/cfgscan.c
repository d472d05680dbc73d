// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Splits libconfig text into words as libconfig's scanner does, and checks
 * grammar, limits and doubles on the way. Builds no values: that is
 * cfgtree.c's work, from what libconfig read.
 */
#include "cfgscan.h"
#include "cfgword.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_CAP 32 /* of struct scan; the limit given is below it */

struct name {
	const char *p;
	size_t n;
};

/* What [ ] holds: libconfig wants all of one type. */
enum element {
	ANY,
	TEXT,
	TRUTH,
	NUMBER,
	WIDE,
	FRACTION
};

struct level {
	char open; /* '{', '[', '(' */
	size_t base; /* its first name in scan.name */
	size_t elements; /* of a list */
	enum element type; /* of what stands in [ ] */
	size_t path_len;
};

/* The last word but blanks and comments. */
enum last {
	NOTHING, /* start of a group, or ';' */
	NAME,
	ASSIGN,
	STRING,
	VALUE, /* any other value, or a closed group or list */
	OPEN, /* '[' or '(' */
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

/* ---- what may follow what ---- */

static bool value_due(struct scan *s)
{
	return s->last == ASSIGN || s->last == OPEN || s->last == COMMA;
}

static bool value_done(struct scan *s)
{
	return s->last == VALUE || s->last == STRING;
}

static bool key_due(struct scan *s)
{
	return !in_list(s) && (s->last == NOTHING || value_done(s));
}

static int unexpected(struct scan *s, const char *p, size_t n)
{
	const char *due = s->last == NAME	? "'='"
			  : value_due(s)	? "a value"
			  : key_due(s)		? "a key"
			  : top(s)->open == '[' ? "',' or ']'"
						: "',' or ')'";

	if (key_due(s))
		set_path(s, "", 0);
	return fail(s, "%.*s where %s was expected", (int)(n < 64 ? n : 64), p,
		    due);
}

static int note_value(struct scan *s, enum element type, unsigned int line)
{
	struct level *l = top(s);

	s->last = type == TEXT ? STRING : VALUE;
	if (!in_list(s))
		return 0;
	if (l->open == '[' && l->type != ANY && l->type != type)
		return fail(s, "[ ] holds values of one type; ( ) takes any");
	l->type = type;
	if (grow(s, &s->line, s->nline, &s->cap_line, sizeof(*s->line)))
		return -1;
	s->line[s->nline++] = line;
	return 0;
}

static int open_level(struct scan *s, const char *p)
{
	struct level *l;

	if (!value_due(s))
		return unexpected(s, p, 1);
	if (top(s)->open == '[')
		return fail(s, "[ ] holds single values; ( ) takes any");
	if (s->depth + 1 >= s->lim->depth || s->depth + 1 >= DEPTH_CAP)
		return fail(s, "nested more than %zu deep", s->lim->depth);
	l = &s->level[++s->depth];
	*l = (struct level){
		.open = *p,
		.base = s->nname,
		.path_len = strlen(s->path),
	};
	s->last = *p == '{' ? NOTHING : OPEN;
	if (*p != '{')
		set_path(s, "", 0);
	return 0;
}

static int close_level(struct scan *s, const char *p)
{
	char open = top(s)->open;
	char want = open == '{' ? '}' : open == '[' ? ']' : ')';

	if (!s->depth)
		return fail(s, "'%c' closes nothing", *p);
	if (*p != want)
		return fail(s, "'%c' where '%c' was expected", *p, want);
	if (!value_done(s) && s->last != (open == '{' ? NOTHING : OPEN))
		return unexpected(s, p, 1);
	s->nname = top(s)->base;
	s->depth--;
	s->path[s->level[s->depth + 1].path_len] = '\0';
	s->last = VALUE;
	return 0;
}

/* ';', and ',' which does the same in a group */
static int separator(struct scan *s, const char *p)
{
	if (!value_done(s) || (in_list(s) && *p == ';'))
		return unexpected(s, p, 1);
	s->last = in_list(s) ? COMMA : NOTHING;
	if (in_list(s) && ++top(s)->elements >= s->lim->list)
		return fail(s, "more than %zu elements", s->lim->list);
	set_path(s, "", 0);
	return 0;
}

static int assign(struct scan *s, const char *p)
{
	if (s->last != NAME)
		return unexpected(s, p, 1);
	s->last = ASSIGN;
	return 0;
}

static int add_name(struct scan *s, const char *p, size_t n)
{
	if (!key_due(s))
		return unexpected(s, p, n);
	set_path(s, p, n);
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

static int word(struct scan *s)
{
	static const enum element element[] = {
		[WORD_BOOL] = TRUTH,
		[WORD_INT] = NUMBER,
		[WORD_INT64] = WIDE,
		[WORD_FLOAT] = FRACTION,
	};
	size_t n = cfgword_length(s->p);
	const char *p = s->p, *why = "";
	enum cfg_word kind;

	if (!n)
		return fail(s,
			    (unsigned char)*p < 0x21 || (unsigned char)*p > 0x7e
				    ? "byte 0x%02x does not belong"
				    : "'%c' does not belong",
			    (unsigned char)*p);
	s->p += n;
	kind = cfgword_kind(p, n, &why);
	if (kind == WORD_NAME && value_due(s))
		why = "needs quotes";
	if (*why) {
		if (key_due(s))
			set_path(s, "", 0);
		return fail(s, "\"%.*s\" %s", (int)(n < 64 ? n : 64), p, why);
	}
	if (kind == WORD_NAME)
		return add_name(s, p, n);
	if (!value_due(s))
		return unexpected(s, p, n);
	return note_value(s, element[kind], s->at);
}

static void advance(struct scan *s, const char *to)
{
	for (; s->p < to; s->p++)
		s->at += *s->p == '\n';
}

static int string(struct scan *s)
{
	unsigned int start = s->at;
	const char *p = s->p;

	if (!value_due(s) && s->last != STRING) {
		size_t n = strcspn(p + 1, "\"\n") + 1;

		return unexpected(s, p, n + (p[n] == '"'));
	}
	if (!cfgword_string_end(p))
		return fail(s, "the string has no end");
	advance(s, cfgword_string_end(p));
	if (s->last == STRING) /* "a" "b" is one string */
		return 0;
	return note_value(s, TEXT, start);
}

static int comment(struct scan *s)
{
	const char *end = cfgword_comment_end(s->p);

	if (!end)
		return fail(s, "the comment has no end");
	advance(s, end);
	return 0;
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
	switch (c) {
	case '{':
	case '[':
	case '(':
		return open_level(s, s->p - 1);
	case '}':
	case ']':
	case ')':
		return close_level(s, s->p - 1);
	case ';':
	case ',':
		return separator(s, s->p - 1);
	case '=':
	case ':':
		return assign(s, s->p - 1);
	default:
		return 0;
	}
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
	if (!key_due(s))
		return unexpected(s, "the end", 7);
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
