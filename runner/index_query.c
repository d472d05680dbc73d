// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Reading the index: runs by what is asked, the stats of a run, one kernel or
 * run by what a person types, and the text that compares two indexes.
 */
#include "index_row.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names of stats -------------------------------------------------------- */

void index_names_free(struct index *x)
{
	for (size_t i = 0; i < x->nname; i++) {
		free(x->name[i].name);
		free(x->name[i].unit);
	}
	free(x->name);
	x->name = NULL;
	x->nname = 0;
	free(x->glob);
	x->glob = NULL;
}

static int load_name(struct index *x, struct db_stmt *s, struct err *e)
{
	int64_t id = db_i64(s, 0);
	struct index_name *n;

	if (id < 0 || (uint64_t)id >= x->nname)
		return err_set(e, ERR_FORMAT, "index.db: stat %lld",
			       (long long)id);
	n = &x->name[id];
	n->name = strdup(db_text(s, 1));
	n->unit = strdup(db_text(s, 2));
	n->better = (enum index_better)db_i64(s, 3);
	n->per_run = db_i64(s, 4) != 0;
	if (!n->name || !n->unit)
		return err_set(e, ERR_LIMIT, "out of memory");
	return 0;
}

int index_names_load(struct index *x, struct err *e)
{
	int64_t max = db_number(x->db, "SELECT max(id) FROM stat", 0);
	struct db_stmt *s;
	int rc;

	index_names_free(x);
	x->name = calloc((size_t)max + 1, sizeof(*x->name));
	if (!x->name)
		return err_set(e, ERR_LIMIT, "out of memory");
	x->nname = (size_t)max + 1;
	s = db_prepare(x->db, "SELECT id, name, unit, better, per_run "
		       "FROM stat WHERE id <= ?", e);
	if (!s)
		return -1;
	db_bind_i64(s, 1, max);
	while ((rc = db_step(x->db, s, e)) > 0)
		if (load_name(x, s, e)) {
			rc = -1;
			break;
		}
	db_free(s);
	return rc;
}

/* Which names match; kept until another glob is asked for. */
static int match_names(struct index *x, const char *glob, struct err *e)
{
	if (x->glob && !strcmp(x->glob, glob))
		return 0;
	free(x->glob);
	x->glob = strdup(glob);
	if (!x->glob)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (size_t i = 0; i < x->nname; i++)
		x->name[i].matches = x->name[i].name &&
				     !fnmatch(glob, x->name[i].name, 0);
	return 0;
}

/* ---- stats of a run ---------------------------------------------------------- */

/* A stat that was added after the names were read needs them again. */
static const struct index_name *name_of(struct index *x, int64_t id,
					const char *glob, struct err *e)
{
	if (id >= 0 && (uint64_t)id < x->nname && x->name[id].name)
		return &x->name[id];
	if (index_names_load(x, e) || match_names(x, glob, e))
		return NULL;
	if (id >= 0 && (uint64_t)id < x->nname && x->name[id].name)
		return &x->name[id];
	err_set(e, ERR_FORMAT, "index.db: a value of no stat");
	return NULL;
}

static int give(struct index *x, struct db_stmt *s, int64_t id,
		const char *glob, index_stat_fn *fn, void *arg, struct err *e)
{
	const struct index_name *n = name_of(x, id, glob, e);
	struct index_stat out;
	size_t bytes;

	if (!n)
		return -1;
	if (!n->matches)
		return 0;
	out = (struct index_stat){ .id = (size_t)id,
				   .name = n->name, .unit = n->unit,
				   .better = n->better,
				   .per_run = n->per_run };
	/* SQLite's memory for a blob is aligned for any type */
	out.value = db_blob(s, 1, &bytes);
	out.n = bytes / sizeof(double);
	return fn(arg, &out, e);
}

static int one_stat(struct index *x, int64_t run, int64_t id,
		    const char *glob, index_stat_fn *fn, void *arg,
		    struct err *e)
{
	int rc;

	if (!x->value)
		x->value = db_prepare(x->db, "SELECT stat, v FROM value "
				      "WHERE run = ? AND stat = ?", e);
	if (!x->value)
		return -1;
	db_bind_i64(x->value, 1, run);
	db_bind_i64(x->value, 2, id);
	rc = db_step(x->db, x->value, e);
	if (rc > 0)
		rc = give(x, x->value, id, glob, fn, arg, e);
	db_reset(x->value);
	return rc;
}

int index_stats(struct index *x, int64_t run, const char *glob,
		index_stat_fn *fn, void *arg, struct err *e)
{
	int rc;

	glob = glob ? glob : "*";
	if (match_names(x, glob, e))
		return -1;
	if (!strpbrk(glob, "*?[\\")) {
		for (size_t i = 0; i < x->nname; i++)
			if (x->name[i].matches &&
			    one_stat(x, run, (int64_t)i, glob, fn, arg, e))
				return -1;
		return 0;
	}
	if (!x->values)
		x->values = db_prepare(x->db, "SELECT stat, v FROM value "
				       "WHERE run = ? ORDER BY stat", e);
	if (!x->values)
		return -1;
	db_bind_i64(x->values, 1, run);
	while ((rc = db_step(x->db, x->values, e)) > 0)
		if (give(x, x->values, db_i64(x->values, 0), glob, fn, arg,
			 e)) {
			rc = -1;
			break;
		}
	db_reset(x->values);
	return rc;
}

/* ---- runs -------------------------------------------------------------------- */

static int load_runs(struct index *x, struct db_stmt *s,
		     struct index_runs *runs, struct err *e)
{
	size_t cap = 0;
	int rc;

