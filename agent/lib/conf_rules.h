/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CONF_RULES_H
#define IRONRIG_CONF_RULES_H

#include "conf_load.h"

/*
 * What one key alone does not show, and defaults that follow from other keys;
 * for conf_schema.c's table only. Fields may be NULL where they were wrong.
 */
conf_load_rules conf_rules_host, conf_rules_job, conf_rules_experiment;

#endif
