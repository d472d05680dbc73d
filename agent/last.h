/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_LAST_H
#define IRONRIG_LAST_H

/*
 * The end of this kernel's life. Nothing here allocates or executes: memory
 * may be gone and the root may be a file system that died.
 */
enum last_op {
	LAST_NONE,
	LAST_REBOOT,
	LAST_POWEROFF,
	LAST_HALT,
	LAST_KEXEC
};

const char *last_name(enum last_op op); /* "reboot", … "none" */
enum last_op last_parse(const char *s); /* LAST_NONE when it is none of them */

/* Sends SIGTERM, then SIGKILL to all other processes and reaps them; 6 s. */
void last_kill_all(void);
/*
 * File systems of block devices are synced, unmounted or at least made
 * read-only, in a child that is given 10 s: a dead disk blocks for ever.
 */
void last_quiet_disks(void);
/*
 * reboot(2). LAST_KEXEC needs a loaded image and becomes LAST_REBOOT without
 * one. Returns only when the kernel refused everything.
 */
void last_reboot(enum last_op op);

#endif
