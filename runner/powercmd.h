/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_POWERCMD_H
#define IRONRIG_POWERCMD_H

#include "conf.h"
#include "home.h"

/*
 * The power commands of host files: whatever a lab has (ipmitool, a PDU's
 * client, a script), as its administrator wrote it, run by /bin/sh on the
 * controller. Nothing that a box sent is part of it; the box's name is in
 * IRONRIG_BOX.
 */
enum powercmd { POWER_CYCLE, POWER_OFF, POWER_ON };

const char *powercmd_name(enum powercmd c);
/* Whether the host file has what it takes: a cycle may be off, then on. */
bool powercmd_can(const struct conf_host *h, enum powercmd c);
/*
 * Runs it and waits, at most POWERCMD_LIMIT_S a command: what is left then is
 * killed with its children. Each attempt is a line in store/BOX/power.log,
 * "TIME WHAT ok|failed WHO: WHY". ERR_NOTFOUND: the host file has no such
 * command; ERR_PEER, ERR_TIMEOUT with the end of what it printed.
 */
#define POWERCMD_LIMIT_S 120
int powercmd_run(const struct home *home, const struct conf_host *h,
		 enum powercmd c, const char *why, struct err *e) MUST_CHECK;

/* What stands in the record. */
struct powercmd_log {
	struct strlist line; /* the newest, at most 20 */
	int cycles;	/* by tend, in a row: since that time */
	int64_t last_s; /* the last of them, 0: none */
};
/* A box that has no record yet has an empty one. */
int powercmd_read(const struct home *home, const char *box, int64_t since_s,
		  struct powercmd_log *l, struct err *e) MUST_CHECK;
void powercmd_log_free(struct powercmd_log *l);

#define POWERCMD_TEND "tend: " /* how its reasons begin */

#endif
