/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_MODSET_H
#define IRONRIG_MODSET_H

#include "buf.h"

#include <stdbool.h>

/*
 * The modules that an image gets of one kernel, laid out as a tree to be
 * packed: decompressed, with depmod's files, firmware and the list of what is
 * missing of it.
 */
struct modset {
	const char *base;     /* folder that has lib/modules/RELEASE */
	const char *release;
	const char *firmware; /* folder like /lib/firmware, or NULL */
	bool all;	      /* every module, not only those of want */
	const struct strlist *want;

	/* filled by modset_stage(), freed by modset_free() */
	struct strlist absent;	/* wanted; neither a module nor built in */
	struct strlist missing; /* "MODULE FILE": firmware not given */
	size_t count;		/* modules chosen */
};

/*
 * The want list: the shared file initramfs/modules, then extra (may be NULL).
 */
int modset_want(const struct strlist *extra, struct strlist *want,
		struct err *e) MUST_CHECK;
/*
 * Fills the empty folder to (a path). ERR_NOTFOUND when base has no modules
 * of that release.
 */
int modset_stage(struct modset *m, const char *to, struct err *e) MUST_CHECK;
void modset_free(struct modset *m);

#endif
