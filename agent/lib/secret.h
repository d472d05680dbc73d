/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SECRET_H
#define IRONRIG_SECRET_H

/*
 * To be called before a private key comes into memory: this process and its
 * children leave no core dump, and no other process of the account may look
 * into it (prctl(2), PR_SET_DUMPABLE), until it starts another program.
 */
void secret_hold(void);

#endif
