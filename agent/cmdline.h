/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CMDLINE_H
#define IRONRIG_CMDLINE_H

#include "buf.h"

/*
 * The kernel's command line as words. Quotes are removed as the kernel does it
 * (lib/cmdline.c, next_arg): key="a b" is the word `key=a b`.
 *
 * Words of the agent's own, besides those that the image gives:
 *   ironrig.kernel=NAME:ID          which kernel this is meant to be
 *   ironrig.members=NAME:SHA256,..  parts of the image and their manifests
 *   ironrig.boot=firmware|kexec     how it was started
 *   ironrig.prev=RELEASE            kernel that ran before (kexec)
 *   ironrig.session=PROGRAM         for debugging: runs this instead of the
 *                                   session, with the supervisor's socket as
 *                                   descriptor 3 (see agent/phase.h)
 *   ironrig.restarts=N              how often a session that died or was
 *                                   overdue is started again (4)
 *   ironrig.hang=PHASE              for proving the watchdog: PID 1 stops for
 *                                   ever when the session comes to PHASE
 *   ironrig.gap=SECONDS             how long kexec may take until the next
 *                                   agent opens the watchdog (1800, or what
 *                                   the hardware takes)
 *   ironrig.end=reboot|poweroff|halt   what follows then, until host.cfg
 *                                   says it
 */
struct cmdline {
	struct strlist word;
};

/*
 * proc/cmdline below root, then the words of argv (NULL-terminated): the
 * kernel hands what stands behind "--" to init as arguments.
 */
int cmdline_read(int root, char **argv, struct cmdline *c,
		 struct err *e) MUST_CHECK;
int cmdline_parse(const char *text, struct cmdline *c,
		  struct err *e) MUST_CHECK;
/* The last word "key=VALUE" wins. NULL: not there. "" for a bare "key". */
const char *cmdline_get(const struct cmdline *c, const char *key);
void cmdline_free(struct cmdline *c);

#endif
