/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_MODULES_H
#define IRONRIG_MODULES_H

#include "buf.h"

/*
 * Kernel modules for the hardware that is there. Names are resolved here, by
 * modules.alias and modules.softdep (modules.dep(5), modprobe.d(5)), because
 * busybox modprobe ignores soft dependencies: Debian's r8169 needs realtek
 * before it, virtio drivers virtio_ring. Loading, with the hard dependencies,
 * is modprobe's work.
 */
struct modules;

/*
 * The tables of lib/modules/RELEASE below root. A release without modules
 * (all built in) gives empty tables.
 */
int modules_open(int root, const char *release, struct modules **m,
		 struct err *e) MUST_CHECK;
void modules_free(struct modules *m);

/*
 * Adds every distinct modalias of the devices below root to *out, but those of
 * devices in *seen, to which it adds the others: "BUS/DEVICE", sorted. A device
 * asks for the same all its life, and drivers bring a few new ones only.
 */
int modules_aliases(int root, struct strlist *seen, struct strlist *out,
		    struct err *e) MUST_CHECK;
/*
 * Adds to *names, before which it depends softly, each module that an alias
 * asks for; what is in *names already is not added again.
 */
int modules_resolve(const struct modules *m, const char *alias,
		    struct strlist *names, struct err *e) MUST_CHECK;
/* The same for a module's own name. */
int modules_name(const struct modules *m, const char *module,
		 struct strlist *names, struct err *e) MUST_CHECK;

#endif
