/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_BOX_H
#define IRONRIG_BOX_H

#include "boot.h"
#include "cmdline.h"
#include "conf.h"
#include "courier.h"
#include "image.h"
#include "kmsg.h"
#include "modules.h"
#include "net.h"
#include "phase.h"

#include <signal.h>
#include <string.h>
#include <sys/utsname.h>

/*
 * What the session knows of the box it runs on; its parts (ask, lease, kexec,
 * crash) share it. One a process.
 */
#define BOX_RUN_DIR "/run/ironrig"

struct box {
	const struct cmdline *cmdline;
	int up; /* to PID 1 */
	int root; /* folder "/" */
	int kmsg; /* /dev/kmsg for the courier, -1 */
	struct conf_host host; /* the overlay's, then the controller's */
	struct utsname uts;
	char boot_id[BOOT_ID_SZ];
	const char *kernel; /* ironrig.kernel= "NAME:ID", "-" without one */
	struct strlist bad; /* what is wrong with this image or its hardware:
			       with anything in it, no job is run */
	struct modules *modules;
	struct strlist loaded;
	struct net net;
	struct courier *courier;
	volatile sig_atomic_t *stop; /* set by SIGTERM */
};

/* Seconds of host.cfg as milliseconds of a deadline. */
static inline int64_t box_ms(int seconds)
{
	return (int64_t)seconds * 1000;
}

/* How this boot came about: ironrig.boot= of the command line. */
static inline const char *box_mode(const struct box *b)
{
	const char *mode = cmdline_get(b->cmdline, IMAGE_ARG_BOOT);

	return mode && !strcmp(mode, "kexec") ? mode : "firmware";
}

#endif
