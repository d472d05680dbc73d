/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_REPRODUCE_H
#define IRONRIG_REPRODUCE_H

#include "conf.h"
#include "result.h"

/*
 * reproduce.sh: a run as a plain POSIX shell script that needs nothing of ours,
 * unless the job itself runs ironrig-agent. job has its parameters resolved,
 * env is the whole environment ("NAME=value"), want the merged tuning.
 */
int reproduce_text(const struct result *r, const struct conf_job *job,
		   const struct conf_tune *want, const struct strlist *env,
		   struct buf *out, struct err *e) MUST_CHECK;

#endif
