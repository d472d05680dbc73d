// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Requests and answers as any peer may send them. An answer must come out the
 * same whether it arrives whole or a byte at a time.
 */
#include "fuzz.h"
#include "proto.h"

#include <stdlib.h>
#include <string.h>

static void check_words(const struct proto_words *w)
{
	require(w->n >= 0 && w->n <= PROTO_WORDS);
	for (int i = 0; i < w->n; i++)
		require(w->v[i] >= w->text &&
			w->v[i] + strlen(w->v[i]) < w->text + sizeof(w->text));
}

static int pieces(const char *p, size_t n, size_t *used, size_t *noise)
{
	struct proto_words w;
	int rc = 0;

	for (size_t i = 0; !rc && i <= n; i++)
		rc = proto_answer(p, i, &w, used, noise, NULL);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t used = 0, noise = 0, used2 = 0, noise2 = 0;
	struct proto_words w;
	struct err e;
	char *line;
	int rc;

	if (size > 4096)
		return 0;
	line = strndup((const char *)data, size);
	require(line);
	if (!proto_split(line, &w, &e))
		require(w.n > 0);
	check_words(&w);
	free(line);

	rc = proto_answer((const char *)data, size, &w, &used, &noise, &e);
	check_words(&w);
	require(rc != 1 || (used <= size && noise < used && w.n > 0));
	require(pieces((const char *)data, size, &used2, &noise2) == rc);
	require(rc != 1 || (used == used2 && noise == noise2));
	return 0;
}
