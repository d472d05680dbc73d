// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * libconfig text to a tree of values and back. The only file that knows
 * libconfig's header; which keys mean what is conf_schema.c's and result.c's
 * business.
 */
#include "cfgtree.h"

#include <libconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct walk {
	const unsigned int *line; /* of the scalars in lists, cfgscan.h */
	size_t nline, next;
	struct conf_problem *bad;
};

static int convert(const config_setting_t *s, struct cfg_node *out,
		   struct walk *w);

static int fail(struct walk *w, const struct cfg_node *node, const char *msg)
{
	*w->bad = (struct conf_problem){ .line = node->line };
	snprintf(w->bad->key, sizeof(w->bad->key), "%s",
		 node->name ? node->name : "");
	snprintf(w->bad->msg, sizeof(w->bad->msg), "%s", msg);
	return -1;
}

static int convert_children(const config_setting_t *s, struct cfg_node *out,
			    struct walk *w)
{
	int n = config_setting_length(s);

	out->type = config_setting_is_group(s) ? CFG_GROUP : CFG_LIST;
	if (n <= 0)
		return 0;
	out->child = calloc((size_t)n, sizeof(*out->child));
	if (!out->child)
		return fail(w, out, "out of memory");
	for (int i = 0; i < n; i++) {
		out->n++; /* before, so that a failed one is freed too */
		if (convert(config_setting_get_elem(s, (unsigned int)i),
			    &out->child[i], w))
			return -1;
	}
	return 0;
}

static int convert_scalar(const config_setting_t *s, struct cfg_node *out,
			  struct walk *w)
{
	/* libconfig's line of a string in a list is that of the next word */
	if (!out->name && w->next < w->nline)
		out->line = w->line[w->next++];
	switch (config_setting_type(s)) {
	case CONFIG_TYPE_INT:
		out->type = CFG_INT;
		out->i = config_setting_get_int(s);
		return 0;
	case CONFIG_TYPE_INT64:
		out->type = CFG_INT;
		out->i = config_setting_get_int64(s);
		return 0;
	case CONFIG_TYPE_BOOL:
		out->type = CFG_BOOL;
		out->i = config_setting_get_bool(s) ? 1 : 0;
		return 0;
	case CONFIG_TYPE_FLOAT:
		out->type = CFG_FLOAT;
		out->f = config_setting_get_float(s);
		if (!isfinite(out->f))
			return fail(w, out, "number out of range");
		return 0;
	case CONFIG_TYPE_STRING:
		out->type = CFG_STRING;
		out->s = strdup(config_setting_get_string(s));
		return out->s ? 0 : fail(w, out, "out of memory");
	default:
		return fail(w, out, "has no value");
	}
}

static int convert(const config_setting_t *s, struct cfg_node *out,
		   struct walk *w)
{
	const char *name = config_setting_name(s);

	out->line = config_setting_source_line(s);
	if (name) {
		out->name = strdup(name);
		if (!out->name)
			return fail(w, out, "out of memory");
	}
	if (config_setting_is_aggregate(s))
		return convert_children(s, out, w);
	return convert_scalar(s, out, w);
}

/* The line of the text, cut, for a message: libconfig says no more than
 * "syntax error". */
static void syntax_error(const config_t *c, const char *text,
			 struct conf_problem *bad)
{
	int line = config_error_line(c);
	size_t n;

	*bad = (struct conf_problem){ .line = line > 0 ? (unsigned int)line
						       : 0 };
	for (int i = 1; i < line && strchr(text, '\n'); i++)
		text = strchr(text, '\n') + 1;
	text += strspn(text, " \t");
	n = strcspn(text, "\r\n");
	snprintf(bad->msg, sizeof(bad->msg), "%s in or before \"%.*s%s\"",
		 config_error_text(c), (int)(n < 48 ? n : 48), text,
		 n > 48 ? "..." : "");
}

/* libconfig calls a comment that the end of the file ends a syntax error. */
static bool read_text(config_t *c, const char *text, struct conf_problem *bad)
{
	char *ended;
	bool good;

	if (asprintf(&ended, "%s\n", text) < 0) {
		snprintf(bad->msg, sizeof(bad->msg), "out of memory");
		return false;
	}
	good = config_read_string(c, ended);
	if (!good)
		syntax_error(c, ended, bad);
	free(ended);
	return good;
}

