// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * conf/KEYS.md from the schema's tables.
 */
#include "conf.h"
#include "conf_expect.h"

static void put_row(struct buf *b, const char *prefix, const struct conf_key *k)
{
	buf_printf(b, "| `%s%s` | ", prefix, k->path);
	conf_expect_put(k, b);
	buf_printf(b, " | %s%s%s%s | %s |\n", k->def ? "`" : "",
		   k->def ? k->def : "", k->def ? "`" : "",
		   k->required ? "must be given" : "", k->doc ? k->doc : "");
}

static void put_rows(struct buf *b, const char *prefix,
		     const struct conf_key *table)
{
	for (const struct conf_key *k = table; k->path; k++) {
		char inner[64];

		put_row(b, prefix, k);
		if (k->type != CONF_GROUPS)
			continue;
		snprintf(inner, sizeof(inner), "%s[].", k->path);
		put_rows(b, inner, k->sub);
	}
}

static void put_head(struct buf *b, const char *title, const char *where)
{
	buf_printf(b,
		   "\n## %s\n\n`%s`\n\n"
		   "| key | takes | default | meaning |\n"
		   "|---|---|---|---|\n",
		   title, where);
}

int conf_keys_markdown(struct buf *out, struct err *e)
{
	buf_puts(
		out,
		"# Every key of every configuration file\n\n"
		"Made by `ironrig check --keys`; the tests compare. The files "
		"are in libconfig's syntax:\n"
		"`net.mac` below is written `net = { mac = \"...\"; };`. Sizes "
		"are numbers of bytes or texts with\n"
		"K, M, G or T (powers of 1024); durations are numbers of "
		"seconds or texts with ms, s, m, h or d.\n"
		"Lists may be given as one text when they have one element. "
		"Keys without default may be left out\n"
		"unless it says otherwise. `ironrig check FILE...` names what "
		"is wrong, with its line.\n");
	for (int i = 0; i < CONF_KINDS; i++) {
		put_head(out, conf_schema[i].name, conf_schema[i].where);
		put_rows(out, "", conf_schema[i].key);
	}
	put_head(out, "tune", "tune = { ... } in host and job files");
	put_rows(out, "tune.", conf_schema_tune);
	return buf_ok(out, e);
}
