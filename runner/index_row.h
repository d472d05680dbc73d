/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_INDEX_ROW_H
#define IRONRIG_INDEX_ROW_H

#include "db.h"
#include "index.h"

/*
 * Inside the index: what index.c (opening, writing) and index_query.c
 * (reading) share, and index_row.c, the one table of a run's columns.
 */
struct index_name {
	char *name, *unit; /* NULL: no such id */
	enum index_better better;
	bool per_run, matches;
};

struct index {
	struct db *db;
	struct db_stmt *add_run, *has_run, *add_stat, *find_stat;
	struct db_stmt *add_value, *values, *value;
	struct index_name *name; /* by a stat's id */
	size_t nname;
	char *glob; /* that .matches stands for */
};

/* "id INTEGER PRIMARY KEY, \"box\" TEXT NOT NULL, …" */
void index_row_schema(struct buf *sql);
/* "\"box\", \"group\", …": in the order that bind and load use. */
void index_row_columns(struct buf *sql);
int index_row_count(void);
/* Binds parameters 1 to index_row_count(); *list keeps a text until the step */
void index_row_bind(struct db_stmt *s, const struct index_run *r,
		    struct buf *list);
/* From a row whose columns are id and then index_row_columns(). */
int index_row_load(struct db_stmt *s, struct index_run *r, struct err *e)
	MUST_CHECK;
/* Column names with values, one line, for index_dump(). */
void index_row_text(const struct index_run *r, struct buf *out);

/* Makes x->name hold every stat of the database. */
int index_names_load(struct index *x, struct err *e) MUST_CHECK;
void index_names_free(struct index *x);

#endif
