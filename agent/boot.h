/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_BOOT_H
#define IRONRIG_BOOT_H

#include "conf.h"

/*
 * The first steps of PID 1, in this order. None can fail for good: what did
 * not work is said on the console and the next step has to live with it.
 */

/*
 * /dev, /proc, /sys and what stands below, /run; then standard input, output
 * and error on the console, unless they are open already.
 */
void boot_mounts(void);
/* PATH, HOME; /bin/sh and /sbin/modprobe when only busybox is there. */
void boot_programs(void);
/* oom_score_adj -1000 and as many open files as the kernel allows. */
void boot_limits(void);
/* `lo` up, host name. */
int boot_name(const char *box, struct err *e) MUST_CHECK;

/*
 * The box's memory by host.cfg: /results (kept, resized when it is there),
 * /work and /tmp (made new and empty each time, whatever was in them).
 */
#define BOOT_RESULTS "/results"
#define BOOT_WORK    "/work"
int boot_memory(const struct conf_host *h, struct err *e) MUST_CHECK;

/* /proc/sys/kernel/random/boot_id, after the kernel's pool is initialised. */
#define BOOT_ID_SZ 37
int boot_id(int root, char out[BOOT_ID_SZ], struct err *e) MUST_CHECK;

#endif
