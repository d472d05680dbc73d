/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_DB_H
#define IRONRIG_DB_H

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * As much of SQLite as the index needs: statements with bound parameters
 * (numbered from 1), rows (columns from 0). Errors say the database's name
 * and SQLite's own text. A failed bind shows at the next step.
 */
struct db;
struct db_stmt;

/*
 * write: made when missing, WAL. Waits up to 10 s for another's commit.
 * Otherwise also where nothing can be written. The file may be no database:
 * then the first statement fails.
 */
int db_open(const char *path, bool write, struct db **db, struct err *e)
	MUST_CHECK;
void db_close(struct db *db); /* after its statements are freed */
int db_exec(struct db *db, const char *sql, struct err *e) MUST_CHECK;
struct db_stmt *db_prepare(struct db *db, const char *sql, struct err *e)
	MUST_CHECK;
void db_free(struct db_stmt *s);
void db_reset(struct db_stmt *s); /* for the next use; unbinds */
/* Text and blobs are not copied: they must last until the step. */
void db_bind_text(struct db_stmt *s, int i, const char *text);
void db_bind_i64(struct db_stmt *s, int i, int64_t v);
void db_bind_blob(struct db_stmt *s, int i, const void *p, size_t n);
/* 1: a row; 0: done; -1. */
int db_step(struct db *db, struct db_stmt *s, struct err *e) MUST_CHECK;
/* Steps a statement that gives no row, and resets it. */
int db_run(struct db *db, struct db_stmt *s, struct err *e) MUST_CHECK;
/* Valid until the next step. */
const char *db_text(struct db_stmt *s, int col); /* never NULL */
int64_t db_i64(struct db_stmt *s, int col);
const void *db_blob(struct db_stmt *s, int col, size_t *n);
int64_t db_last_id(struct db *db);
/* The first column of the first row; otherwise when there is none. */
int64_t db_number(struct db *db, const char *sql, int64_t otherwise);

#endif