int cfgtree_parse(const char *text, size_t n, const struct cfg_limits *lim,
		  struct cfg_node *root, struct conf_problem *bad)
{
	struct walk w = { .bad = bad };
	unsigned int *line;
	config_t c;
	int rc = -1;

	*root = (struct cfg_node){ .type = CFG_GROUP };
	*bad = (struct conf_problem){ 0 };
	if (cfgscan_check(text, n, lim, &line, &w.nline, bad))
		return -1;
	w.line = line;
	config_init(&c);
	if (read_text(&c, text, bad)) {
		rc = convert(config_root_setting(&c), root, &w);
		if (rc)
			cfgtree_free(root);
	}
	config_destroy(&c);
	free(line);
	return rc;
}

static void free_node(struct cfg_node *node)
{
	for (size_t i = 0; i < node->n; i++)
		free_node(&node->child[i]); /* as deep as cfg_limits allows */
	free(node->child);
	free(node->name);
	free(node->s);
}

void cfgtree_free(struct cfg_node *root)
{
	free_node(root);
	*root = (struct cfg_node){ .type = CFG_GROUP };
}

const struct cfg_node *cfgtree_get(const struct cfg_node *group,
				   const char *name)
{
	for (size_t i = 0; i < group->n; i++)
		if (group->child[i].name && !strcmp(group->child[i].name, name))
			return &group->child[i];
	return NULL;
}

/* ---- writing ---- */

static void start(struct buf *b, unsigned int depth, const char *name)
{
	while (depth--)
		buf_puts(b, "\t");
	if (name)
		buf_printf(b, "%s = ", name);
}

static void end(struct buf *b, const char *name)
{
	buf_puts(b, name ? ";\n" : "\n");
}

/* Bytes from 0x80 on pass as they are: libconfig does not look at them. */
static void quote(struct buf *b, const char *s)
{
	buf_puts(b, "\"");
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_printf(b, "\\%c", *s);
		else if (*s == '\n')
			buf_puts(b, "\\n");
		else if (*s == '\t')
			buf_puts(b, "\\t");
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			buf_printf(b, "\\x%02x", (unsigned char)*s);
		else
			buf_add(b, s, 1);
	}
	buf_puts(b, "\"");
}

void cfgtree_put_string(struct buf *b, unsigned int depth, const char *name,
			const char *value)
{
	start(b, depth, name);
	quote(b, value);
	end(b, name);
}

void cfgtree_put_int(struct buf *b, unsigned int depth, const char *name,
		     int64_t value)
{
	bool wide = value > INT32_MAX || value < INT32_MIN;

	start(b, depth, name);
	buf_printf(b, "%lld%s", (long long)value, wide ? "L" : "");
	end(b, name);
}

void cfgtree_put_float(struct buf *b, unsigned int depth, const char *name,
		       double value)
{
	char digits[40];

	/* the shortest form that reads back to the same number */
	for (int prec = 1; prec <= 17; prec++) {
		snprintf(digits, sizeof(digits), "%.*g", prec, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	start(b, depth, name);
	buf_printf(b, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
	end(b, name);
}

void cfgtree_put_bool(struct buf *b, unsigned int depth, const char *name,
		      bool value)
{
	start(b, depth, name);
	buf_puts(b, value ? "true" : "false");
	end(b, name);
}

void cfgtree_put_strings(struct buf *b, unsigned int depth, const char *name,
			 const struct strlist *l)
{
	start(b, depth, name);
	buf_puts(b, "[");
	for (size_t i = 0; i < l->n; i++) {
		buf_puts(b, i ? ", " : " ");
		quote(b, l->v[i]);
	}
	buf_puts(b, " ]");
	end(b, name);
}

void cfgtree_put_open(struct buf *b, unsigned int depth, const char *name,
		      const char *bracket)
{
	start(b, depth, name);
	buf_printf(b, "%s\n", bracket);
}

void cfgtree_put_close(struct buf *b, unsigned int depth, const char *bracket)
{
	start(b, depth, NULL);
	buf_printf(b, "%s\n", bracket);
}
