/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CONF_EXPERIMENT_H
#define IRONRIG_CONF_EXPERIMENT_H

#include "conf_load.h"

/* For conf*.c: what is more than one word in an experiment. */
struct conf_experiment;

#define CONF_BUILDS_MAX 16 /* of one kernel, as the plan has room for */
#define CONF_BUILD_NAME 66 /* conf_name_ok()'s 64, one too many, and NUL */

void conf_experiment_words(const struct conf_experiment *x,
			   struct conf_load *l);

#endif
