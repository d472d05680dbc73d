/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_OFRESULT_H
#define IRONRIG_OFRESULT_H

#include "result.h"
#include "stats.h"

/* time.* of one iteration; o->run says which. */
int ofresult_iteration(const struct result_iter *i, struct stat_out *o,
		       struct err *e) MUST_CHECK;
/* agent.* of the whole run (run 0), over the windows of all iterations. */
int ofresult_run(const struct result *r, struct stat_out *o, struct err *e)
	MUST_CHECK;
/* efficiency.*, from the operations that the workload counted. */
int ofresult_efficiency(const struct result_iter *i, double ops,
			struct stat_out *o, struct err *e) MUST_CHECK;

#endif
