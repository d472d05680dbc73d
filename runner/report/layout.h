/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_LAYOUT_H
#define IRONRIG_LAYOUT_H

#include "buf.h"

#include <stdint.h>

/*
 * "Is it alignment?": what two System.map files (the format of nm(1)) say
 * about code and data that moved. Cheap evidence: it shows that the layout may
 * matter, never that it does not.
 */
struct layout_symbol {
	const char *name; /* in the map's text */
	uint64_t at[2]; /* base, head */
	uint64_t size[2]; /* up to the next symbol */
	bool percpu;
};

struct layout_section {
	const char *name; /* "text", "rodata", … */
	uint64_t size[2];
};

#define LAYOUT_LINE	64 /* bytes of a cache line on x86-64 */
#define LAYOUT_SECTIONS 6

struct layout {
	/* symbols of both maps that are percpu or asked for, by name */
	struct layout_symbol *symbol;
	size_t n;
	struct layout_section section[LAYOUT_SECTIONS];
	size_t text_symbols, text_moved; /* functions; other place in a line */
	size_t percpu_symbols, percpu_moved;
	size_t resized; /* functions of another size: what the change touches */
};

/*
 * The texts are changed and must outlive *out. wanted: functions of the
 * profile. Names that a map holds more than once are left out. ERR_FORMAT when
 * a text is no map.
 */
int layout_compare(char *base_map, char *head_map, const struct strlist *wanted,
		   struct layout *out, struct err *e) MUST_CHECK;
void layout_free(struct layout *l);
/* Whether its address modulo LAYOUT_LINE changed. */
bool layout_moved(const struct layout_symbol *s);
bool layout_resized(const struct layout_symbol *s);

#endif
