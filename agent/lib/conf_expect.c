// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Says in words what was found in a file and what its key takes. Messages and
 * conf/KEYS.md share it, so that they cannot differ.
 */
#include "conf_expect.h"

void conf_expect_got(const struct cfg_node *v, struct buf *out)
{
	switch (v->type) {
	case CFG_GROUP:
		buf_puts(out, "a group");
		break;
	case CFG_LIST:
		buf_puts(out, v->n ? "a list" : "an empty list");
		break;
	case CFG_INT:
		buf_printf(out, "%lld", (long long)v->i);
		break;
	case CFG_FLOAT:
		buf_printf(out, "%g", v->f);
		break;
	case CFG_BOOL:
		buf_puts(out, v->i ? "true" : "false");
		break;
	case CFG_STRING:
		buf_printf(out, "\"%.64s\"", v->s);
		break;
	}
}

static void expected_form(const struct conf_form *f, struct buf *out)
{
	const char *c = f->choice;

	if (!c) {
		buf_puts(out, f->expected);
		return;
	}
	buf_puts(out, "one of ");
	for (; *c; c++) {
		if (*c == '|')
			buf_puts(out, ", ");
		else
			buf_add(out, c, 1);
	}
}

static void size_text(struct buf *out, int64_t v)
{
	static const char unit[] = " KMGT";
	int u = 0;

	while (u < 4 && v && v % 1024 == 0) {
		v /= 1024;
		u++;
	}
	buf_printf(out, "%lld%.*s", (long long)v, u ? 1 : 0, unit + u);
}

static void duration_text(struct buf *out, int64_t ms)
{
	if (ms % 1000)
		buf_printf(out, "%lldms", (long long)ms);
	else
		buf_printf(out, "%llds", (long long)ms / 1000);
}

void conf_expect_put(const struct conf_key *k, struct buf *out)
{
	switch (k->type) {
	case CONF_TEXT:
	case CONF_CHOICE:
		expected_form(k->form, out);
		break;
	case CONF_TEXTS:
		buf_puts(out, "a list, each ");
		expected_form(k->form, out);
		break;
	case CONF_KNOB:
		if (!k->min && k->max == 1) {
			buf_puts(out, "true or false");
			break;
		}
		/* fall through */
	case CONF_INT:
	case CONF_I64:
		buf_printf(out, "a whole number in %lld..", (long long)k->min);
		if (k->max < INT64_MAX)
			buf_printf(out, "%lld", (long long)k->max);
		break;
	case CONF_U64:
		buf_puts(out, "a whole number from 0 on");
		break;
	case CONF_FRACTION:
		buf_puts(out, "a fraction between 0 and 1, such as 0.01");
		break;
	case CONF_BOOL:
		buf_puts(out, "true or false");
		break;
	case CONF_SIZE:
		buf_puts(out, "a size such as \"64M\" in ");
		size_text(out, k->min);
		buf_puts(out, "..");
		size_text(out, k->max);
		break;
	case CONF_SECONDS:
		buf_puts(out, "a duration such as \"60s\" in ");
		duration_text(out, k->min * 1000);
		buf_puts(out, "..");
		duration_text(out, k->max * 1000);
		break;
	case CONF_MS:
		buf_puts(out, "a duration such as \"250ms\" or \"5m\" in ");
		duration_text(out, k->min);
		buf_puts(out, "..");
		duration_text(out, k->max);
		break;
	case CONF_SUB:
		buf_puts(out, "a group { ... }");
		break;
	case CONF_GROUPS:
		buf_puts(out, "a list of groups ( { ... }, ... )");
		break;
	case CONF_PARAMS:
		buf_puts(out, "a group of name = \"value\"");
		break;
	case CONF_END:
		break;
	}
}
