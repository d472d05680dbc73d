/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_BUNDLE_H
#define IRONRIG_BUNDLE_H

#include "buf.h"

/*
 * Programs and the bundles that bring them (initramfs/bundles), so that a job
 * whose program is missing can say what to add.
 */
/* The first word of a command, when it is a plain program's name or path. */
bool bundle_program(const char *command, char *word, size_t size);
/* That word in what a shell says: "sh: 1: ab: not found". */
bool bundle_not_found(const char *said, char *word, size_t size);
/*
 * "bundle \"apachebench\" brings it; the job lists none" and the like. What
 * the image's own list (IMAGE_PROGRAMS_FILE) says comes first.
 */
void bundle_hint(int root, const char *program, const struct strlist *listed,
		 char *hint, size_t size);

#endif
