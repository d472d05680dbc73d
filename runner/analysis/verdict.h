/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_VERDICT_H
#define IRONRIG_VERDICT_H

#include "estimate.h"
#include "power.h"

/*
 * What a primary stat's change amounts to. The rules are tried in the order
 * of this list after VERDICT_NONE, and the first that holds wins.
 */
enum verdict_kind {
	VERDICT_NONE, /* fewer than 3 blocks, or boots on a side */
	VERDICT_REGRESSION, /* p < alpha, at least delta, to the worse */
	VERDICT_IMPROVEMENT, /* the same, to the better */
	VERDICT_CHANGED, /* the same, of a stat without direction */
	VERDICT_EQUIVALENT, /* 90 % interval inside +-delta, 6 or more */
	VERDICT_NEAR, /* p < alpha, size not settled */
	VERDICT_DIFFERS, /* p < alpha, but drift is not separable */
	VERDICT_INCONCLUSIVE,
};

enum verdict_better {
	VERDICT_NEITHER,
	VERDICT_HIGHER,
	VERDICT_LOWER
};

struct verdict_rule {
	double alpha;
	double delta; /* fraction, or units when linear; NAN: none */
	double floor; /* layout floor on the scale of y; NAN: one build */
	size_t k; /* primaries x jobs x heads of the report, >= 1 */
	enum verdict_better better;
	bool vouched; /* unpaired boots were interleaved or independent */
	bool sequential; /* the blocks came from looks: --until decided */
	const struct power_pool *pool; /* for mde and blocks; NULL: none */
};

/* What the exact test says where t and it do not agree. */
enum verdict_note {
	VERDICT_AGREE,
	VERDICT_ODD_BOOTS, /* exact alone: odd boots stretch the spread */
	VERDICT_FEW_BOOTS, /* t alone: rests on few boots */
};

struct verdict {
	enum verdict_kind kind;
	bool below_delta; /* EQUIVALENT, and real: p < alpha */
	enum verdict_note note;
	double delta; /* used, after the floor; as in the rule */
	double p; /* NAN when sequential */
	double p_adjusted;
	double e; /* NAN unless plainly paired */
	struct interval ci; /* 95 % (sequential: anytime), scale of y */
	double mde; /* percent or units */
	unsigned int pooled; /* earlier experiments in mde and blocks */
	struct power_blocks blocks; /* of INCONCLUSIVE */
};

/*
 * p_adjusted by Holm over the report; p_exact NAN when there is none, and
 * least_exact the smallest p the exact test could have given.
 */
struct verdict verdict_decide(struct dist *d, const struct estimate *s,
			      const struct verdict_rule *rule,
			      double p_adjusted, double p_exact,
			      double least_exact);
/* "REGRESSION", …; "NEAR δ" is "NEAR DELTA" here. */
const char *verdict_name(enum verdict_kind kind);

#endif
