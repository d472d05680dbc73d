/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SCRATCH_H
#define IRONRIG_SCRATCH_H

#include "err.h"

enum { SCRATCH_NAME = 80 };

/*
 * A folder ".new-PID" below the folder `parent` of dirfd, for work that takes
 * its place by rename. *name is "PARENT/.new-PID". Those that processes which
 * were killed left there are removed: a kernel's is some 500 MB. Returns a
 * descriptor that marks the folder as in use and is to be closed after the
 * folder is gone; -1 on error.
 */
int scratch_make(int dirfd, const char *parent, char name[SCRATCH_NAME],
		 struct err *e) MUST_CHECK;

#endif
