// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * As much of SQLite as the index needs: the only file that includes its
 * header. What the tables mean is index.c's.
 */
#include "buf.h"
#include "db.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BUSY_MS = 10000 };

struct db {
	sqlite3 *sql;
	char *name;
};

static sqlite3_stmt *stmt(struct db_stmt *s)
{
	return (sqlite3_stmt *)s;
}

static int fail(const struct db *db, const char *what, struct err *e)
{
	int code = sqlite3_errcode(db->sql);
	enum err_kind kind = code == SQLITE_BUSY ? ERR_TIMEOUT :
			     code == SQLITE_FULL || code == SQLITE_NOMEM ?
						   ERR_LIMIT : ERR_FORMAT;

	return err_set(e, kind, "%s: %.60s: %s", db->name, what,
		       sqlite3_errmsg(db->sql));
}

/* Is there no commit that stands in the log alone? */
static bool log_is_empty(const char *path)
{
	struct buf log = { 0 };
	struct stat st;
	bool empty;

	buf_printf(&log, "%s-wal", path);
	empty = !log.failed &&
		(stat(buf_str(&log), &st) < 0 || st.st_size == 0);
	buf_free(&log);
	return empty;
}

/* The name by which SQLite opens a file that it takes to be unchangeable. */
static void unchangeable(struct buf *uri, const char *path)
{
	buf_puts(uri, "file:");
	for (; *path; path++)
		if (strchr("%?#", *path))
			buf_printf(uri, "%%%02X", (unsigned int)*path);
		else
			buf_printf(uri, "%c", *path);
	buf_puts(uri, "?immutable=1");
}

/*
 * Readers share a file beside the database with the writer. On a full disk, a
 * read-only mount or another's home it cannot be made: who could write then?
 * So the file is read as it stands, if the log holds nothing besides. What is
 * no database is left to be found out by its version.
 */
static int readable(struct db *db, const char *path, int flags, struct err *e)
{
	static const char look[] = "PRAGMA user_version";
	struct buf uri = { 0 };
	int rc;

	switch (sqlite3_exec(db->sql, look, NULL, NULL, NULL)) {
	case SQLITE_OK:
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return 0;
	case SQLITE_BUSY:
	case SQLITE_NOMEM:
		return fail(db, "open", e);
	default:
		break;
	}
	if (!log_is_empty(path))
		return fail(db, "open", e);
	unchangeable(&uri, path);
	rc = buf_ok(&uri, e);
	if (!rc) {
		sqlite3_close(db->sql);
		if (sqlite3_open_v2(buf_str(&uri), &db->sql,
				    flags | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
			rc = fail(db, "open", e);
	}
	buf_free(&uri);
	return rc;
}

int db_open(const char *path, bool write, struct db **out, struct err *e)
{
	/* NOMUTEX: a connection belongs to one thread, locks cost a tenth */
	int flags = SQLITE_OPEN_NOMUTEX |
		    (write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE :
			     SQLITE_OPEN_READONLY);
	struct db *db = calloc(1, sizeof(*db));

	if (db)
		db->name = strdup(path);
	if (!db || !db->name) {
		free(db);
		return err_set(e, ERR_LIMIT, "out of memory");
	}
	if (sqlite3_open_v2(path, &db->sql, flags, NULL) != SQLITE_OK) {
		fail(db, "open", e);
		goto fail;
	}
	sqlite3_busy_timeout(db->sql, BUSY_MS);
	/*
	 * NORMAL: a power cut may lose the last commits, never the file. What
	 * is lost stands in the store still, and fsck finds it.
	 */
	if (write && db_exec(db, "PRAGMA journal_mode = WAL;"
				 "PRAGMA synchronous = NORMAL;", e))
		goto fail;
	if (!write && readable(db, path, flags, e))
		goto fail;
	*out = db;
	return 0;
fail:
	db_close(db);
	return -1;
}

void db_close(struct db *db)
{
	if (!db)
		return;
	sqlite3_close(db->sql);
	free(db->name);
	free(db);
}

int db_exec(struct db *db, const char *sql, struct err *e)
{
	if (sqlite3_exec(db->sql, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return fail(db, sql, e);
}

struct db_stmt *db_prepare(struct db *db, const char *sql, struct err *e)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v3(db->sql, sql, -1, SQLITE_PREPARE_PERSISTENT, &s,
			       NULL) != SQLITE_OK)
		fail(db, sql, e);
	return (struct db_stmt *)s;
}

void db_free(struct db_stmt *s)
{
	sqlite3_finalize(stmt(s));
}

void db_reset(struct db_stmt *s)
{
	sqlite3_reset(stmt(s));
	sqlite3_clear_bindings(stmt(s));
}

void db_bind_text(struct db_stmt *s, int i, const char *text)
{
	sqlite3_bind_text(stmt(s), i, text, -1, SQLITE_STATIC);
}

void db_bind_i64(struct db_stmt *s, int i, int64_t v)
{
	sqlite3_bind_int64(stmt(s), i, v);
}

void db_bind_blob(struct db_stmt *s, int i, const void *p, size_t n)
{
	sqlite3_bind_blob64(stmt(s), i, p, n, SQLITE_STATIC);
}

int db_step(struct db *db, struct db_stmt *s, struct err *e)
{
	int rc = sqlite3_step(stmt(s));

	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return fail(db, sqlite3_sql(stmt(s)), e);
}

int db_run(struct db *db, struct db_stmt *s, struct err *e)
{
	int rc = db_step(db, s, e);

	db_reset(s);
	return rc < 0 ? -1 : 0;
}

const char *db_text(struct db_stmt *s, int col)
{
	const unsigned char *p = sqlite3_column_text(stmt(s), col);

	return p ? (const char *)p : "";
}

int64_t db_i64(struct db_stmt *s, int col)
{
	return sqlite3_column_int64(stmt(s), col);
}

const void *db_blob(struct db_stmt *s, int col, size_t *n)
{
	const void *p = sqlite3_column_blob(stmt(s), col);

	*n = (size_t)sqlite3_column_bytes(stmt(s), col);
	return p;
}

int64_t db_last_id(struct db *db)
{
	return sqlite3_last_insert_rowid(db->sql);
}

int64_t db_number(struct db *db, const char *sql, int64_t otherwise)
{
	struct db_stmt *s = db_prepare(db, sql, NULL);
	int64_t n = otherwise;

	if (s && db_step(db, s, NULL) == 1)
		n = db_i64(s, 0);
	db_free(s);
	return n;
}
