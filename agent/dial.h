/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_DIAL_H
#define IRONRIG_DIAL_H

#include "err.h"

#include <stdint.h>

#define DIAL_HOST 256 /* a DNS name's 253 bytes, NUL */

/* "HOST:PORT", "[2001:db8::1]:22". ERR_INPUT. */
int dial_split(const char *s, char host[DIAL_HOST], uint16_t *port,
	       struct err *e) MUST_CHECK;
/*
 * A TCP connection, non-blocking, TCP_NODELAY, given up by the kernel when
 * sent data stays unacknowledged for 20 s. host is a numeric address, a name
 * in /etc/hosts, or one that resolv.conf(5)'s servers know; its addresses are
 * tried in turn. ERR_SYS, ERR_NOTFOUND (no such name), ERR_TIMEOUT.
 */
int dial_tcp(const char *host, uint16_t port, int64_t deadline_ns, int *fd,
	     struct err *e) MUST_CHECK;

#endif
