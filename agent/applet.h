/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_APPLET_H
#define IRONRIG_APPLET_H

/*
 * The agent is one binary with several entries, chosen by argv[1] (or by being
 * PID 1): one row an entry in main.c. argv[0] is the entry's name.
 */
typedef int applet_fn(int argc, char **argv);

/* one declaration an entry */

#endif
