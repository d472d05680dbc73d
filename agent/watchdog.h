/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_WATCHDOG_H
#define IRONRIG_WATCHDOG_H

#include "err.h"

/*
 * The hardware watchdog (Documentation/watchdog/watchdog-api.rst): once open
 * it resets the box unless it is fed within timeout_s. Closed is .fd == -1.
 */
struct watchdog {
	int fd;
	int timeout_s; /* what the hardware took, not what was asked */
};

#define WATCHDOG_INIT                                                          \
	{                                                                      \
		.fd = -1                                                       \
	}

/*
 * Opens and so starts it. A driver that knows no time-outs keeps its own. An
 * open watchdog only gets the new time-out.
 */
int watchdog_open(struct watchdog *w, const char *device, int timeout_s,
		  struct err *e) MUST_CHECK;
void watchdog_feed(struct watchdog *w);
/* How long the loop may sleep between two feeds, in ms; -1 when closed. */
int watchdog_pause_ms(const struct watchdog *w);
#define WATCHDOG_GAP_S 1800 /* firmware of a large box: some minutes */
/*
 * The longest time-out up to limit_s that the hardware takes, for the gap between kexec and
 * the next agent. It survives kexec only with watchdog.stop_on_reboot=0 on the
 * command line: many drivers stop theirs in a reboot notifier, and the
 * parameter is read-only once the core is loaded.
 */
void watchdog_longest(struct watchdog *w, int limit_s);
/* Stops it ("magic close"); a driver with nowayout goes on counting. */
void watchdog_stop(struct watchdog *w);

#endif
