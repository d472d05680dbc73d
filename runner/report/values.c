// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Reader of value files: two of them become a comparison of one stat.
 */
#include "values.h"
#include "io.h"
#include "num.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX  (16u << 20)
#define SEPARATOR " \t\r"

struct values {
	double *v; /* all of them, in the group's memory */
	struct sample_boot *boot; /* owned; points into v */
	size_t n;
};

static int slurp(const char *path, struct buf *text, struct err *e)
{
	if (!strcmp(path, "-"))
		return io_slurp(STDIN_FILENO, text, FILE_MAX, e);
	return io_read_file(AT_FDCWD, path, text, FILE_MAX, e);
}

/* Every number and every line needs at least two bytes. */
static int make_room(const struct buf *text, struct compare_group *g,
		     struct values *out, struct err *e)
{
	size_t most = text->len / 2 + 1;

	out->v = compare_room(g, most, e);
	out->boot = calloc(most, sizeof(*out->boot));
	if (!out->v || !out->boot)
		return err_set(e, ERR_LIMIT, "out of memory");
	return 0;
}

/* "1.5", or "1.5," before the next number. */
static int parse_word(char *word, double *out, struct err *e)
{
	size_t n = strlen(word);
	char first;

	if (n > 1 && word[n - 1] == ',')
		word[n - 1] = '\0';
	if (strchr(word, ','))
		return err_set(e, ERR_INPUT,
			       "\"%.64s\": decimals take a point, iterations "
			       "a blank between them", word);
	if (num_double(word, out, e))
		return -1;
	/* the first digit that counts: "1e-400" reads as 0, "0e5" is 0 */
	first = word[strcspn(word, "123456789eE")];
	if (!sample_usable(*out) || (*out == 0 && first > '0' && first <= '9'))
		return err_set(e, ERR_INPUT,
			       "%.64s is not of a size from %g to %g", word,
			       SAMPLE_LEAST, SAMPLE_MOST);
	return 0;
}

/* A line's numbers to *at, which moves behind them. */
static int parse_line(char *line, struct values *out, double **at,
		      struct err *e)
{
	struct sample_boot boot = { *at, 0, 0 };
	char *save, *word;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, SEPARATOR, &save);
	if (!word)
		return 0;
	if (!strcmp(word, "NA") && !strtok_r(NULL, SEPARATOR, &save))
		word = NULL;
	for (; word; word = strtok_r(NULL, SEPARATOR, &save)) {
		if (parse_word(word, *at, e))
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

static int load(const char *path, struct compare_group *g, struct values *out,
		struct err *e)
{
	struct buf text = { 0 };
	int rc = slurp(path, &text, e);

	if (!rc && !text.len)
		rc = err_set(e, ERR_INPUT, "%s: empty", path);
	if (!rc && memchr(text.data, '\0', text.len))
		rc = err_set(e, ERR_INPUT, "%s: not a text file", path);
	if (!rc)
		rc = make_room(&text, g, out, e);
	if (!rc)
		rc = parse(text.data, path, out, e);
	buf_free(&text);
	return rc;
}

static int set_names(const char *base, const char *head,
		     struct compare_group *g, struct err *e)
{
	const char *slash[2] = { strrchr(base, '/'), strrchr(head, '/') };

	g->name = strdup("");
	g->job = strdup("");
	g->box = strdup("");
	g->base.kernel = strdup(slash[0] ? slash[0] + 1 : base);
	g->head.kernel = strdup(slash[1] ? slash[1] + 1 : head);
	g->base.observer_us = g->head.observer_us = NAN;
	if (g->name && g->job && g->box && g->base.kernel && g->head.kernel)
		return 0;
	return err_set(e, ERR_LIMIT, "out of memory");
}

static int add_value(const struct values v[2], enum verdict_better better,
		     struct compare_group *g, struct err *e)
{
	struct compare_stat *st;

	g->n_base = v[0].n;
	g->n_head = v[1].n;
	st = compare_add_stat(g, "value", "", e);
	if (!st)
		return -1;
	st->primary = true;
	st->better = better;
	memcpy(st->base, v[0].boot, v[0].n * sizeof(*st->base));
	memcpy(st->head, v[1].boot, v[1].n * sizeof(*st->head));
	return 0;
}

int values_load(const char *base, const char *head, bool paired,
		enum verdict_better better, struct compare *c, struct err *e)
{
	struct compare_group *g = compare_add_group(c, e);
	struct values v[2] = { { .n = 0 }, { .n = 0 } };
	int rc = -1;

	if (!g || set_names(base, head, g, e))
		return -1;
	g->design = paired ? COMPARE_PAIRS : COMPARE_VALUES;
	if (load(base, g, &v[0], e) || load(head, g, &v[1], e))
		goto out;
	if (paired && v[0].n != v[1].n)
		err_set(e, ERR_INPUT, "--paired: %s has %zu boots, %s has %zu",
			base, v[0].n, head, v[1].n);
	else
		rc = add_value(v, better, g, e);
out:
	free(v[0].boot);
	free(v[1].boot);
	return rc;
}
