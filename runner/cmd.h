/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CMD_H
#define IRONRIG_CMD_H

#include "err.h"

/*
 * One subcommand a file, cmd_NAME.c, and one row a subcommand in main.c.
 * home is what --home or IRONRIG_HOME gave, NULL for the default ~/ironrig;
 * argv[0] is the subcommand's name. Each returns its exit status:
 * EXIT_SUCCESS, CMD_FAILED or CMD_USAGE, or what its manual documents.
 */
enum { CMD_FAILED = 1, CMD_USAGE = 2 };

typedef int cmd_fn(const char *home, int argc, char **argv);

/* "ironrig NAME: message" on stderr; returns CMD_FAILED (ERR_INPUT too). */
int cmd_fail(const char *name, const struct err *e);
/* "try `ironrig NAME -h'" behind a message on stderr; returns CMD_USAGE. */
int cmd_usage(const char *name, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* one declaration a subcommand */
cmd_fn cmd_ab;
cmd_fn cmd_bisect;
cmd_fn cmd_check;
cmd_fn cmd_collect;
cmd_fn cmd_compare;
cmd_fn cmd_export;
cmd_fn cmd_extract;
cmd_fn cmd_fsck;
cmd_fn cmd_import;
cmd_fn cmd_init;
cmd_fn cmd_ls;
cmd_fn cmd_show;
cmd_fn cmd_image;
cmd_fn cmd_kernel;
cmd_fn cmd_enroll;
cmd_fn cmd_queue;
cmd_fn cmd_power;
cmd_fn cmd_receive;
cmd_fn cmd_report;
cmd_fn cmd_serve;
cmd_fn cmd_tend;
cmd_fn cmd_status;
cmd_fn cmd_tail;

#endif
