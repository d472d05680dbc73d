// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Single values from tree nodes into fields of structs, and freeing them. What
 * is in range stands in the row; which node belongs to it finds conf_load.c.
 */
#include "conf_store.h"
#include "plain.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void *field(const struct conf_key *k, void *base)
{
	return (char *)base + k->offset;
}

static bool in_range(const struct conf_key *k, int64_t v)
{
	return v >= k->min && v <= k->max;
}

/* The number of a node, in the unit of min and max. */
static bool number(const struct conf_key *k, const struct cfg_node *v,
		   int64_t *out)
{
	int64_t scale = k->type == CONF_MS ? 1000 : 1;
	uint64_t size;

	if (v->type == CFG_BOOL && k->type == CONF_KNOB) {
		*out = v->i;
		return in_range(k, *out);
	}
	if (v->type == CFG_INT) {
		*out = v->i;
		if (v->i > INT64_MAX / scale || v->i < 0)
			return scale == 1 && in_range(k, *out);
		*out *= scale;
		return in_range(k, *out);
	}
	if (v->type != CFG_STRING)
		return false;
	if (k->type == CONF_SIZE) {
		if (num_size(v->s, &size, NULL))
			return false;
		*out = (int64_t)size; /* num_size() stops at INT64_MAX */
		return in_range(k, *out);
	}
	if ((k->type != CONF_SECONDS && k->type != CONF_MS) ||
	    num_duration(v->s, out, NULL))
		return false;
	if (k->type == CONF_SECONDS) {
		if (*out % 1000)
			return false;
		*out /= 1000;
	}
	return in_range(k, *out);
}

static bool store_number(const struct conf_key *k, void *to,
			 const struct cfg_node *v)
{
	int64_t n;

	if (!number(k, v, &n))
		return false;
	if (k->type == CONF_SIZE)
		*(uint64_t *)to = (uint64_t)n;
	else if (k->type == CONF_MS || k->type == CONF_I64)
		*(int64_t *)to = n;
	else
		*(int *)to = (int)n;
	return true;
}

static bool store_u64(void *to, const struct cfg_node *v)
{
	if (v->type == CFG_STRING)
		return !num_u64(v->s, UINT64_MAX, to, NULL);
	if (v->type != CFG_INT || v->i < 0)
		return false;
	*(uint64_t *)to = (uint64_t)v->i;
	return true;
}

static bool store_plain(const struct conf_key *k, void *to,
			const struct cfg_node *v)
{
	switch (k->type) {
	case CONF_U64:
		return store_u64(to, v);
	case CONF_BOOL:
		if (v->type != CFG_BOOL)
			return false;
		*(bool *)to = v->i;
		return true;
	case CONF_FRACTION:
		if (v->type != CFG_FLOAT || !(v->f > 0 && v->f < 1))
			return false;
		*(double *)to = v->f;
		return true;
	case CONF_CHOICE:
		if (v->type != CFG_STRING || !conf_form_ok(k->form, v->s))
			return false;
		*(int *)to = conf_form_choice(k->form->choice, v->s);
		return true;
	default:
		return store_number(k, to, v);
	}
}

static int store_text(const struct conf_key *k, char **to,
		      const struct cfg_node *v, const struct cfg_node **wrong)
{
	if (v->type != CFG_STRING || !conf_form_ok(k->form, v->s)) {
		*wrong = v;
		return -1;
	}
	*to = strdup(v->s);
	if (!*to)
		return -1;
	for (char *p = *to; *p; p++)
		if (k->form == &conf_form_mac) /* as the kernel prints it */
			*p = (char)tolower((unsigned char)*p);
	if (k->form == &conf_form_clean)
		plain_make(*to, ' ');
	return 0;
}

static int store_texts(const struct conf_key *k, struct strlist *to,
		       const struct cfg_node *v, const struct cfg_node **wrong)
{
	const struct cfg_node *at = v->type == CFG_LIST ? v->child : v;
	size_t n = v->type == CFG_LIST ? v->n : 1;

	if (k->required && !n) {
		*wrong = v;
		return -1;
	}
	for (size_t i = 0; i < n; i++) {
		if (at[i].type != CFG_STRING || !conf_form_ok(k->form, at[i].s))
			*wrong = &at[i];
		if (*wrong || strlist_add(to, at[i].s, NULL)) {
			strlist_free(to);
			return -1;
		}
	}
	return 0;
}

