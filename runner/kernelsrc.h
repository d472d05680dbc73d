/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_KERNELSRC_H
#define IRONRIG_KERNELSRC_H

#include "err.h"

/*
 * Where a kernel comes from, made into plain files: a Debian package, a built
 * tree, or an image with a folder of modules. Every string is owned; NULL is
 * "there is none".
 */
struct kernelsrc {
	char *image;	  /* bzImage */
	char *base;	  /* folder with lib/modules */
	char *config;	  /* .config */
	char *system_map; /* a real one */
	char *origin;	  /* for kernel.cfg */
	char *commit, *title; /* of a git tree */
};

/* Unpacks a linux-image package into the empty folder work. */
int kernelsrc_deb(const char *deb, const char *work, struct kernelsrc *s,
		  struct err *e) MUST_CHECK;
/*
 * A tree in which `make` was run; its modules are installed below work
 * (stripped of debugging information, a tenth of the size). A tree with
 * uncommitted changes gets "-dirty" behind its commit.
 */
int kernelsrc_build(const char *tree, const char *work, struct kernelsrc *s,
		    struct err *e) MUST_CHECK;
/*
 * Files as given; modules may be a root (has lib/modules), a /usr, or
 * …/lib/modules/RELEASE itself. All but image may be NULL.
 */
int kernelsrc_files(const char *image, const char *modules,
		    const char *config, struct kernelsrc *s, struct err *e) MUST_CHECK;
void kernelsrc_free(struct kernelsrc *s);

#endif
