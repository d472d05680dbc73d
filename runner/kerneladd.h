/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_KERNELADD_H
#define IRONRIG_KERNELADD_H

#include "conf.h"
#include "cpio.h"

struct home;

/* A kernel to be registered; exactly one of deb, build, vmlinuz, like. */
struct kerneladd {
	const char *name;
	const char *deb;     /* a linux-image package */
	const char *build;   /* a built tree */
	const char *vmlinuz; /* a bzImage, with modules, config */
	const char *like;    /* a registered kernel: same image and modules */
	const char *modules, *config;
	const char *system_map; /* with any: a file, or a -dbg package */
	const char *build_of; /* with any: another layout of that kernel */
	const char *append;   /* NULL: none; with like: instead of its own */
	const char *firmware; /* folder like /lib/firmware */
	struct strlist extra; /* modules besides initramfs/modules */
	bool all_modules;
	bool force; /* also a kernel that lacks what a box needs */
	bool gzip;  /* for kernels that cannot read an LZ4 member */
};

/* What there is to say afterwards. */
struct kerneladd_said {
	struct conf_kernel k;
	bool unchanged;		/* it was registered already */
	size_t modules;		/* count */
	size_t modules_bytes;	/* of modules.cpio */
	struct strlist absent;	/* wanted modules that it does not have */
	struct strlist firmware; /* "MODULE FILE" not given */
	struct strlist need, want; /* kconfig_check() */
};

/*
 * Registers it: kernels/NAME/ appears whole, by rename; one that is there
 * already stays, but takes a system_map and a build_of that are given.
 * ERR_CONFLICT when the name stands (or stood) for another id, or it cannot be
 * a build of what build_of names (kernelbuild.h), ERR_UNSUPPORTED when its .config
 * lacks what a box needs and force is not given (said->need names it).
 */
int kerneladd_run(const struct home *home, const struct kerneladd *a,
		  struct kerneladd_said *said, struct err *e) MUST_CHECK;
void kerneladd_said_free(struct kerneladd_said *said);

#endif
