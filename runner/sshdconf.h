/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SSHDCONF_H
#define IRONRIG_SSHDCONF_H

#include "buf.h"
#include "home.h"

/*
 * The configuration of a private sshd that serves one home and nothing else:
 * the calling user, public keys of keys/authorized_keys, no forwarding, no
 * terminal. Appends it to out.
 */
int sshdconf_text(const struct home *home, const char *address, int port,
		  struct buf *out, struct err *e) MUST_CHECK;
/* The program, in PATH or where distributions put it; the caller frees it. */
int sshdconf_program(char **path, struct err *e) MUST_CHECK;

#endif