static int store_param(struct conf_param *to, const struct cfg_node *v,
		       const struct cfg_node **wrong)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%lld", (long long)v->i);
	if (!conf_form_ok(&conf_form_param, v->name) ||
	    (v->type != CFG_INT && (v->type != CFG_STRING || !*v->s ||
				    !conf_form_ok(&conf_form_line, v->s)))) {
		*wrong = v;
		return -1;
	}
	to->name = strdup(v->name);
	to->value = strdup(v->type == CFG_INT ? digits : v->s);
	return to->name && to->value ? 0 : -1;
}

static void free_groups(const struct conf_key *k, void *base)
{
	size_t n = *(size_t *)((char *)base + k->count);
	char *v = *(char **)field(k, base);

	for (size_t i = 0; i < n; i++) {
		if (k->type == CONF_GROUPS) {
			conf_store_free(k->sub, v + i * k->size);
		} else {
			free(((struct conf_param *)v)[i].name);
			free(((struct conf_param *)v)[i].value);
		}
	}
	free(v);
	*(char **)field(k, base) = NULL;
	*(size_t *)((char *)base + k->count) = 0;
}

static int store_params(const struct conf_key *k, void *base,
			const struct cfg_node *v, const struct cfg_node **wrong)
{
	struct conf_param **to = field(k, base);
	size_t *count = (size_t *)((char *)base + k->count);

	if (v->type != CFG_GROUP) {
		*wrong = v;
		return -1;
	}
	if (!v->n)
		return 0;
	*to = calloc(v->n, sizeof(**to));
	if (!*to)
		return -1;
	for (size_t i = 0; i < v->n; i++) {
		++*count;
		if (store_param(&(*to)[i], &v->child[i], wrong)) {
			free_groups(k, base);
			return -1;
		}
	}
	return 0;
}

int conf_store_value(const struct conf_key *k, void *base,
		     const struct cfg_node *v, const struct cfg_node **wrong)
{
	void *to = field(k, base);

	*wrong = NULL;
	if (k->type == CONF_TEXT)
		return store_text(k, to, v, wrong);
	if (k->type == CONF_TEXTS)
		return store_texts(k, to, v, wrong);
	if (k->type == CONF_PARAMS)
		return store_params(k, base, v, wrong);
	if (store_plain(k, to, v))
		return 0;
	*wrong = v;
	return -1;
}

/* The default's text as the node that a file would give. */
static void default_node(const struct conf_key *k, struct cfg_node *v)
{
	*v = (struct cfg_node){ .type = CFG_STRING, .s = (char *)k->def };
	switch (k->type) {
	case CONF_INT:
	case CONF_I64:
		v->type = CFG_INT;
		v->i = strtoll(k->def, NULL, 10);
		break;
	case CONF_BOOL:
		v->type = CFG_BOOL;
		v->i = !strcmp(k->def, "true");
		break;
	case CONF_FRACTION:
		v->type = CFG_FLOAT;
		v->f = strtod(k->def, NULL);
		break;
	default:
		break;
	}
}

int conf_store_default(const struct conf_key *k, void *base)
{
	const struct cfg_node *wrong;
	struct cfg_node v;

	if (k->type == CONF_KNOB)
		*(int *)field(k, base) = CONF_KEEP;
	if (!k->def)
		return 0;
	default_node(k, &v);
	return conf_store_value(k, base, &v, &wrong);
}

void conf_store_free(const struct conf_key *table, void *base)
{
	for (const struct conf_key *k = table; k->path; k++) {
		if (k->type == CONF_TEXT)
			free(*(char **)field(k, base));
		else if (k->type == CONF_TEXTS)
			strlist_free(field(k, base));
		else if (k->type == CONF_SUB)
			conf_store_free(k->sub, field(k, base));
		else if (k->type == CONF_GROUPS || k->type == CONF_PARAMS)
			free_groups(k, base);
	}
}
