// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Reader of value files. What the numbers mean is the caller's.
 */
#include "values.h"
#include "io.h"
#include "num.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX  (16u << 20)
#define SEPARATOR " \t\r,"

static int slurp(const char *path, struct buf *text, struct err *e)
{
	if (!strcmp(path, "-"))
		return io_slurp(STDIN_FILENO, text, FILE_MAX, e);
	return io_read_file(AT_FDCWD, path, text, FILE_MAX, e);
}

/* Every number and every line needs at least two bytes. */
static int make_room(const struct buf *text, struct values *out, struct err *e)
{
	size_t most = text->len / 2 + 1;

	out->v = calloc(most, sizeof(*out->v));
	out->boot = calloc(most, sizeof(*out->boot));
	if (!out->v || !out->boot)
		return err_set(e, ERR_LIMIT, "out of memory");
	return 0;
}

/* A line's numbers to *at, which moves behind them. */
static int parse_line(char *line, struct values *out, double **at,
		      struct err *e)
{
	struct sample_boot boot = { *at, 0 };
	char *save, *word;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, SEPARATOR, &save);
	if (!word)
		return 0;
	if (!strcmp(word, "NA") && !strtok_r(NULL, SEPARATOR, &save))
		word = NULL;
	for (; word; word = strtok_r(NULL, SEPARATOR, &save)) {
		if (num_double(word, *at, e))
			return -1;
		(*at)++;
		boot.n++;
	}
	out->boot[out->n++] = boot;
	return 0;
}

static int parse(char *text, const char *path, struct values *out,
		 struct err *e)
{
	double *at = out->v;
	unsigned int number = 1;

	for (char *line = text, *next; line; line = next, number++) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (parse_line(line, out, &at, e))
			return err_prefix(e, "%s:%u", path, number);
	}
	if (at == out->v)
		return err_set(e, ERR_INPUT, "%s: no numbers in it", path);
	return 0;
}

int values_load(const char *path, struct values *out, struct err *e)
{
	struct buf text = { 0 };
	int rc;

	*out = (struct values){ .n = 0 };
	rc = slurp(path, &text, e);
	if (!rc && text.len && memchr(text.data, '\0', text.len))
		rc = err_set(e, ERR_INPUT, "%s: not a text file", path);
	if (!rc)
		rc = make_room(&text, out, e);
	if (!rc && !text.len)
		rc = err_set(e, ERR_INPUT, "%s: empty", path);
	if (!rc)
		rc = parse(text.data, path, out, e);
	buf_free(&text);
	if (rc)
		values_free(out);
	return rc;
}

void values_free(struct values *v)
{
	free(v->v);
	free(v->boot);
	*v = (struct values){ .n = 0 };
}
