/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CONF_REPORT_H
#define IRONRIG_CONF_REPORT_H

#include "conf.h"

/* For conf*.c and result.c; conf.h has the public ones. */

/* "FILE:LINE: KEY: what is wrong", without what is not known */
void conf_report_format(const char *file, const struct conf_problem *p,
			struct buf *out);
/* In the order of lines; of the same line, as found. */
void conf_report_sort(struct conf_report *r);

#endif
