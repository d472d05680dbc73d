/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_RUNJSON_H
#define IRONRIG_RUNJSON_H

#include "index.h"
#include "report/jsonout.h"

/* The members of one run, into the object that is open in j. */
void runjson(struct jsonout *j, const struct index_run *r);
/* An object with all that the index has of one stat, values included. */
void runjson_stat(struct jsonout *j, const struct index_stat *s);

/* "2024-01-31T12:00:00Z", or "-" for 0. */
#define RUNJSON_TIME 32
void runjson_time(int64_t unix_s, char out[RUNJSON_TIME]);

#endif
