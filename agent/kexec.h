/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_KEXEC_H
#define IRONRIG_KEXEC_H

#include "box.h"

/*
 * Fetches kernel NAME with the members that its command line lists, and loads
 * them: after 0, reboot(LINUX_REBOOT_CMD_KEXEC) boots it. The network must be
 * up. A kernel that forbids it (lockdown, no CONFIG_KEXEC_FILE) is
 * ERR_UNSUPPORTED.
 */
int kexec_prepare(struct box *b, const char *name, struct err *e) MUST_CHECK;
/*
 * What the next kernel wants to find: every CPU online (an offline one in
 * mwait broke kexec before d7893093a741), links down. After this only
 * phase_last(LAST_KEXEC) may follow.
 */
void kexec_leave(struct box *b);

/*
 * The controller's command line, then this boot's own words: BOOTIF and
 * ironrig.prev. ERR_LIMIT beyond the kernel's limit.
 */
int kexec_cmdline(const char *text, const char *bootif, const char *release,
		  struct buf *out, struct err *e) MUST_CHECK;
/* The file to `get` for a member of kernel NAME; ERR_FORMAT. */
int kexec_member_file(const char *member, const char *kernel, char out[192],
		      struct err *e) MUST_CHECK;

#endif
