/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_MODDEP_H
#define IRONRIG_MODDEP_H

#include "buf.h"

#include <stdbool.h>

/*
 * The modules of a kernel as depmod(8) describes them, and which of them are
 * chosen. Names are compared as modprobe does: '-' is '_'.
 */
struct moddep_module {
	char *path; /* "kernel/drivers/net/virtio_net.ko", below the release */
	char *name; /* "virtio_net" */
	char *deps; /* paths, separated by blanks */
	bool chosen;
};

struct moddep {
	struct moddep_module *v; /* sorted by name */
	size_t n;
	struct strlist soft; /* "softdep NAME pre: A B post: C" */
	unsigned int depth;  /* of what moddep_choose() is at */
	char *builtin;	     /* modules.builtin's text */
};

/*
 * Takes what `depmod -n' prints (dependencies and softdeps among other lines;
 * text is taken apart) and modules.builtin's text, "" when there is none.
 */
int moddep_parse(char *text, const char *builtin, struct moddep *d,
		 struct err *e) MUST_CHECK;
void moddep_free(struct moddep *d);
/*
 * Marks a module with all that it needs, softdeps too. 1: done, 0: there is
 * no such module (see moddep_builtin).
 */
int moddep_choose(struct moddep *d, const char *name, struct err *e)
	MUST_CHECK;
void moddep_choose_all(struct moddep *d);
bool moddep_builtin(const struct moddep *d, const char *name);
/* The name in a module's path: no folder, no .ko*, '_' for '-'. */
void moddep_name(const char *path, char *out, size_t size);

#endif
