/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PROOFSIM_H
#define IRONRIG_PROOFSIM_H

/*
 * Simulated experiments on simulated rigs, for test_proof.c: what is true of
 * the two kernels is known, and boots, iterations, layouts and the order of
 * boots are drawn as a real rig and the plan make them.
 */
#include "analysis/sample.h"
#include "analysis/variance.h"

#define BLOCKS_MAX 30
#define ITERATIONS 10
#define DELTA	   .01

/* ln(1 + delta), ln(1 - delta), ln(.98): truths on the scale of y */
#define UP   .00995033085316808
#define DOWN (-.01005033585350145)
#define LOSS (-.02020270731751945)

enum shape {
	NORMAL,
	BIMODAL,
	HEAVY
};

/* A rig and the truth about two kernels on it, on the scale of logarithms. */
struct world {
	double truth; /* head minus base */
	double drift; /* from the first boot to the last, linear */
	double second; /* second boot of a block minus the first */
	enum shape shape;
	bool plain_order; /* a coin for each block, instead of AB with BA */
	size_t blocks;
	size_t iterations; /* 0: 3 */
	double sigma; /* of boots, and of iterations in a boot; 0: 1 % */
	unsigned int builds[2]; /* of a side, by turns; 0: 1 */
	double layout; /* sigma of builds of one commit */
	/* iterations of the blocks from the fourth on: chosen by the first */
	bool choose;
	double within; /* sigma of iterations in a boot; 0: as of boots */
};

struct data {
	double value[2][BLOCKS_MAX][ITERATIONS];
	struct sample_boot boot[2][BLOCKS_MAX];
	double y[2][BLOCKS_MAX];
	signed char order[BLOCKS_MAX];
	unsigned int build[2][BLOCKS_MAX];
	double luck[2][BLOCKS_MAX]; /* of each build's layout */
	size_t chosen; /* iterations; 0: not yet */
};

static struct dist *D;

static double uniform(void)
{
	return ((double)dist_bits(D) + .5) / 4294967296.;
}

static double sigma(const struct world *w)
{
	return w->sigma > 0 ? w->sigma : .01;
}

static size_t iterations(const struct world *w)
{
	return w->iterations ? w->iterations : 3;
}

static double boot_luck(const struct world *w)
{
	switch (w->shape) {
	case BIMODAL: /* one boot of four is in a mode 4 % slower */
		return (uniform() < .25 ? -.04 : 0) + dist_normal(D, sigma(w));
	case HEAVY:
		return sigma(w) * dist_t(D, 3);
	case NORMAL:
		break;
	}
	return dist_normal(D, sigma(w));
}

static void boot(const struct world *w, size_t block, int head, bool second,
		 struct data *x)
{
	double place = (double)(2 * block + second);
	double y = 10 + boot_luck(w) + (head ? w->truth : 0) +
		   x->luck[head][x->build[head][block]] +
		   (second ? w->second : 0) +
		   w->drift * place / (double)(2 * w->blocks - 1);

	size_t n = x->chosen ? x->chosen : iterations(w);
	double within = w->within > 0 ? w->within : sigma(w);

	for (size_t i = 0; i < n; i++)
		x->value[head][block][i] = exp(y + dist_normal(D, within));
	x->boot[head][block] =
		(struct sample_boot){ x->value[head][block], n, n };
}

/* As `ab' does it after three blocks, with boots of 30 iterations' time. */
static void choose(const struct world *w, size_t block, struct data *x)
{
	struct variance v;
	size_t n;

	if (!w->choose || block != 3)
		return;
	v = variance_pooled(x->boot[0], 3, x->boot[1], 3, false);
	n = variance_best_iterations(&v, 30, 1, ITERATIONS);
	x->chosen = n > iterations(w) ? n : iterations(w);
}

/*
 * As the plan deals them out: in every m blocks each of m builds once, in an
 * order of their own on either side.
 */
static void deal_builds(const struct world *w, int head, struct data *x)
{
	unsigned int m = w->builds[head] ? w->builds[head] : 1;

	for (unsigned int k = 0; k < m; k++)
		x->luck[head][k] = w->layout > 0 ? dist_normal(D, w->layout)
						 : 0;
	for (size_t j = 0; j < w->blocks; j++) {
		unsigned int *b = x->build[head], k;
		size_t at = j - j % m;

		b[j] = (unsigned int)(j % m);
		k = (unsigned int)dist_below(D, j % m + 1);
		b[j] = b[at + k];
		b[at + k] = (unsigned int)(j % m);
	}
}

/* Seeded order: AB and BA once each in every two blocks. */
static void simulate(const struct world *w, struct data *x)
{
	bool head_second = false;

	x->chosen = 0;
	for (int head = 0; head < 2 && w->layout > 0; head++)
		deal_builds(w, head, x);
	for (size_t j = 0; j < w->blocks; j++) {
		head_second = w->plain_order || j % 2 == 0 ? dist_bits(D) >> 31
							   : !head_second;
		x->order[j] = head_second ? 1 : -1;
		choose(w, j, x);
		boot(w, j, !head_second, false, x);
		boot(w, j, head_second, true, x);
	}
}

#endif
