// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The store's index: opening and writing. Values are packed doubles, a row
 * for each stat of a run, clustered by run: a row for every iteration would
 * be three times the size, and every reader wants a whole run. Reading is in
 * index_query.c, SQLite itself in db.c.
 */
#include "index_row.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SCHEMA = 2,
	VALUES_MAX = 10000, /* iterations: result.h's limit of a list */
};

static const char tables[] =
	"CREATE INDEX run_kernel ON run(kernel, box, job);"
	"CREATE INDEX run_lease ON run(lease);"
	"CREATE INDEX run_start ON run(start_s, lease);"
	"CREATE INDEX run_experiment ON run(experiment);"
	"CREATE TABLE stat(id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
	" unit TEXT NOT NULL, better INTEGER NOT NULL,"
	" per_run INTEGER NOT NULL, UNIQUE(name, unit, better, per_run));"
	"CREATE TABLE value(run INTEGER NOT NULL, stat INTEGER NOT NULL,"
	" v BLOB NOT NULL, PRIMARY KEY(run, stat)) WITHOUT ROWID;";

static int make_schema(struct index *x, struct err *e)
{
	struct buf sql = { 0 };
	int rc;

	/* another process may have made it since the version was read */
	if (db_exec(x->db, "BEGIN IMMEDIATE", e))
		return -1;
	if (db_number(x->db, "PRAGMA user_version", -1) == SCHEMA)
		return db_exec(x->db, "COMMIT", e);
	buf_puts(&sql, "CREATE TABLE run(");
	index_row_schema(&sql);
	buf_printf(&sql, ", UNIQUE(box, lease)); %s"
			 "PRAGMA user_version = %d; COMMIT;", tables, SCHEMA);
	rc = buf_ok(&sql, e);
	if (!rc)
		rc = db_exec(x->db, buf_str(&sql), e);
	buf_free(&sql);
	return rc;
}

static int open_index(const char *dir, bool write, struct index **out,
		      struct err *e)
{
	struct index *x = calloc(1, sizeof(*x));
	struct buf path = { 0 };
	int64_t version;
	int rc = -1;

	buf_printf(&path, "%s/index.db", dir);
	if (!x || path.failed) {
		err_set(e, ERR_LIMIT, "out of memory");
		goto out;
	}
	if (db_open(buf_str(&path), write, &x->db, e))
		goto out;
	version = db_number(x->db, "PRAGMA user_version", -1);
	if (version == 0 && write) {
		if (make_schema(x, e))
			goto out;
	} else if (version != SCHEMA) {
		err_set(e, ERR_CONFLICT, "%s: not an index of this version; "
			"`ironrig fsck --rebuild' makes it again",
			buf_str(&path));
		goto out;
	}
	rc = index_names_load(x, e);
	if (!rc)
		*out = x;
out:
	if (rc)
		index_close(x);
	buf_free(&path);
	return rc;
}

int index_open(const char *dir, struct index **x, struct err *e)
{
	return open_index(dir, true, x, e);
}

int index_open_read(const char *dir, struct index **x, struct err *e)
{
	char *path;
	bool there;

	if (asprintf(&path, "%s/index.db", dir) < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	there = !access(path, F_OK);
	free(path);
	if (!there)
		return err_set(e, ERR_NOTFOUND,
			       "%s has no index yet: run `ironrig collect'",
			       dir);
	return open_index(dir, false, x, e);
}

int index_open_home(const char *opt, struct home *h, struct index **x,
		    struct err *e)
{
	if (home_open(opt, h, e))
		return -1;
	if (!index_open_read(h->path, x, e))
		return 0;
	home_close(h);
	return -1;
}

void index_close(struct index *x)
{
	if (!x)
		return;
	db_free(x->add_run);
	db_free(x->has_run);
	db_free(x->add_stat);
	db_free(x->find_stat);
	db_free(x->add_value);
	db_free(x->values);
	db_free(x->value);
	db_close(x->db);
	index_names_free(x);
	free(x);
}

int index_delete(const char *dir, struct err *e)
{
	static const char *const suffix[] = { "-wal", "-shm", "" };

	for (size_t i = 0; i < 3; i++) {
		char *path;
		int rc = 0;

		if (asprintf(&path, "%s/index.db%s", dir, suffix[i]) < 0)
			return err_set(e, ERR_LIMIT, "out of memory");
		if (unlink(path) < 0 && errno != ENOENT)
			rc = err_sys(e, "%s", path);
		free(path);
		if (rc)
			return -1;
	}
	return 0;
}

const char *index_better_name(enum index_better better)
{
	static const char *const name[] = {
		[INDEX_NONE] = "none",
		[INDEX_HIGHER] = "higher",
		[INDEX_LOWER] = "lower",
	};

	return name[better];
}

bool index_stat_mean(const struct index_stat *s, double *mean)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (!isnan(s->value[i])) {
			sum += s->value[i];
			n++;
		}
	if (n)
		*mean = sum / (double)n;
	return n;
}

