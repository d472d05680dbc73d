// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Loading and freeing of the five kinds of file, and their problem reports.
 * The work is done by conf_load.c along conf_schema.c's tables.
 */
#include "conf.h"
#include "conf_report.h"
#include "conf_schema.h"
#include "conf_store.h"
#include "io.h"

#include <stdlib.h>
#include <string.h>

/*
 * Far above what people write. libconfig searches a group linearly for every
 * key that it adds, so the number of keys in one is what keeps hostile text
 * from costing minutes.
 */
#define FILE_MAX 262144
static const struct cfg_limits limits = {
	.bytes = FILE_MAX,
	.depth = 8,
	.group = 256,
	.list = 1024,
};

/* "conf/hosts/vbox1.cfg" to "vbox1" */
static char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t n = strlen(name);

	if (n > 4 && !strcmp(name + n - 4, ".cfg"))
		n -= 4;
	return strndup(name, n);
}

static int read_tree(int dirfd, const char *path, struct cfg_node *root,
		     struct conf_problem *bad, struct err *e)
{
	struct buf text = { 0 };
	int rc;

	*root = (struct cfg_node){ .type = CFG_GROUP };
	*bad = (struct conf_problem){ 0 };
	rc = io_read_file(dirfd, path, &text, FILE_MAX, e);
	if (rc) {
		snprintf(bad->msg, sizeof(bad->msg), "%s", e->msg);
	} else if (cfgtree_parse(buf_str(&text), text.len, &limits, root,
				 bad)) {
		struct buf msg = { 0 };

		conf_report_format(path, bad, &msg);
		rc = err_set(e, ERR_INPUT, "%s", buf_str(&msg));
		buf_free(&msg);
	}
	buf_free(&text);
	return rc;
}

static int fill(const struct conf_schema *schema, const char *path, void *conf,
		struct conf_load *l, struct err *e)
{
	struct buf first = { 0 };
	char *name = base_name(path);

	l->name = name;
	if (name)
		conf_load_struct(schema, conf, l);
	free(name);
	if (!name || l->failed)
		return err_set(e, ERR_LIMIT, "%s: out of memory", path);
	if (!l->report->n)
		return 0;
	conf_report_sort(l->report);
	conf_report_format(path, &l->report->v[0], &first);
	err_set(e, ERR_INPUT, "%s", buf_str(&first));
	buf_free(&first);
	return -1;
}

static int load(enum conf_kind kind, int dirfd, const char *path, void *conf,
		struct conf_report *r, struct err *e)
{
	const struct conf_schema *schema = &conf_schema[kind];
	struct conf_report own = { 0 };
	struct err own_e = ERR_INIT;
	struct conf_problem bad;
	struct cfg_node root;
	struct conf_load l = { .report = r ? r : &own, .root = &root };
	int rc;

	e = e ? e : &own_e;
	memset(conf, 0, schema->size);
	*l.report = (struct conf_report){ .file = strdup(path) };
	rc = read_tree(dirfd, path, &root, &bad, e);
	if (rc)
		conf_load_note(&l, bad.line, bad.key, "%s", bad.msg);
	else
		rc = fill(schema, path, conf, &l, e);
	cfgtree_free(&root);
	conf_report_free(&own);
	if (rc) {
		conf_store_free(schema->key, conf);
		memset(conf, 0, schema->size);
	}
	return rc;
}

static void drop(enum conf_kind kind, void *conf)
{
	conf_store_free(conf_schema[kind].key, conf);
	memset(conf, 0, conf_schema[kind].size);
}

int conf_host_load(int dirfd, const char *path, struct conf_host *h,
		   struct conf_report *r, struct err *e)
{
	return load(CONF_HOST, dirfd, path, h, r, e);
}

int conf_job_load(int dirfd, const char *path, struct conf_job *j,
		  struct conf_report *r, struct err *e)
{
	return load(CONF_JOB, dirfd, path, j, r, e);
}

int conf_experiment_load(int dirfd, const char *path, struct conf_experiment *x,
			 struct conf_report *r, struct err *e)
{
	return load(CONF_EXPERIMENT, dirfd, path, x, r, e);
}

int conf_kernel_load(int dirfd, const char *path, struct conf_kernel *k,
		     struct conf_report *r, struct err *e)
{
	return load(CONF_KERNEL, dirfd, path, k, r, e);
}

int conf_controller_load(int dirfd, const char *path, struct conf_controller *c,
			 struct conf_report *r, struct err *e)
{
	return load(CONF_CONTROLLER, dirfd, path, c, r, e);
}

void conf_host_free(struct conf_host *h)
{
	drop(CONF_HOST, h);
}

void conf_job_free(struct conf_job *j)
{
	drop(CONF_JOB, j);
}

void conf_experiment_free(struct conf_experiment *x)
{
	drop(CONF_EXPERIMENT, x);
}

void conf_kernel_free(struct conf_kernel *k)
{
	drop(CONF_KERNEL, k);
}

void conf_controller_free(struct conf_controller *c)
{
	drop(CONF_CONTROLLER, c);
}

void conf_tune_free(struct conf_tune *t)
{
	conf_store_free(conf_schema_tune, t);
	memset(t, 0, sizeof(*t));
}

/* ---- which kind ---- */

/* Top-level names of the file that this kind knows, and its folder for ties. */
static size_t likeness(const struct conf_schema *schema,
		       const struct cfg_node *root, const char *path)
{
	size_t n = 0;

	for (size_t i = 0; i < root->n; i++) {
		const char *name = root->child[i].name;
		size_t len = strlen(name);
		const struct conf_key *k = schema->key;

		while (k->path && (strncmp(k->path, name, len) != 0 ||
				   (k->path[len] && k->path[len] != '.')))
			k++;
		n += k->path ? 2 : 0;
	}
	return n ? n + (strstr(path, schema->folder) ? 1 : 0) : 0;
}

int conf_guess_kind(int dirfd, const char *path, enum conf_kind *kind,
		    struct err *e)
{
	struct err own_e = ERR_INIT;
	struct conf_problem bad;
	struct cfg_node root;
	size_t best = 0;
	int rc;

	e = e ? e : &own_e;
	rc = read_tree(dirfd, path, &root, &bad, e);
	for (int k = 0; !rc && k < CONF_KINDS; k++) {
		size_t n = likeness(&conf_schema[k], &root, path);

		if (n <= best)
			continue;
		best = n;
		*kind = (enum conf_kind)k;
	}
	cfgtree_free(&root);
	if (!rc && !best)
		rc = err_set(e, ERR_INPUT,
			     "%s: not a host, job, experiment, kernel or "
			     "controller file: it has none of their keys",
			     path);
	return rc;
}
