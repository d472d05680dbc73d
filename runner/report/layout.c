// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Two System.map files, symbol by symbol. Addresses are link addresses: KASLR
 * moves the image by multiples of 2 MiB, which keeps them modulo 64.
 */
#include "layout.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	uint64_t at, size;
	char *name;
	char type;
	bool twice;
};

struct map {
	struct entry *v;
	size_t n;
	uint64_t percpu_start, percpu_end;
};

static const struct {
	const char *name, *start, *end;
} SECTION[LAYOUT_SECTIONS] = {
	{ "text", "_stext", "_etext" },
	{ "rodata", "__start_rodata", "__end_rodata" },
	{ "data", "_sdata", "_edata" },
	{ "bss", "__bss_start", "__bss_stop" },
	{ "percpu", "__per_cpu_start", "__per_cpu_end" },
	{ "init", "__init_begin", "__init_end" },
};

static bool is_text(char type)
{
	return type == 't' || type == 'T' || type == 'W' || type == 'w';
}

static int by_address(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name,
		      ((const struct entry *)b)->name);
}

/* "ffffffff81000000 T _text"; false: no such line. */
static bool parse_line(char *line, struct entry *out)
{
	char *end;

	out->at = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	out->type = end[1];
	out->name = end + 3;
	out->twice = false;
	/* "name\t[module]" of /proc/kallsyms */
	out->name[strcspn(out->name, "\t\r ")] = '\0';
	return *out->name != '\0';
}

static size_t count_lines(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Sizes while in the order of addresses, then the order of names. */
static void arrange(struct map *m)
{
	qsort(m->v, m->n, sizeof(*m->v), by_address);
	for (size_t i = 0; i < m->n; i++) {
		size_t next = i + 1;

		while (next < m->n && m->v[next].at == m->v[i].at)
			next++;
		m->v[i].size = next < m->n ? m->v[next].at - m->v[i].at : 0;
	}
	qsort(m->v, m->n, sizeof(*m->v), by_name);
	for (size_t i = 1; i < m->n; i++)
		if (!strcmp(m->v[i - 1].name, m->v[i].name))
			m->v[i - 1].twice = m->v[i].twice = true;
}

static const struct entry *find(const struct map *m, const char *name)
{
	struct entry key = { .name = (char *)name };

	return bsearch(&key, m->v, m->n, sizeof(*m->v), by_name);
}

static int parse(char *text, struct map *m, struct err *e)
{
	const struct entry *start, *end;

	m->v = calloc(count_lines(text), sizeof(*m->v));
	if (!m->v)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (parse_line(line, &m->v[m->n]))
			m->n++;
		else if (*line)
			return err_set(e, ERR_FORMAT,
				       "not a line of System.map: \"%.40s\"",
				       line);
	}
	arrange(m);
	start = find(m, "__per_cpu_start");
	end = find(m, "__per_cpu_end");
	m->percpu_start = start ? start->at : 0;
	m->percpu_end = end ? end->at : 0;
	return 0;
}

static bool in_percpu(const struct map *m, const struct entry *s)
{
	return s->at >= m->percpu_start && s->at < m->percpu_end &&
	       !is_text(s->type);
}

static void sections(const struct map m[2], struct layout *out)
{
	for (size_t i = 0; i < LAYOUT_SECTIONS; i++) {
		out->section[i].name = SECTION[i].name;
		for (int side = 0; side < 2; side++) {
			const struct entry *a =
				find(&m[side], SECTION[i].start);
			const struct entry *z = find(&m[side], SECTION[i].end);

			if (a && z && z->at >= a->at)
				out->section[i].size[side] = z->at - a->at;
		}
	}
}

bool layout_moved(const struct layout_symbol *s)
{
	return s->at[0] % LAYOUT_LINE != s->at[1] % LAYOUT_LINE;
}

bool layout_resized(const struct layout_symbol *s)
{
	return s->size[0] != s->size[1];
}

static void take(const struct layout_symbol *s, bool text,
		 const struct strlist *wanted, struct layout *out)
{
	if (text) {
		out->text_symbols++;
		out->text_moved += layout_moved(s);
		out->resized += layout_resized(s);
	}
	if (s->percpu) {
		out->percpu_symbols++;
		out->percpu_moved += layout_moved(s);
	}
	if (s->percpu || strlist_has(wanted, s->name))
		out->symbol[out->n++] = *s;
}

static int merge(const struct map m[2], const struct strlist *wanted,
		 struct layout *out, struct err *e)
{
	out->symbol = calloc(m[0].n ? m[0].n : 1, sizeof(*out->symbol));
	if (!out->symbol)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (size_t i = 0; i < m[0].n; i++) {
		const struct entry *b = &m[0].v[i];
		const struct entry *h = b->twice ? NULL : find(&m[1], b->name);
		struct layout_symbol s;

		if (!h || h->twice)
			continue;
		s = (struct layout_symbol){
			.name = b->name,
			.at = { b->at, h->at },
			.size = { b->size, h->size },
			.percpu = in_percpu(&m[0], b) && in_percpu(&m[1], h),
		};
		take(&s, is_text(b->type) && is_text(h->type), wanted, out);
	}
	return 0;
}

int layout_compare(char *base_map, char *head_map, const struct strlist *wanted,
		   struct layout *out, struct err *e)
{
	struct map m[2] = { { .n = 0 }, { .n = 0 } };
	int rc = -1;

	*out = (struct layout){ .n = 0 };
	if (!parse(base_map, &m[0], e) && !parse(head_map, &m[1], e)) {
		sections(m, out);
		rc = merge(m, wanted, out, e);
	}
	free(m[0].v);
	free(m[1].v);
	if (rc)
		layout_free(out);
	return rc;
}

void layout_free(struct layout *l)
{
	free(l->symbol);
	*l = (struct layout){ .n = 0 };
}
