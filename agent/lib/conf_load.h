/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CONF_LOAD_H
#define IRONRIG_CONF_LOAD_H

#include "cfgtree.h"

/*
 * Loading by the schema, for conf*.c only. Problems are collected, so that
 * one look at a file shows them all.
 */
struct conf_load {
	struct conf_report *report;
	const struct cfg_node *root;
	const char *name; /* the file's, without folder and .cfg */
	bool open;	  /* unknown keys are passed over */
	bool failed; /* out of memory */
};

struct conf_schema;
struct conf_key;
/* Looks at a whole loaded struct; notes what is wrong, fills what follows. */
typedef void conf_load_rules(void *conf, struct conf_load *l);

/* Adds a problem, or sets l->failed. Control characters become '?'. */
void conf_load_note(struct conf_load *l, unsigned int line, const char *key,
		    const char *fmt, ...) PRINTF_LIKE(4, 5);
/* The line of "net.mac", or of the nearest group that stands in the file. */
unsigned int conf_load_line(const struct conf_load *l, const char *path);

/* Fills conf (zeroed) from the tree; what is wrong stands in l->report. */
void conf_load_struct(const struct conf_schema *schema, void *conf,
		      struct conf_load *l);

#endif
