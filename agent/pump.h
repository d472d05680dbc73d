/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PUMP_H
#define IRONRIG_PUMP_H

#include "err.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A pipe into a file with a cap: what comes beyond it is thrown away, and
 * flagged, so that a workload that prints without end neither fills the
 * results' memory nor blocks. pump_drain() is called whenever .rd is readable.
 */
struct pump {
	int rd, wr; /* wr is handed to the command as stdout or stderr */
	int out;
	int null;
	uint64_t left; /* bytes that still fit */
	bool cut;
};

/* Makes the file path (0644) below dirfd. pump_close() is the caller's. */
int pump_open(int dirfd, const char *path, uint64_t max, struct pump *p,
	      struct err *e) MUST_CHECK;
/* Takes what is in the pipe now; never blocks. */
void pump_drain(struct pump *p);
/* Drains and closes; later writers get SIGPIPE. Twice is harmless. */
void pump_close(struct pump *p);

#endif