int index_begin(struct index *x, struct err *e)
{
	return db_exec(x->db, "BEGIN IMMEDIATE", e);
}

int index_commit(struct index *x, struct err *e)
{
	return db_exec(x->db, "COMMIT", e);
}

void index_rollback(struct index *x)
{
	/* fails when there is nothing to roll back: just as well */
	if (db_exec(x->db, "ROLLBACK", NULL))
		return;
	/* ids given out since the begin are void */
	index_names_free(x);
	if (index_names_load(x, NULL))
		index_names_free(x);
}

/* Prepares once; later calls find it in *s. */
static int once(struct index *x, struct db_stmt **s, const char *sql,
		struct err *e)
{
	if (!*s)
		*s = db_prepare(x->db, sql, e);
	return *s ? 0 : -1;
}

static int prepare_add(struct index *x, struct err *e)
{
	struct buf sql = { 0 };
	int rc;

	buf_puts(&sql, "INSERT INTO run(");
	index_row_columns(&sql);
	buf_puts(&sql, ") VALUES(?");
	for (int i = 1; i < index_row_count(); i++)
		buf_puts(&sql, ", ?");
	buf_puts(&sql, ")");
	rc = buf_ok(&sql, e);
	if (!rc)
		rc = once(x, &x->add_run, buf_str(&sql), e);
	buf_free(&sql);
	return rc;
}

int index_add(struct index *x, struct index_run *run, struct err *e)
{
	struct buf list = { 0 };
	int rc;

	if (index_remove(x, run->box, run->lease, e) || prepare_add(x, e))
		return -1;
	index_row_bind(x->add_run, run, &list);
	rc = buf_ok(&list, e);
	if (!rc)
		rc = db_run(x->db, x->add_run, e);
	else
		db_reset(x->add_run);
	if (!rc)
		run->id = db_last_id(x->db);
	buf_free(&list);
	return rc;
}

int index_remove(struct index *x, const char *box, const char *lease,
		 struct err *e)
{
	static const char *const sql[] = {
		"DELETE FROM value WHERE run IN"
		" (SELECT id FROM run WHERE box = ? AND lease = ?)",
		"DELETE FROM run WHERE box = ? AND lease = ?",
	};

	for (size_t i = 0; i < 2; i++) {
		struct db_stmt *s = db_prepare(x->db, sql[i], e);
		int rc;

		if (!s)
			return -1;
		db_bind_text(s, 1, box);
		db_bind_text(s, 2, lease);
		rc = db_run(x->db, s, e);
		db_free(s);
		if (rc)
			return -1;
	}
	return 0;
}

bool index_has(struct index *x, const char *box, const char *lease)
{
	bool has;

	if (once(x, &x->has_run, "SELECT 1 FROM run WHERE box = ? AND "
		 "lease = ?", NULL))
		return false;
	db_bind_text(x->has_run, 1, box);
	db_bind_text(x->has_run, 2, lease);
	has = db_step(x->db, x->has_run, NULL) == 1;
	db_reset(x->has_run);
	return has;
}

static void bind_name(struct db_stmt *q, const struct index_stat *s)
{
	db_bind_text(q, 1, s->name);
	db_bind_text(q, 2, s->unit);
	db_bind_i64(q, 3, s->better);
	db_bind_i64(q, 4, s->per_run);
}

static int stat_id(struct index *x, const struct index_stat *s, int64_t *id,
		   struct err *e)
{
	int rc;

	if (once(x, &x->find_stat, "SELECT id FROM stat WHERE name = ? AND "
		 "unit = ? AND better = ? AND per_run = ?", e) ||
	    once(x, &x->add_stat, "INSERT INTO stat(name, unit, better, "
		 "per_run) VALUES(?, ?, ?, ?)", e))
		return -1;
	bind_name(x->find_stat, s);
	rc = db_step(x->db, x->find_stat, e);
	if (rc > 0)
		*id = db_i64(x->find_stat, 0);
	db_reset(x->find_stat);
	if (rc)
		return rc > 0 ? 0 : -1;
	bind_name(x->add_stat, s);
	if (db_run(x->db, x->add_stat, e))
		return -1;
	*id = db_last_id(x->db);
	return 0;
}

int index_add_stat(struct index *x, int64_t run, const struct index_stat *s,
		   struct err *e)
{
	int64_t id;

	if (!s->n || s->n > VALUES_MAX)
		return err_set(e, ERR_LIMIT, "%s: %zu values", s->name, s->n);
	if (stat_id(x, s, &id, e) ||
	    once(x, &x->add_value, "INSERT OR REPLACE INTO value(run, stat, v)"
		 " VALUES(?, ?, ?)", e))
		return -1;
	db_bind_i64(x->add_value, 1, run);
	db_bind_i64(x->add_value, 2, id);
	/* the machine's own doubles: the file is made again, not carried */
	db_bind_blob(x->add_value, 3, s->value, s->n * sizeof(double));
	return db_run(x->db, x->add_value, e);
}
