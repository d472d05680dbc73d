/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_REQUEST_H
#define IRONRIG_REQUEST_H

#include "../home.h"
#include "compare.h"
#include "show.h"

#include <getopt.h>

/*
 * What compare and report are asked for: the options they share, and getting
 * the comparison that they name out of a store.
 */
struct request {
	struct compare_rule rule;
	struct show show;
	bool json, wide, all, independent;
	bool delta_percent, delta_units, delta_given, alpha_given;
	const char *box, *job, *stat, *experiment;
};

#define REQUEST_INIT                                                           \
	{                                                                      \
		.rule = COMPARE_RULE_DEFAULT                                   \
	}

/* Values for getopt_long(3), above those that a command adds. */
enum {
	REQUEST_JSON = 512,
	REQUEST_DELTA,
	REQUEST_ALPHA,
	REQUEST_FLOOR,
	REQUEST_WIDE,
	REQUEST_ASCII,
	REQUEST_ALL,
	REQUEST_AA,
	REQUEST_INDEPENDENT,
	REQUEST_BOX,
	REQUEST_JOB,
	REQUEST_STAT,
	REQUEST_EXPERIMENT,
};

#define REQUEST_OPTIONS                                                        \
	{ "json", no_argument, NULL, REQUEST_JSON },                           \
		{ "delta", required_argument, NULL, REQUEST_DELTA },           \
		{ "alpha", required_argument, NULL, REQUEST_ALPHA },           \
		{ "layout-floor", required_argument, NULL, REQUEST_FLOOR },    \
		{ "wide", no_argument, NULL, REQUEST_WIDE },                   \
		{ "ascii", no_argument, NULL, REQUEST_ASCII },                 \
		{ "all", no_argument, NULL, REQUEST_ALL },                     \
		{ "aa", no_argument, NULL, REQUEST_AA },                       \
		{ "independent", no_argument, NULL, REQUEST_INDEPENDENT },     \
		{ "box", required_argument, NULL, REQUEST_BOX },               \
		{ "job", required_argument, NULL, REQUEST_JOB },               \
		{ "stat", required_argument, NULL, REQUEST_STAT },             \
	{                                                                      \
		"experiment", required_argument, NULL, REQUEST_EXPERIMENT      \
	}

/* What these options do, for a help text. */
extern const char request_help[];

/* One option of the list above; ERR_INPUT. */
int request_option(int opt, const char *arg, struct request *r,
		   struct err *e) MUST_CHECK;
/*
 * What contradicts itself among them; NULL: nothing. is_table: a table of text
 * is asked for, which may be wide, plain ASCII, or of all stats.
 */
const char *request_contradiction(const struct request *r, bool is_table);
/*
 * After request_evaluate(): which option met no primary stat that it could
 * apply to; NULL: none, or there are no primaries.
 */
const char *request_unused(const struct request *r, const struct compare *c);
/* Colour and width by the terminal on standard output, 80 without one. */
void request_fit_terminal(struct request *r);
/*
 * Kernels by name or unique prefix: a base and n - 1 heads (with --aa at
 * least one). Fills c and takes delta and alpha from the experiments' files
 * where they were not given. The home is opened here.
 */
int request_load(const char *home, const struct request *r, char *const *kernel,
		 int n, struct compare *c, struct err *e) MUST_CHECK;
/* compare_evaluate() with the seed that makes one input one output. */
int request_evaluate(struct compare *c, struct err *e) MUST_CHECK;

#endif
