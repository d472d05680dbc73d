/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_MODLOAD_H
#define IRONRIG_MODLOAD_H

#include "modules.h"

/*
 * Loads what the devices ask for and what *extra names, again while new
 * devices appear, MODLOAD_PASSES times at most. *done (start with an empty
 * one) holds what was asked for, so that a later call only does what is new.
 * One module that fails is no error: its device is missing then. Returns 0, or
 * -1 when modprobe itself cannot work.
 */
#define MODLOAD_PASSES 6 /* bridge, controller, bus, device, function: 5 */
int modload_run(int root, const struct modules *m, const struct strlist *extra,
		struct strlist *done, struct err *e) MUST_CHECK;

/*
 * A line of the kernel's log about firmware that was not found: its file name
 * into out. False for every other line.
 */
bool modload_firmware(const char *line, char *out, size_t size);
/* Says each such file of the log once, with the module when it is known. */
void modload_say_firmware(int root);

#endif
