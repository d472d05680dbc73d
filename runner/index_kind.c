// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Which experiments an index holds of one kind of run. Their runs and values
 * are read as all others, by index_query.c.
 */
#include "index_row.h"

#include <stdlib.h>

/* Blocks that count: what warms up and what failed says nothing. */
#define KIND                                                                   \
	" FROM run WHERE job = ?1 AND boot_mode = ?2"                          \
	" AND testcase || '/' || params_path || '/' || \"group\" = ?3"         \
	" AND start_s < ?4 AND experiment <> '' AND block > 0"                 \
	" AND outcome = 'ok' AND stable"

static int names(struct index *x, const struct index_kind *k, const char *sql,
		 const char *experiment, struct strlist *out, struct err *e)
{
	struct db_stmt *s = db_prepare(x->db, sql, e);
	int rc;

	if (!s)
		return -1;
	db_bind_text(s, 1, k->job);
	db_bind_text(s, 2, k->boot_mode);
	db_bind_text(s, 3, k->name);
	db_bind_i64(s, 4, k->before_s);
	if (experiment)
		db_bind_text(s, 5, experiment);
	while ((rc = db_step(x->db, s, e)) > 0)
		if (strlist_add(out, db_text(s, 0), e)) {
			rc = -1;
			break;
		}
	db_free(s);
	return rc;
}

int index_experiments(struct index *x, const struct index_kind *k, int limit,
		      struct strlist *out, struct err *e)
{
	struct buf sql = { 0 };
	int rc;

	buf_printf(&sql,
		   "SELECT experiment" KIND " GROUP BY experiment"
		   " ORDER BY max(start_s) DESC, experiment LIMIT %d",
		   limit);
	rc = buf_ok(&sql, e);
	if (!rc)
		rc = names(x, k, buf_str(&sql), NULL, out, e);
	buf_free(&sql);
	return rc;
}

int index_experiment_kernels(struct index *x, const struct index_kind *k,
			     const char *experiment, struct strlist *out,
			     struct err *e)
{
	return names(x, k,
		     "SELECT kernel" KIND " AND experiment = ?5 GROUP BY kernel"
		     " ORDER BY count(*) DESC, kernel LIMIT 2",
		     experiment, out, e);
}
