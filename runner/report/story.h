/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_STORY_H
#define IRONRIG_STORY_H

#include "evidence.h"
#include "show.h"

/*
 * Paragraphs of a report that tell what stands behind the numbers. Each ends
 * with an empty line and says so when its evidence is missing.
 */

/* Which commits and kernels are compared: "base:", "head:". */
void story_kernels(const struct show *s, const struct compare_group *g,
		   const struct evidence *ev, struct buf *b);
/* Testcase, machine, parameters. */
void story_test(const struct show *s, const struct compare_group *g,
		const struct evidence *ev, struct buf *b);
/* What was tuned, what held, what shows that the machine was quiet. */
void story_stability(const struct show *s, const struct compare_group *g,
		     const struct evidence *ev, struct buf *b);
/* Where config and results are, build-ids, compilers. */
void story_builds(const struct show *s, const struct compare_group *g,
		  const struct evidence *ev, struct buf *b);
/* The steps to reproduce, as they are in the result. */
void story_reproduce(const struct show *s, const struct compare_group *g,
		     const struct evidence *ev, struct buf *b);
/* What failed on head alone, with the kernel's report of it. */
void story_failures(const struct show *s, const struct compare_group *g,
		    const struct evidence *ev, struct buf *b);
/* What the two .config files differ in; nothing when one is not known. */
void story_config(const struct show *s, const struct evidence *ev,
		  struct buf *b);
/* Symbols that moved within a cache line; changes the maps' text. */
void story_layout(const struct show *s, const struct compare_group *g,
		  struct evidence *ev, struct buf *b);
/* "288 threads Intel(R) Xeon Phi(TM) CPU 7295 @ 1.50GHz with 80G memory" */
void story_machine(const struct result *r, struct buf *b);

#endif
