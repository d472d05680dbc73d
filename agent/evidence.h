/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_EVIDENCE_H
#define IRONRIG_EVIDENCE_H

#include "buf.h"

/*
 * What lets a reader judge and repeat a result: meta/ of the result, raw copies
 * of what the kernel says about itself and the machine. Nothing is looked for
 * in it here. Taken outside of measured windows.
 */
enum evidence_when {
	EVIDENCE_BEFORE, /* tuned, nothing has run */
	EVIDENCE_AFTER, /* everything has run */
};

/*
 * root is the folder of "/" or of a fixture, out the result's folder (with
 * meta/ in it). What cannot be read is left out; what cannot be stored is a
 * line in *notes. dmesg is the running kernel's, so only with a root that is
 * "/".
 */
void evidence_take(int root, int out, enum evidence_when when,
		   struct buf *notes);
/* /sys/fs/pstore as meta/crash: for a machine that was not booted by us. */
void evidence_crash(int root, int out, struct buf *notes);

#endif
