/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_MEMBERS_H
#define IRONRIG_MEMBERS_H

#include "cmdline.h"
#include "sha256.h"

#include <sys/utsname.h>

/*
 * Did everything that the command line promises arrive (image.h)? The kernel
 * prints "initramfs unpacking failed" and boots anyway, and drops a badly
 * padded member without a word.
 */

/*
 * Every member of ironrig.members= against its manifest, every file of it
 * against the manifest: a line for each thing that is wrong is added to *bad
 * ("member base: bin/busybox: altered"). -1 only when memory runs out. A
 * command line that names no members is wrong, too.
 */
int members_check(int root, const struct cmdline *c, struct strlist *bad,
		  struct err *e) MUST_CHECK;
/*
 * The kernel that runs against the one it is meant to be: ironrig.kernel=,
 * etc/ironrig/kernel, and release and version by uname(2).
 */
int members_kernel(int root, const struct cmdline *c, const struct utsname *u,
		   struct strlist *bad, struct err *e) MUST_CHECK;

/* The members' names in order. ERR_FORMAT names the word that is wrong. */
int members_names(const char *spec, struct strlist *names,
		  struct err *e) MUST_CHECK;
/* "NAME:ID" taken apart; ERR_FORMAT. */
int members_word(const char *word, char name[65], char id[SHA256_HEX],
		 struct err *e) MUST_CHECK;

#endif
