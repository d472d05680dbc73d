/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SESSION_H
#define IRONRIG_SESSION_H

#include "cmdline.h"

/*
 * Everything the box does, in order, in one process that PID 1 watches:
 * checks, modules, network, controller, then runs until told to boot another
 * kernel, to reboot or to power off. up is the socket to PID 1 (phase.h).
 * Returns only when this boot cannot go on: an exit status.
 */
int session_run(const struct cmdline *c, int up);

#endif
