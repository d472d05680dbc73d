/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_EVIDENCE_H
#define IRONRIG_EVIDENCE_H

#include "../home.h"
#include "compare.h"
#include "conf.h"
#include "failtext.h"
#include "result.h"

/*
 * What stands behind a group's numbers, from one kept run of each side and
 * from the registry of kernels. What is not there stays empty, and the report
 * says so; only memory can run out.
 */
struct evidence_side {
	bool have; /* r is filled */
	struct result r;
	bool have_job;
	struct conf_job job;
	bool have_kernel; /* registered */
	struct conf_kernel kernel;
	struct buf reproduce; /* reproduce.sh */
	struct buf version; /* /proc/version */
	bool config; /* meta/config.gz is in the result */
	struct buf map; /* System.map */
	struct buf config_text; /* .config, of the registry */
	char *file; /* the result, below the store */
};

#define EVIDENCE_FAILURES 3 /* told in full; the table has all */

struct evidence {
	struct evidence_side base, head;
	/* of those on head alone, in the order of the group */
	struct failtext failure[EVIDENCE_FAILURES];
};

int evidence_load(const struct home *h, const struct compare_group *g,
		  struct evidence *ev, struct err *e) MUST_CHECK;
void evidence_free(struct evidence *ev);

#endif
