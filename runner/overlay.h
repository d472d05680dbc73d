/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_OVERLAY_H
#define IRONRIG_OVERLAY_H

#include "conf.h"

struct home;

/*
 * Builds boot/boxes/BOX.cpio, the member that makes an image one box's own:
 * its host file (as loaded, so that defaults are spelt out), its private key
 * keys/boxes/BOX and the controller's host key as a known_hosts line for
 * h->controller. It is replaced by rename; mode 0640, because it holds the
 * box's key: who may read the boot folder may add results for that box.
 */
int overlay_write(const struct home *home, const struct conf_host *h,
		  struct err *e) MUST_CHECK;

#endif
