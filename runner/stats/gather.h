/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_GATHER_H
#define IRONRIG_GATHER_H

#include "conf.h"
#include "result.h"
#include "stats.h"

/*
 * All stats of one result, from its members as they come by: the job's
 * workload extractors (those it names, else the one of its testcase) and
 * rules over every measured iteration's output, every monitor's over the
 * iterations' windows, and what result.cfg itself says (time.*, agent.*,
 * efficiency.*).
 *
 * What cannot be understood is no error: it is a line in the notes, and the
 * stat is missing there.
 */
struct gather;

struct gather_stat {
	const char *name, *unit;
	enum stat_better better;
	bool per_run; /* of the run as a whole: n is 1 */
	/*
	 * value[i]: the i-th measured iteration, the mean when the tool ran
	 * several times inside it; NAN: missing.
	 */
	const double *value;
	size_t n;
};

/*
 * r and job (may be NULL: then by r->testcase) must outlive it. only (may be
 * NULL) names the one extractor to run, whatever the job says.
 */
int gather_new(const struct result *r, const struct conf_job *job,
	       const struct stat_extractor *only, struct gather **g,
	       struct err *e) MUST_CHECK;
/*
 * A member of the result, by its name: gather_member() says whether its bytes
 * are wanted (1 or 0); if so they follow in pieces of any size, then
 * gather_member_end(). -1: out of memory.
 */
int gather_member(struct gather *g, const char *name, struct err *e)
	MUST_CHECK;
int gather_data(struct gather *g, const void *p, size_t n, struct err *e)
	MUST_CHECK;
int gather_member_end(struct gather *g, struct err *e) MUST_CHECK;
/* When all members are through. Then gather_stats() and gather_notes(). */
int gather_end(struct gather *g, struct err *e) MUST_CHECK;
/* n of them, owned by g, in the order in which they came up. */
const struct gather_stat *gather_stats(const struct gather *g, size_t *n);
/* "" or lines. */
const char *gather_notes(const struct gather *g);
/* Measured iterations, and those of them that completed. */
int gather_planned(const struct gather *g);
int gather_completed(const struct gather *g);
void gather_free(struct gather *g);

#endif
