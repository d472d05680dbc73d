// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Memory of a comparison: lists that grow, and its end.
 */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 8192 /* values: 64 KiB, thousands of boots of one stat */

struct compare_chunk {
	struct compare_chunk *next;
	size_t n, cap;
	double v[];
};

/*
 * The list with room for one more zeroed element behind n of them; it doubles
 * when n is a power of two, so that no capacity has to be kept. NULL when
 * memory ran out: the list is then as it was.
 */
static void *one_more(void *list, size_t n, size_t size, struct err *e)
{
	char *grown = list;

	if (!(n & (n - 1))) {
		grown = reallocarray(list, n ? 2 * n : 1, size);
		if (!grown) {
			err_set(e, ERR_LIMIT, "out of memory");
			return NULL;
		}
	}
	memset(grown + n * size, 0, size);
	return grown;
}

static char *copy(const char *text, struct err *e)
{
	char *s = strdup(text ? text : "");

	if (!s)
		err_set(e, ERR_LIMIT, "out of memory");
	return s;
}

struct compare_group *compare_add_group(struct compare *c, struct err *e)
{
	struct compare_group *list =
		one_more(c->group, c->ngroup, sizeof(*list), e);

	if (!list)
		return NULL;
	c->group = list;
	return &list[c->ngroup++];
}

struct compare_stat *compare_add_stat(struct compare_group *g, const char *name,
				      const char *unit, struct err *e)
{
	struct compare_stat *s = one_more(g->stat, g->nstat, sizeof(*s), e);

	if (!s)
		return NULL;
	g->stat = s;
	s += g->nstat++;
	s->name = copy(name, e);
	s->unit = copy(unit, e);
	s->base = calloc(g->n_base ? g->n_base : 1, sizeof(*s->base));
	s->head = calloc(g->n_head ? g->n_head : 1, sizeof(*s->head));
	if (!s->base || !s->head)
		err_set(e, ERR_LIMIT, "out of memory");
	return s->name && s->unit && s->base && s->head ? s : NULL;
}

double *compare_room(struct compare_group *g, size_t n, struct err *e)
{
	struct compare_chunk *c = g->chunk;

	if (!c || c->cap - c->n < n) {
		size_t cap = n > CHUNK ? n : CHUNK;

		c = malloc(sizeof(*c) + cap * sizeof(*c->v));
		if (!c) {
			err_set(e, ERR_LIMIT, "out of memory");
			return NULL;
		}
		*c = (struct compare_chunk){ .next = g->chunk, .cap = cap };
		g->chunk = c;
	}
	c->n += n;
	return c->v + c->n - n;
}

struct compare_failure *compare_add_failure(struct compare_group *g,
					    const char *what, struct err *e)
{
	struct compare_failure *f =
		one_more(g->failure, g->nfailure, sizeof(*f), e);

	if (!f)
		return NULL;
	g->failure = f;
	f += g->nfailure++;
	f->what = copy(what, e);
	return f->what ? f : NULL;
}

static void free_group(struct compare_group *g)
{
	for (size_t i = 0; i < g->nstat; i++) {
		free(g->stat[i].name);
		free(g->stat[i].unit);
		free(g->stat[i].base);
		free(g->stat[i].head);
	}
	for (size_t i = 0; i < g->nfailure; i++) {
		free(g->failure[i].what);
		free(g->failure[i].file);
		free(g->failure[i].reason);
		free(g->failure[i].log);
		free(g->failure[i].after);
	}
	free(g->name);
	free(g->job);
	free(g->job_id);
	free(g->box);
	free(g->base.kernel);
	free(g->boot_mode);
	free(g->base.file);
	free(g->base.build_id);
	free(g->head.build_id);
	free(g->head.kernel);
	free(g->head.file);
	free(g->order);
	free(g->base_build);
	free(g->head_build);
	free(g->stat);
	free(g->failure);
	strlist_free(&g->experiments);
	while (g->chunk) {
		struct compare_chunk *next = g->chunk->next;

		free(g->chunk);
		g->chunk = next;
	}
}

void compare_free(struct compare *c)
{
	for (size_t i = 0; i < c->ngroup; i++)
		free_group(&c->group[i]);
	free(c->group);
	*c = (struct compare){ .group = NULL };
}
