// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Splits the kernel's command line into words and finds keys in it. What the
 * words mean is told in cmdline.h and known to those who ask.
 */
#include "cmdline.h"
#include "io.h"

#include <string.h>

#define CMDLINE_MAX 65536 /* COMMAND_LINE_SIZE is 2048 on x86, 4096 on others  \
			   */

int cmdline_parse(const char *text, struct cmdline *c, struct err *e)
{
	struct buf word = { 0 };
	bool quoted = false, any = false;
	int rc = 0;

	for (const char *p = text; !rc; p++) {
		bool space = *p == ' ' || *p == '\t' || *p == '\n';

		if (*p && (quoted || !space)) {
			any = true;
			if (*p == '"')
				quoted = !quoted;
			else
				buf_add(&word, p, 1);
			continue;
		}
		if (any)
			rc = buf_ok(&word, e) ||
			     strlist_add(&c->word, buf_str(&word), e);
		buf_reset(&word);
		any = false;
		if (!*p)
			break;
	}
	buf_free(&word);
	return rc ? -1 : 0;
}

int cmdline_read(int root, char **argv, struct cmdline *c, struct err *e)
{
	struct buf text = { 0 };
	int rc = io_read_file(root, "proc/cmdline", &text, CMDLINE_MAX, e);

	if (!rc)
		rc = cmdline_parse(buf_str(&text), c, e);
	buf_free(&text);
	for (; !rc && *argv; argv++)
		rc = strlist_add(&c->word, *argv, e);
	return rc;
}

const char *cmdline_get(const struct cmdline *c, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = c->word.n; i-- > 0;) {
		const char *w = c->word.v[i];

		if (strncmp(w, key, len) != 0)
			continue;
		if (w[len] == '=')
			return w + len + 1;
		if (!w[len])
			return "";
	}
	return NULL;
}

void cmdline_free(struct cmdline *c)
{
	strlist_free(&c->word);
}
