// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Structs as the text that the loaders read back, along the schema's table.
 * Everything that is set is written, defaults too: a job.cfg in a result must
 * not change its meaning when a default does.
 */
#include "conf_write.h"

#include <string.h>

static void put_size(struct buf *b, unsigned int depth, const char *name,
		     uint64_t v)
{
	static const char unit[] = "KMGT";
	char text[32];
	int u = -1;

	while (u < 3 && v && v % 1024 == 0) {
		v /= 1024;
		u++;
	}
	if (u < 0) {
		cfgtree_put_int(b, depth, name, (int64_t)v);
		return;
	}
	snprintf(text, sizeof(text), "%llu%c", (unsigned long long)v, unit[u]);
	cfgtree_put_string(b, depth, name, text);
}

static void put_ms(struct buf *b, unsigned int depth, const char *name,
		   int64_t ms)
{
	char text[32];

	if (ms % 1000)
		snprintf(text, sizeof(text), "%lldms", (long long)ms);
	else
		snprintf(text, sizeof(text), "%llds", (long long)ms / 1000);
	cfgtree_put_string(b, depth, name, text);
}

static void put_u64(struct buf *b, unsigned int depth, const char *name,
		    uint64_t v)
{
	char text[24];

	if (v <= INT64_MAX) {
		cfgtree_put_int(b, depth, name, (int64_t)v);
		return;
	}
	snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	cfgtree_put_string(b, depth, name, text);
}

static void put_choice(struct buf *b, unsigned int depth, const char *name,
		       const char *choice, int v)
{
	char text[32];

	for (; v > 0; v--) {
		choice += strcspn(choice, "|");
		choice += *choice == '|';
	}
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(choice, "|"), choice);
	cfgtree_put_string(b, depth, name, text);
}

static void put_number(struct buf *b, unsigned int depth, const char *name,
		       const struct conf_key *k, const void *p)
{
	switch (k->type) {
	case CONF_KNOB:
		if (*(const int *)p == CONF_KEEP)
			break;
		/* fall through */
	case CONF_INT:
		cfgtree_put_int(b, depth, name, *(const int *)p);
		break;
	case CONF_I64:
		cfgtree_put_int(b, depth, name, *(const int64_t *)p);
		break;
	case CONF_U64:
		put_u64(b, depth, name, *(const uint64_t *)p);
		break;
	case CONF_FRACTION:
		cfgtree_put_float(b, depth, name, *(const double *)p);
		break;
	case CONF_BOOL:
		cfgtree_put_bool(b, depth, name, *(const bool *)p);
		break;
	case CONF_CHOICE:
		put_choice(b, depth, name, k->form->choice, *(const int *)p);
		break;
	case CONF_SIZE:
		put_size(b, depth, name, *(const uint64_t *)p);
		break;
	case CONF_SECONDS:
		put_ms(b, depth, name, 1000LL * *(const int *)p);
		break;
	case CONF_MS:
		put_ms(b, depth, name, *(const int64_t *)p);
		break;
	default:
		break;
	}
}

static void put_table(struct buf *b, unsigned int depth,
		      const struct conf_key *table, const char *base);

static void put_sub(struct buf *b, unsigned int depth, const char *name,
		    const struct conf_key *k, const char *base)
{
	struct buf inner = { 0 };

	put_table(&inner, depth + 1, k->sub, base + k->offset);
	if (inner.len) {
		cfgtree_put_open(b, depth, name, "{");
		buf_add(b, inner.data, inner.len);
		cfgtree_put_close(b, depth, "};");
	}
	b->failed |= inner.failed;
	buf_free(&inner);
}

static void put_groups(struct buf *b, unsigned int depth, const char *name,
		       const struct conf_key *k, const char *base)
{
	const char *v = *(char *const *)(const void *)(base + k->offset);
	size_t n = *(const size_t *)(const void *)(base + k->count);

	if (!n)
		return;
	cfgtree_put_open(b, depth, name, "(");
	for (size_t i = 0; i < n; i++) {
		cfgtree_put_open(b, depth + 1, NULL, "{");
		put_table(b, depth + 2, k->sub, v + i * k->size);
		cfgtree_put_close(b, depth + 1, i + 1 < n ? "}," : "}");
	}
	cfgtree_put_close(b, depth, ");");
}