	while ((rc = db_step(x->db, s, e)) > 0) {
		if (runs->n == cap) {
			struct index_run *v;

			cap = cap ? cap * 2 : 64;
			v = reallocarray(runs->v, cap, sizeof(*v));
			if (!v)
				return err_set(e, ERR_LIMIT, "out of memory");
			runs->v = v;
		}
		if (index_row_load(s, &runs->v[runs->n], e))
			return -1;
		runs->n++;
	}
	return rc;
}

int index_runs(struct index *x, const struct index_query *q,
	       struct index_runs *runs, struct err *e)
{
	const struct {
		const char *column, *value;
	} want[] = {
		{ "kernel", q->kernel },   { "kernel_id", q->kernel_id },
		{ "box", q->box },	   { "group", q->group },
		{ "job", q->job },	   { "testcase", q->testcase },
		{ "outcome", q->outcome }, { "experiment", q->experiment },
	};
	struct buf sql = { 0 };
	struct db_stmt *s = NULL;
	int rc, at = 0;

	*runs = (struct index_runs){ 0 };
	buf_puts(&sql, "SELECT * FROM (SELECT id, ");
	index_row_columns(&sql);
	buf_puts(&sql, " FROM run WHERE 1");
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		if (want[i].value && *want[i].value)
			buf_printf(&sql, " AND \"%s\" %s ?", want[i].column,
				   strpbrk(want[i].value, "*?[") ? "GLOB" : "=");
	if (q->lease && *q->lease)
		buf_puts(&sql, " AND substr(lease, 1, length(?)) = ?");
	if (q->since_s)
		buf_printf(&sql, " AND start_s >= %lld",
			   (long long)q->since_s);
	if (q->until_s)
		buf_printf(&sql, " AND start_s < %lld", (long long)q->until_s);
	buf_printf(&sql, " ORDER BY start_s DESC, lease DESC LIMIT %d) "
		   "ORDER BY start_s, lease", q->limit > 0 ? q->limit : -1);
	rc = buf_ok(&sql, e);
	if (!rc)
		s = db_prepare(x->db, buf_str(&sql), e);
	buf_free(&sql);
	if (!s)
		return -1;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		if (want[i].value && *want[i].value)
			db_bind_text(s, ++at, want[i].value);
	if (q->lease && *q->lease) {
		db_bind_text(s, ++at, q->lease);
		db_bind_text(s, ++at, q->lease);
	}
	rc = load_runs(x, s, runs, e);
	db_free(s);
	if (rc)
		index_runs_free(runs);
	return rc;
}

void index_runs_free(struct index_runs *runs)
{
	for (size_t i = 0; i < runs->n; i++)
		index_run_free(&runs->v[i]);
	free(runs->v);
	*runs = (struct index_runs){ 0 };
}

/* ---- what a person types ----------------------------------------------------- */

int index_kernel(struct index *x, const char *what, struct buf *name,
		 struct err *e)
{
	struct db_stmt *s = db_prepare(
		x->db, "SELECT DISTINCT kernel FROM run WHERE kernel = ?1 OR "
		       "substr(kernel, 1, length(?1)) = ?1 OR "
		       "substr(kernel_id, 1, length(?1)) = ?1 OR "
		       "substr(build_id, 1, length(?1)) = ?1 "
		       "ORDER BY kernel <> ?1, kernel LIMIT 2", e);
	size_t had = name->len;
	int rc;

	if (!s)
		return -1;
	db_bind_text(s, 1, what);
	rc = *what ? db_step(x->db, s, e) : 0;
	if (rc == 0)
		err_set(e, ERR_NOTFOUND, "no result of a kernel \"%s\"", what);
	if (rc > 0)
		buf_puts(name, db_text(s, 0));
	/* an exact name wins over others that it is a prefix of */
	if (rc > 0 && strcmp(buf_str(name) + had, what) != 0 &&
	    db_step(x->db, s, e) > 0) {
		err_set(e, ERR_CONFLICT, "\"%s\" may be kernel %s or %s", what,
			buf_str(name) + had, db_text(s, 0));
		rc = -1;
	}
	db_free(s);
	return rc > 0 ? buf_ok(name, e) : -1;
}

/* The lease in "[PATH/]BOX.LEASE.tar.lz4", or what as it is. */
static char *lease_of(const char *what)
{
	const char *base = strrchr(what, '/');
	const char *end, *dot;

	base = base ? base + 1 : what;
	end = strstr(base, ".tar.lz4");
	if (!end)
		return strdup(what);
	dot = memrchr(base, '.', (size_t)(end - base));
	dot = dot ? dot + 1 : base;
	return strndup(dot, (size_t)(end - dot));
}

int index_find(struct index *x, const char *what, struct index_run *run,
	       struct err *e)
{
	bool latest = !strcmp(what, "@latest");
	char *lease = latest ? strdup("") : lease_of(what);
	struct index_query q = { .lease = lease, .limit = latest ? 1 : 2 };
	struct index_runs runs;
	int rc;

	if (!lease)
		return err_set(e, ERR_LIMIT, "out of memory");
	if (!latest && !*lease) {
		free(lease);
		return err_set(e, ERR_NOTFOUND, "no result \"%s\"", what);
	}
	rc = index_runs(x, &q, &runs, e);
	free(lease);
	if (rc)
		return -1;
	if (runs.n == 1) {
		*run = runs.v[0];
		free(runs.v);
		return 0;
	}
	if (!runs.n)
		rc = err_set(e, ERR_NOTFOUND, latest ? "the store is empty" :
			     "no result \"%s\"", what);
	else
		rc = err_set(e, ERR_CONFLICT, "\"%s\" may be %s or %s", what,
			     runs.v[0].lease, runs.v[1].lease);
	index_runs_free(&runs);
	return rc;
}
