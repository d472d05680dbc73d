/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_DMESG_H
#define IRONRIG_DMESG_H

#include <stdbool.h>

/*
 * Whether a line of a kernel's log starts a report of a warning or a fault;
 * name is then the stat's behind "dmesg.".
 */
#define DMESG_PLACE 160
bool dmesg_place(const char *line, char name[DMESG_PLACE]);
/* The text of a line behind "<4>", "[   12.345678] " and "[ T123] ". */
const char *dmesg_message(const char *line);

#endif
