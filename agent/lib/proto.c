// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The run protocol's lines: splitting words, finding the answer in a verb's
 * output. What the verbs mean is their owners' business.
 */
#include "proto.h"

#include <string.h>

/* A shell that chats longer than this before the answer is not ours. */
#define NOISE_MAX 65536

static bool word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("._+:%/-", c));
}

static int split(const char *p, size_t n, struct proto_words *w, struct err *e)
{
	w->n = 0;
	if (n >= sizeof(w->text))
		return err_set(e, ERR_FORMAT, "line longer than %d bytes",
			       PROTO_LINE - 1);
	memcpy(w->text, p, n);
	w->text[n] = '\0';
	for (size_t i = 0; i <= n;) {
		size_t start = i;

		if (w->n == PROTO_WORDS)
			return err_set(e, ERR_FORMAT, "more than %d words",
				       PROTO_WORDS);
		while (i < n && word_char(w->text[i]))
			i++;
		if (i < n && w->text[i] != ' ')
			return err_set(e, ERR_FORMAT,
				       "character 0x%02x does not belong",
				       (unsigned char)w->text[i]);
		if (i == start)
			return err_set(e, ERR_FORMAT, "empty word");
		w->text[i++] = '\0';
		w->v[w->n++] = w->text + start;
	}
	return 0;
}

int proto_split(const char *line, struct proto_words *w, struct err *e)
{
	if (split(line, strlen(line), w, e)) {
		w->n = 0;
		return -1;
	}
	return 0;
}

static enum err_kind kind_by_name(const char *p, size_t n)
{
	for (int k = ERR_SYS; k <= ERR_UNSUPPORTED; k++) {
		const char *name = err_kind_name((enum err_kind)k);

		if (strlen(name) == n && !memcmp(name, p, n))
			return (enum err_kind)k;
	}
	return ERR_PEER;
}

/* "error KIND text": the text is the peer's, so only plain bytes pass. */
static int refused(const char *p, size_t n, struct proto_words *w,
		   struct err *e)
{
	const char *end = p + n, *blank;
	char text[sizeof(e->msg)];
	enum err_kind kind;
	size_t len = 0;

	p += strlen("error ");
	blank = memchr(p, ' ', (size_t)(end - p));
	kind = kind_by_name(p, (size_t)((blank ? blank : end) - p));
	for (p = blank ? blank + 1 : end; p < end && len < sizeof(text) - 1;)
		text[len++] = *p++;
	text[len] = '\0';
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			text[i] = '?';
	strcpy(w->text, "error");
	w->v[0] = w->text;
	w->n = 1;
	return err_set(e, kind, "%s", len ? text : "refused without a reason");
}

static int answer(const char *p, size_t n, struct proto_words *w, struct err *e)
{
	if (n && p[n - 1] == '\r')
		n--;
	if (n >= 6 && !memcmp(p, "error ", 6))
		return refused(p, n, w, e);
	if (split(p, n, w, e)) {
		w->n = 0;
		return err_prefix(e, "answer");
	}
	return 1;
}

int proto_answer(const char *p, size_t n, struct proto_words *w, size_t *used,
		 size_t *noise, struct err *e)
{
	const size_t tag = strlen(PROTO_TAG);
	size_t at = 0;

	w->n = 0;
	while (at < n) {
		const char *nl = memchr(p + at, '\n', n - at);
		size_t end = nl ? (size_t)(nl - p) : n;
		bool ours = end - at >= tag && !memcmp(p + at, PROTO_TAG, tag);

		if (ours && end - at >= PROTO_LINE)
			return err_set(e, ERR_FORMAT,
				       "answer longer than %d bytes",
				       PROTO_LINE - 1);
		if (at > NOISE_MAX || (!nl && !ours && end > NOISE_MAX))
			return err_set(e, ERR_FORMAT,
				       "no answer in the first %d bytes",
				       NOISE_MAX);
		if (!nl)
			return 0;
		if (ours) {
			*used = end + 1;
			*noise = at;
			return answer(p + at + tag, end - at - tag, w, e);
		}
		at = end + 1;
	}
	return 0;
}
