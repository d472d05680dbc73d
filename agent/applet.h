/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_APPLET_H
#define IRONRIG_APPLET_H

/*
 * The agent is one binary with several entries, chosen by argv[1] (or by being
 * PID 1, which is the entry "init"): one row an entry in main.c. argv[0] is the
 * entry's name. Each returns its exit status: 0, 1 failed, 2 usage.
 */
typedef int applet_fn(int argc, char **argv);

/* one declaration an entry */
applet_fn dhcp_main;
applet_fn init_main;
applet_fn kexecload_main;
applet_fn once_main;
applet_fn shutdown_main;
applet_fn waittcp_main;
applet_fn scale_main;
applet_fn ship_main;

#endif
