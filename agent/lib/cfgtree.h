/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CFGTREE_H
#define IRONRIG_CFGTREE_H

#include "cfgscan.h"

/*
 * libconfig text as a tree of plain values, and the same text written. For
 * conf*.c and result.c, which know what the keys mean.
 */
enum cfg_type {
	CFG_GROUP,
	CFG_LIST,
	CFG_INT,
	CFG_FLOAT,
	CFG_BOOL,
	CFG_STRING
};

struct cfg_node {
	enum cfg_type type; /* arrays are lists too */
	char *name; /* NULL in a list and at the root */
	unsigned int line;
	int64_t i; /* CFG_INT; 0 and 1 of CFG_BOOL */
	double f; /* CFG_FLOAT, finite */
	char *s; /* CFG_STRING */
	struct cfg_node *child;
	size_t n;
};

/*
 * text is NUL-terminated behind its n bytes. -1 with the first problem in *bad
 * and *root empty. The root is a group, freed by cfgtree_free().
 */
int cfgtree_parse(const char *text, size_t n, const struct cfg_limits *lim,
		  struct cfg_node *root, struct conf_problem *bad) MUST_CHECK;
void cfgtree_free(struct cfg_node *root);
/* The group's setting of that name, or NULL. */
const struct cfg_node *cfgtree_get(const struct cfg_node *group,
				   const char *name);

/*
 * One setting a line, indented by depth tabs; an element of a list when name
 * is NULL. cfgtree_put_open(b, depth, name, "{") is closed by
 * cfgtree_put_close(b, depth, "};").
 */
void cfgtree_put_string(struct buf *b, unsigned int depth, const char *name,
			const char *value);
void cfgtree_put_int(struct buf *b, unsigned int depth, const char *name,
		     int64_t value);
void cfgtree_put_float(struct buf *b, unsigned int depth, const char *name,
		       double value);
void cfgtree_put_bool(struct buf *b, unsigned int depth, const char *name,
		      bool value);
void cfgtree_put_strings(struct buf *b, unsigned int depth, const char *name,
			 const struct strlist *l);
void cfgtree_put_open(struct buf *b, unsigned int depth, const char *name,
		      const char *bracket);
void cfgtree_put_close(struct buf *b, unsigned int depth, const char *bracket);

#endif
