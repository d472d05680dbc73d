// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Escaping, and plain paragraphs as HTML. Which parts there are is html.c's.
 */
#include "htmlout.h"
#include "show.h"

#include <string.h>

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static void put_bytes(struct buf *b, const char *text, size_t len)
{
	for (size_t at = 0; at < len;) {
		const char *word = entity(text[at]);
		size_t n = show_utf8(text + at);
		unsigned char c = (unsigned char)text[at];

		if (word)
			buf_puts(b, word);
		else if (!n || at + n > len ||
			 (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			buf_puts(b, "\ufffd");
		else
			buf_add(b, text + at, n);
		at += n && at + n <= len ? n : 1;
	}
}

void htmlout_text(struct buf *b, const char *text)
{
	put_bytes(b, text, strlen(text));
}

static bool preformatted(const char *line)
{
	return *line == ' ' || *line == '\t';
}

/*
 * Lines of one kind from text on, with the empty ones between preformatted
 * lines: a script has some.
 */
static size_t block_length(const char *text)
{
	bool pre = preformatted(text);
	size_t end = 0;

	for (size_t at = 0; text[at];) {
		size_t n = strcspn(text + at, "\n");

		if (n && preformatted(text + at) != pre)
			break;
		if (!n && !pre)
			break;
		at += n;
		if (n)
			end = at;
		at += text[at] == '\n';
	}
	return end;
}

void htmlout_paragraphs(struct buf *b, const char *text)
{
	while (text += strspn(text, "\n"), *text) {
		bool pre = preformatted(text);
		size_t n = block_length(text);

		buf_puts(b, pre ? "<pre>" : "<p>");
		for (size_t at = 0; at < n;) {
			size_t line = strcspn(text + at, "\n");

			line = at + line > n ? n - at : line;
			put_bytes(b, text + at, line);
			at += line + 1;
			if (at < n)
				buf_puts(b, pre ? "\n" : "<br>\n");
		}
		buf_puts(b, pre ? "</pre>\n" : "</p>\n");
		text += n;
	}
}
