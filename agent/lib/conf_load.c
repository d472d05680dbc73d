// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Fills a struct from a tree by the schema's table, and notes every problem
 * with its line and what was expected. Knows no key by name.
 */
#include "conf_load.h"
#include "conf_expect.h"
#include "conf_near.h"
#include "conf_store.h"
#include "plain.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PROBLEMS_MAX 100 /* nobody reads more */
#define KEY_SIZE     ((int)sizeof(((struct conf_problem *)0)->key))

void conf_load_note(struct conf_load *l, unsigned int line, const char *key,
		    const char *fmt, ...)
{
	struct conf_report *r = l->report;
	struct conf_problem *p;
	va_list ap;

	if (r->n == PROBLEMS_MAX)
		return;
	p = reallocarray(r->v, r->n + 1, sizeof(*p));
	if (!p) {
		l->failed = true;
		return;
	}
	r->v = p;
	p += r->n++;
	*p = (struct conf_problem){ .line = line };
	snprintf(p->key, sizeof(p->key), "%s", key);
	va_start(ap, fmt);
	vsnprintf(p->msg, sizeof(p->msg), fmt, ap);
	va_end(ap);
	plain_make(p->msg, '?');
}

/* The node of "net.mac", or of the deepest of its groups that exists. */
static const struct cfg_node *find(const struct cfg_node *root,
				   const char *path, bool *whole)
{
	const struct cfg_node *at = root;

	*whole = true;
	while (*path) {
		size_t n = strcspn(path, ".");
		const struct cfg_node *next = NULL;

		for (size_t i = 0; at->type == CFG_GROUP && i < at->n; i++)
			if (strlen(at->child[i].name) == n &&
			    !memcmp(at->child[i].name, path, n))
				next = &at->child[i];
		if (!next) {
			*whole = false;
			return at;
		}
		at = next;
		path += n + (path[n] == '.');
	}
	return at;
}

unsigned int conf_load_line(const struct conf_load *l, const char *path)
{
	bool whole;

	return find(l->root, path, &whole)->line;
}

static void note_wrong(struct conf_load *l, const struct conf_key *k,
		       const char *key, const struct cfg_node *v)
{
	struct buf got = { 0 }, want = { 0 };

	conf_expect_got(v, &got);
	conf_expect_put(k, &want);
	conf_load_note(l, v->line, key, "%s, expected %s", buf_str(&got),
		       buf_str(&want));
	buf_free(&got);
	buf_free(&want);
}

/* "net" and "mac" to "net.mac" */
static void join(char out[KEY_SIZE], const char *prefix, const char *name)
{
	if (snprintf(out, KEY_SIZE, "%s%s%s", prefix, *prefix ? "." : "",
		     name) >= KEY_SIZE)
		memcpy(out + KEY_SIZE - 4, "...", 4);
}

/* ---- unknown keys ---- */

static void note_unknown(struct conf_load *l, const struct conf_key *table,
			 const char *prefix, const char *path,
			 const struct cfg_node *v)
{
	char key[KEY_SIZE];
	struct buf near = { 0 };

	join(key, prefix, path);
	if (conf_near_key(table, path, &near))
		conf_load_note(l, v->line, key,
			       "no such key, the nearest known one is %s%s%s",
			       prefix, *prefix ? "." : "", buf_str(&near));
	else
		conf_load_note(l, v->line, key,
			       "no such key, expected one of those that "
			       "`ironrig check --keys' lists");
	buf_free(&near);
}

enum known {
	UNKNOWN,
	KEY,
	GROUP
};

static enum known known(const struct conf_key *table, const char *path)
{
	size_t n = strlen(path);

	for (const struct conf_key *k = table; k->path; k++) {
		if (strncmp(k->path, path, n) != 0)
			continue;
		if (!k->path[n])
			return KEY;
		if (k->path[n] == '.')
			return GROUP;
	}
	return UNKNOWN;
}

/* path: of the group within the table; prefix: of the table within the file. */
static void check_known(struct conf_load *l, const struct conf_key *table,
			const struct cfg_node *group, const char *prefix,
			const char *path)
{
	for (size_t i = 0; i < group->n; i++) {
		const struct cfg_node *v = &group->child[i];
		char key[KEY_SIZE], whole[KEY_SIZE];

		join(key, path, v->name);
		switch (known(table, key)) {
		case UNKNOWN:
			note_unknown(l, table, prefix, key, v);
			break;
		case GROUP:
			if (v->type == CFG_GROUP) {
				check_known(l, table, v, prefix, key);
				break;
			}
			join(whole, prefix, key);
			note_wrong(l, &(struct conf_key){ .type = CONF_SUB },
				   whole, v);
			break;
		case KEY:
			break;
		}
	}
}

