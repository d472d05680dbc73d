// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The columns of a run, in one table: the schema, binding, loading and
 * printing come from it.
 */
#include "index_row.h"

#include <stdlib.h>
#include <string.h>

enum kind { TEXT, INT, INT64, FLAG, OUTCOME, LIST };

#define COL(field, kind) { #field, offsetof(struct index_run, field), kind }
static const struct column {
	const char *name;
	size_t at;
	enum kind kind;
} column[] = {
	COL(box, TEXT),
	COL(lease, TEXT), /* these two first: fsck.c */
	COL(group, TEXT),
	COL(job, TEXT),
	COL(job_id, TEXT),
	COL(testcase, TEXT),
	COL(params_path, TEXT),
	COL(kernel, TEXT),
	COL(kernel_id, TEXT),
	COL(build_id, TEXT),
	COL(release, TEXT),
	COL(boot_id, TEXT),
	COL(experiment, TEXT),
	COL(boot_mode, TEXT),
	COL(prev_kernel, TEXT),
	COL(cpu_model, TEXT),
	COL(reason, TEXT),
	COL(notes, TEXT),
	COL(file, TEXT),
	COL(bytes, INT64),
	COL(block, INT),
	COL(position, INT),
	COL(attempt, INT),
	COL(start_s, INT64),
	COL(end_s, INT64),
	COL(outcome, OUTCOME),
	COL(stable, FLAG),
	COL(iterations, INT),
	COL(planned, INT),
	COL(cpus_online, INT64),
	COL(memory_kb, INT64),
	COL(primary, LIST),
};
enum { COLUMNS = sizeof(column) / sizeof(column[0]) };

int index_row_count(void)
{
	return COLUMNS;
}

static bool is_text(enum kind kind)
{
	return kind == TEXT || kind == LIST || kind == OUTCOME;
}

void index_row_schema(struct buf *sql)
{
	buf_puts(sql, "id INTEGER PRIMARY KEY");
	for (int i = 0; i < COLUMNS; i++)
		buf_printf(sql, ", \"%s\" %s NOT NULL", column[i].name,
			   is_text(column[i].kind) ? "TEXT" : "INTEGER");
}

void index_row_columns(struct buf *sql)
{
	for (int i = 0; i < COLUMNS; i++)
		buf_printf(sql, "%s\"%s\"", i ? ", " : "", column[i].name);
}

static int64_t number(const struct index_run *r, const struct column *c)
{
	const char *p = (const char *)r + c->at;

	if (c->kind == INT64)
		return *(const int64_t *)(const void *)p;
	if (c->kind == FLAG)
		return *(const bool *)p;
	return *(const int *)(const void *)p;
}

static const char *text(const struct index_run *r, const struct column *c)
{
	const char *s = *(char *const *)(const void *)((const char *)r + c->at);

	return s ? s : "";
}

static void join(const struct strlist *l, struct buf *out)
{
	for (size_t i = 0; i < l->n; i++)
		buf_printf(out, "%s%s", i ? " " : "", l->v[i]);
}

void index_row_bind(struct db_stmt *s, const struct index_run *r,
		    struct buf *list)
{
	buf_reset(list);
	join(&r->primary, list);
	for (int i = 0; i < COLUMNS; i++) {
		const struct column *c = &column[i];

		if (c->kind == TEXT)
			db_bind_text(s, i + 1, text(r, c));
		else if (c->kind == LIST)
			db_bind_text(s, i + 1, buf_str(list));
		else if (c->kind == OUTCOME)
			db_bind_text(s, i + 1, outcome_name(r->outcome));
		else
			db_bind_i64(s, i + 1, number(r, c));
	}
}

/* Splits at blanks: names of stats hold none. */
static int split(const char *s, struct strlist *l, struct err *e)
{
	while (*s) {
		size_t n = strcspn(s, " ");
		char *word = strndup(s, n);
		int rc = word ? strlist_add(l, word, e) :
				err_set(e, ERR_LIMIT, "out of memory");

		free(word);
		if (rc)
			return -1;
		s += n + (s[n] == ' ');
	}
	return 0;
}

static int load(struct db_stmt *s, int col, struct index_run *r,
		struct err *e)
{
	const struct column *c = &column[col - 1];
	void *p = (char *)r + c->at;

	switch (c->kind) {
	case TEXT:
		*(char **)p = strdup(db_text(s, col));
		return *(char **)p ? 0 : err_set(e, ERR_LIMIT, "out of memory");
	case LIST:
		return split(db_text(s, col), p, e);
	case OUTCOME:
		if (outcome_parse(db_text(s, col), p))
			return err_set(e, ERR_FORMAT,
				       "index.db: outcome \"%.32s\"",
				       db_text(s, col));
		return 0;
	case INT64:
		*(int64_t *)p = db_i64(s, col);
		return 0;
	case FLAG:
		*(bool *)p = db_i64(s, col) != 0;
		return 0;
	case INT:
		*(int *)p = (int)db_i64(s, col);
		return 0;
	}
	return 0;
}

int index_row_load(struct db_stmt *s, struct index_run *r, struct err *e)
{
	memset(r, 0, sizeof(*r));
	r->id = db_i64(s, 0);
	for (int i = 1; i <= COLUMNS; i++)
		if (load(s, i, r, e)) {
			index_run_free(r);
			return -1;
		}
	return 0;
}

void index_run_free(struct index_run *r)
{
	for (int i = 0; i < COLUMNS; i++)
		if (column[i].kind == TEXT)
			free(*(char **)(void *)((char *)r + column[i].at));
	strlist_free(&r->primary);
	memset(r, 0, sizeof(*r));
}

void index_row_text(const struct index_run *r, struct buf *out)
{
	for (int i = 0; i < COLUMNS; i++) {
		const struct column *c = &column[i];

		buf_printf(out, " %s=", c->name);
		if (c->kind == TEXT)
			buf_puts(out, text(r, c));
		else if (c->kind == LIST)
			join(&r->primary, out);
		else if (c->kind == OUTCOME)
			buf_puts(out, outcome_name(r->outcome));
		else
			buf_printf(out, "%lld", (long long)number(r, c));
	}
}
