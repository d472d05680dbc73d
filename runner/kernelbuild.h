/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_KERNELBUILD_H
#define IRONRIG_KERNELBUILD_H

#include "conf.h"

struct home;

/*
 * Several builds of a kernel: other layouts of one commit and command line, so
 * that a difference between kernels can be told from one between layouts.
 * kernel_builds() (kernel.h) lists them.
 *
 * Whether k may be registered as a build of that kernel. ERR_CONFLICT: it is
 * of another commit or has another command line, the image of one of those
 * that there are, or is another kernel's build.
 */
int kernelbuild_check(const struct home *home, const struct conf_kernel *k,
		      const char *of, struct err *e) MUST_CHECK;
/* Writes it down for one that is registered already. */
int kernelbuild_keep(const struct home *home, const char *name, const char *of,
		     struct err *e) MUST_CHECK;

#endif