static void put_params(struct buf *b, unsigned int depth, const char *name,
		       const struct conf_key *k, const char *base)
{
	const struct conf_param *v =
		*(struct conf_param *const *)(const void *)(base + k->offset);
	size_t n = *(const size_t *)(const void *)(base + k->count);

	if (!n)
		return;
	cfgtree_put_open(b, depth, name, "{");
	for (size_t i = 0; i < n; i++)
		cfgtree_put_string(b, depth + 1, v[i].name, v[i].value);
	cfgtree_put_close(b, depth, "};");
}

static void put_value(struct buf *b, unsigned int depth, const char *name,
		      const struct conf_key *k, const char *base)
{
	const void *p = base + k->offset;
	const struct strlist *l = p;
	const char *text;

	switch (k->type) {
	case CONF_TEXT:
		text = *(char *const *)p;
		/* an empty name would not be read back */
		if (text && (*text || conf_form_ok(k->form, text)))
			cfgtree_put_string(b, depth, name, text);
		break;
	case CONF_TEXTS:
		if (l->n || k->derived)
			cfgtree_put_strings(b, depth, name, l);
		break;
	case CONF_SUB:
		put_sub(b, depth, name, k, base);
		break;
	case CONF_GROUPS:
		put_groups(b, depth, name, k, base);
		break;
	case CONF_PARAMS:
		put_params(b, depth, name, k, base);
		break;
	default:
		put_number(b, depth, name, k, p);
		break;
	}
}

/* Rows "net.mac", "net.nic", ... follow each other and make one group. */
static void put_table(struct buf *b, unsigned int depth,
		      const struct conf_key *table, const char *base)
{
	const struct conf_key *k = table;

	while (k->path) {
		const char *dot = strchr(k->path, '.');
		size_t n = dot ? (size_t)(dot - k->path) + 1 : 0;
		struct buf inner = { 0 };
		char group[64];

		if (!dot) {
			put_value(b, depth, k->path, k, base);
			k++;
			continue;
		}
		snprintf(group, sizeof(group), "%.*s", (int)n - 1, k->path);
		for (dot = k->path; k->path && !strncmp(k->path, dot, n); k++)
			put_value(&inner, depth + 1, k->path + n, k, base);
		if (inner.len) {
			cfgtree_put_open(b, depth, group, "{");
			buf_add(b, inner.data, inner.len);
			cfgtree_put_close(b, depth, "};");
		}
		b->failed |= inner.failed;
		buf_free(&inner);
	}
}

void conf_write_table(const struct conf_key *table, const void *base,
		      struct buf *out)
{
	put_table(out, 0, table, base);
}

static int write_kind(enum conf_kind kind, const void *conf, struct buf *out,
		      struct err *e)
{
	conf_write_table(conf_schema[kind].key, conf, out);
	return buf_ok(out, e);
}

int conf_host_write(const struct conf_host *h, struct buf *out, struct err *e)
{
	return write_kind(CONF_HOST, h, out, e);
}

int conf_job_write(const struct conf_job *j, struct buf *out, struct err *e)
{
	return write_kind(CONF_JOB, j, out, e);
}

int conf_job_id(const struct conf_job *j, char out[SHA256_HEX], struct err *e)
{
	struct conf_job measured = *j; /* borrows */
	struct sha256 *hash = sha256_new();
	struct buf text = { 0 };
	int rc = -1;

	measured.description = NULL;
	measured.primary = (struct strlist){ 0 };
	/* how often, and how long that may take: an experiment's business */
	measured.iterations = 1;
	measured.run_limit_ms = 0;
	if (!hash)
		err_set(e, ERR_LIMIT, "out of memory");
	else
		rc = conf_job_write(&measured, &text, e);
	if (!rc) {
		sha256_add(hash, text.data, text.len);
		sha256_hex(hash, out);
	}
	sha256_free(hash);
	buf_free(&text);
	return rc;
}

int conf_experiment_write(const struct conf_experiment *x, struct buf *out,
			  struct err *e)
{
	return write_kind(CONF_EXPERIMENT, x, out, e);
}

int conf_kernel_write(const struct conf_kernel *k, struct buf *out,
		      struct err *e)
{
	return write_kind(CONF_KERNEL, k, out, e);
}
