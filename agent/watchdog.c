// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Opens, feeds and closes the hardware watchdog. When to do which is decided
 * by the supervisor's loop, whose standing still is what it guards against.
 */
#include "watchdog.h"

#include <fcntl.h>
#include <linux/watchdog.h>
#include <sys/ioctl.h>
#include <unistd.h>

/*
 * Drivers refuse (EINVAL) what is above their maximum: 613 s for iTCO, 1023
 * for IPMI's default range, 2046 for i6300esb, 8 to 10 for some SoCs.
 */
static const int longest_s[] = { 1800, 900, 600, 300, 120, 60 };

static int set_timeout(struct watchdog *w, int timeout_s)
{
	if (ioctl(w->fd, WDIOC_SETTIMEOUT, &timeout_s) < 0)
		return -1;
	w->timeout_s = timeout_s; /* rounded by the driver */
	return 0;
}

int watchdog_open(struct watchdog *w, const char *device, int timeout_s,
		  struct err *e)
{
	if (w->fd < 0)
		w->fd = open(device, O_WRONLY | O_CLOEXEC);
	if (w->fd < 0)
		return err_sys(e, "watchdog %s", device);
	if (set_timeout(w, timeout_s) &&
	    ioctl(w->fd, WDIOC_GETTIMEOUT, &w->timeout_s) < 0)
		w->timeout_s = timeout_s;
	watchdog_feed(w);
	return 0;
}

void watchdog_feed(struct watchdog *w)
{
	if (w->fd >= 0)
		ioctl(w->fd, WDIOC_KEEPALIVE, 0);
}

int watchdog_pause_ms(const struct watchdog *w)
{
	if (w->fd < 0)
		return -1;
	/* three chances a period; 10 s at most keeps a shortened one safe */
	return w->timeout_s >= 30 ? 10000 : w->timeout_s * 1000 / 3 + 1;
}

void watchdog_longest(struct watchdog *w, int limit_s)
{
	if (w->fd < 0)
		return;
	for (size_t i = 0; i < sizeof(longest_s) / sizeof(*longest_s); i++) {
		int s = longest_s[i] < limit_s ? longest_s[i] : limit_s;

		if (s <= w->timeout_s || !set_timeout(w, s))
			break;
	}
	watchdog_feed(w);
}

void watchdog_stop(struct watchdog *w)
{
	int off = WDIOS_DISABLECARD;

	if (w->fd < 0)
		return;
	ioctl(w->fd, WDIOC_SETOPTIONS, &off);
	/* the byte that drivers with WDIOF_MAGICCLOSE wait for */
	if (write(w->fd, "V", 1) == 1)
		close(w->fd);
	else
		watchdog_feed(w); /* closing would only leave it unfed */
	w->fd = -1;
}