/* ---- known keys ---- */

static void load_table(struct conf_load *l, const struct conf_key *table,
		       void *base, const struct cfg_node *group,
		       const char *prefix);

static void load_groups(struct conf_load *l, const struct conf_key *k,
			void *base, const struct cfg_node *v, const char *key)
{
	char **to = (char **)((char *)base + k->offset);
	size_t *count = (size_t *)((char *)base + k->count);

	if (v->type != CFG_LIST) {
		note_wrong(l, k, key, v);
		return;
	}
	for (size_t i = 0; i < v->n; i++)
		if (v->child[i].type != CFG_GROUP) {
			note_wrong(l, k, key, &v->child[i]);
			return;
		}
	if (!v->n)
		return;
	*to = calloc(v->n, k->size);
	if (!*to) {
		l->failed = true;
		return;
	}
	for (size_t i = 0; i < v->n; i++) {
		char element[KEY_SIZE], index[24];

		snprintf(index, sizeof(index), "[%zu]", i);
		snprintf(element, sizeof(element), "%.64s%s", key, index);
		++*count;
		load_table(l, k->sub, *to + i * k->size, &v->child[i], element);
	}
}

static void load_value(struct conf_load *l, const struct conf_key *k,
		       void *base, const struct cfg_node *v, const char *key)
{
	const struct cfg_node *wrong;
	char path[KEY_SIZE];

	if (k->type == CONF_GROUPS) {
		load_groups(l, k, base, v, key);
		return;
	}
	if (!conf_store_value(k, base, v, &wrong))
		return;
	if (!wrong) {
		l->failed = true;
	} else if (k->type == CONF_PARAMS && wrong->name && wrong != v) {
		join(path, key, wrong->name);
		note_wrong(l, k, path, wrong);
	} else {
		note_wrong(l, k, key, wrong);
	}
}

static void load_absent(struct conf_load *l, const struct conf_key *k,
			void *base, const struct cfg_node *group,
			const char *key)
{
	struct buf want = { 0 };

	if (conf_store_default(k, base))
		l->failed = true;
	if (!k->required)
		return;
	conf_expect_put(k, &want);
	conf_load_note(l, group->line, key, "missing, expected %s",
		       buf_str(&want));
	buf_free(&want);
}

static void load_sub(struct conf_load *l, const struct conf_key *k, void *base,
		     const struct cfg_node *v, const char *key)
{
	static const struct cfg_node none = { .type = CFG_GROUP };

	if (v && v->type != CFG_GROUP) {
		note_wrong(l, k, key, v);
		v = NULL;
	}
	load_table(l, k->sub, (char *)base + k->offset, v ? v : &none, key);
}

static void load_table(struct conf_load *l, const struct conf_key *table,
		       void *base, const struct cfg_node *group,
		       const char *prefix)
{
	if (!l->open)
		check_known(l, table, group, prefix, "");
	for (const struct conf_key *k = table; k->path; k++) {
		char key[KEY_SIZE];
		bool given;
		const struct cfg_node *v = find(group, k->path, &given);

		join(key, prefix, k->path);
		if (k->type == CONF_SUB)
			load_sub(l, k, base, given ? v : NULL, key);
		else if (given)
			load_value(l, k, base, v, key);
		else
			load_absent(l, k, base, group, key);
	}
}

static void default_name(const struct conf_schema *schema, void *conf,
			 struct conf_load *l)
{
	const struct conf_key *k = schema->key;
	char **to;

	if (!schema->name_key || cfgtree_get(l->root, schema->name_key))
		return;
	while (strcmp(k->path, schema->name_key) != 0)
		k++;
	to = (char **)((char *)conf + k->offset);
	if (!conf_form_ok(k->form, l->name)) {
		conf_load_note(l, 0, k->path,
			       "missing, and the file's name is not %s",
			       k->form->expected);
		return;
	}
	*to = strdup(l->name);
	l->failed |= !*to;
}

void conf_load_struct(const struct conf_schema *schema, void *conf,
		      struct conf_load *l)
{
	l->open = schema->open;
	load_table(l, schema->key, conf, l->root, "");
	default_name(schema, conf, l);
	if (schema->rules)
		schema->rules(conf, l);
}
