/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SHOWRUN_H
#define IRONRIG_SHOWRUN_H

#include "index.h"
#include "result.h"

/* The parts of `ironrig show`, each printed to stdout. */
void show_identity(const struct index_run *run);
/* Tuning, proof of stability, iterations. */
void show_result(const struct result *r);
/*
 * The primary stats, then those that match glob (NULL: no others; a job that
 * names no primary ones has its testcase's shown).
 */
int show_stats(struct index *x, const struct index_run *run, const char *glob,
	       struct err *e) MUST_CHECK;

#endif
