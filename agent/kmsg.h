/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_KMSG_H
#define IRONRIG_KMSG_H

#include "err.h"

#include <stddef.h>

/*
 * What the box tells people. Nothing here allocates, fails or blocks: a line
 * that a stuck console does not take is lost there, and stands in the log.
 */

/* Lines go to this descriptor from now on (2 at first). */
void kmsg_console(int fd);
/* And are appended to this file, up to KMSG_LOG_MAX bytes; -1: no file. */
#define KMSG_LOG     "/run/ironrig/agent.log"
#define KMSG_LOG_MAX (1 << 20)
void kmsg_log(int fd);
/* Lines are "ironrig: box NAME: text" from now on; cut at 64 bytes. */
void kmsg_box(const char *name);

/* One line on the console and in the log. */
void kmsg_say(const char *fmt, ...) PRINTF_LIKE(1, 2);
/*
 * One line in the kernel's log, which pstore keeps over a crash. The kernel
 * drops more than 10 in 5 seconds (printk.devkmsg=ratelimit, its default).
 */
void kmsg_note(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
