// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Exact tests, families of tests, Fieller and Fisher: numbers from R 4.2.2 and
 * from counting by hand.
 */
#include "analysis/exact.h"
#include "analysis/fieller.h"
#include "analysis/fisher.h"
#include "analysis/multi.h"
#include "known.h"
#include "tap.h"

static struct dist *D;

static void signflip(void)
{
	static const double zero[24] = { 0 }, tie[] = { 1, 1, 1 };
	double up[24], wild[24];
	struct exact x = exact_signflip(D, SLEEP_2, SLEEP_1, 10);

	is_int(x.extreme, 4, "sleep: 4 of");
	is_int(x.total, 1024, "1024, a zero difference counts twice");
	x = exact_signflip(D, zero, tie, 3);
	is_int(x.extreme, 2, "all one way: 2 of");
	is_int(x.total, 8, "8");
	x = exact_signflip(D, zero, zero, 5);
	is_near(x.p, 1, 0, "no difference: every sign is a tie");
	is_near(exact_signflip(D, zero, tie, 1).p, 1, 0, "n = 1");
	is_near(exact_signflip(D, zero, tie, 0).p, 1, 0, "n = 0");
	for (int i = 0; i < 24; i++) {
		up[i] = 1 + .01 * i;
		wild[i] = i == 23 ? -40 : up[i];
	}
	x = exact_signflip(D, zero, up, 20);
	is_int(x.extreme, 2, "n = 20 is counted out: 2 of");
	is_int(x.total, 1 << 20, "2^20");
	x = exact_signflip(D, zero, up, 21);
	is_int(x.total, EXACT_DRAWS + 1, "n = 21 is drawn");
	ok(x.p <= 2. / (EXACT_DRAWS + 1), "and as small as draws can say");
	ok(exact_signflip(D, zero, wild, 24).p > .3, "one wild boot");
}

static void permutation(void)
{
	static const double flat[] = { 2, 2, 2, 2 };
	double b[30], h[30];
	struct exact x;

	for (int i = 0; i < 3; i++) {
		b[i] = log(MAIL2_BEFORE[i]);
		h[i] = log(MAIL2_AFTER[i]);
	}
	x = exact_permutation(D, b, 3, h, 3);
	is_int(x.extreme, 6, "mail: 6 of");
	is_int(x.total, 20, "20");
	x = exact_permutation(D, flat, 4, flat, 4);
	is_near(x.p, 1, 0, "all equal: all tied");
	is_int(x.total, 70, "of 70");
	is_near(exact_permutation(D, flat, 0, flat, 4).p, 1, 0,
		"nothing on one side");
	for (int i = 0; i < 30; i++) {
		b[i] = i;
		h[i] = i + 100;
	}
	x = exact_permutation(D, b, 2, h, 3);
	is_int(x.extreme, 1, "unequal n, apart: 1 of");
	is_int(x.total, 10, "10");
	ok(exact_permutation(D, b, 30, h, 30).p < 1e-4, "60 boots, drawn");
	ok(exact_permutation(D, b, 30, b, 30).p > .9, "equal, drawn");
}

static void draws_agree(void)
{
	double b[21], h[21], all, drawn;

	for (int i = 0; i < 21; i++) {
		b[i] = (i * 7) % 11;
		h[i] = (i * 5) % 13 - (i < 20 ? .3 : 0);
	}
	/* a last pair without difference changes no share */
	h[20] = b[20];
	all = exact_signflip(D, b, h, 20).p;
	drawn = exact_signflip(D, b, h, 21).p;
	is_near(drawn, all, .006, "99,999 draws meet the full count");
}

static void families(void)
{
	static const double benjamini[] = { .0001, .0004, .0019, .0095, .0201,
					    .0278, .0298, .0344, .0459, .324,
					    .4262, .5719, .6528, .759,	1 };
	static const double ties[] = { .01, NAN, .02, .03, .04, .05, .5 };
	double a[15];
	struct err e = ERR_INIT;
	int called = 0;

	is_int(multi_bh(benjamini, 15, a, &e), 0, "BH");
	for (int i = 0; i < 15; i++)
		called += a[i] <= .05;
	is_int(called, 4, "Benjamini & Hochberg (1995): 4 rejected");
	is_near(a[3], .035625, 1e-15, "adjusted p");
	is_near(a[5], .0638571428571429, 1e-15, "made monotone");
	is_near(a[14], 1, 0, "never above 1");
	is_int(multi_holm(benjamini, 15, a, &e), 0, "Holm");
	called = 0;
	for (int i = 0; i < 15; i++)
		called += a[i] <= .05;
	is_int(called, 3, "3 rejected");
	is_near(a[2], .0247, 1e-15, "adjusted p");
	is_near(a[7], .278, 1e-15, "made monotone");
	is_int(multi_bh(ties, 7, a, &e), 0, "with a test that is none");
	ok(isnan(a[1]), "it stays none");
	is_near(a[0], .06, 1e-15, "and does not count");
	is_int(multi_holm(ties, 7, a, &e), 0, "Holm likewise");
	is_near(a[0], .06, 1e-15, "six tests");
	is_near(a[5], .12, 1e-15, "step down");
	is_int(multi_bh(ties, 0, a, &e), 0, "no tests at all");
}

static void fieller(void)
{
	static const double x[] = { 0, 3, 5, 2, 4, 6 };
	static const double y[] = { 1, 4, 5, 3, 5, 9 };
	static const double around[] = { -1, 1, -2, 2, 1, -1 };
	struct fieller f = fieller_welch(D, PLANT_CTRL, 10, PLANT_TRT1, 10);

	is_near(f.percent, -7.372814, 5e-7, "PlantGrowth: ratio");
	is_near(f.ci.lo, -19.620735, 5e-7, "PlantGrowth: low");
	is_near(f.ci.hi, 5.993963, 5e-7, "PlantGrowth: high");
	is_near(f.df, 16.523585, 5e-7, "PlantGrowth: df");
	f = fieller_paired(D, x, y, 6);
	is_near(f.percent, 35, 1e-12, "paired, with a zero");
	is_near(f.ci.lo, 5.05950914133817, 1e-9, "paired: low");
	is_near(f.ci.hi, 98.13685190297856, 1e-9, "paired: high");
	f = fieller_paired(D, around, y, 6);
	ok(!f.clear && isnan(f.percent), "denominator not clear of zero");
	f = fieller_paired(D, x, y, 1);
	ok(!f.clear, "n = 1");
	f = fieller_welch(D, x, 6, y, 1);
	ok(!f.clear, "one boot on a side");
}

static void fisher(void)
{
	is_near(fisher_exact(0, 4, 10, 16), fisher_exact(10, 16, 0, 4), 1e-15,
		"sides may be swapped");
	is_near(fisher_exact(0, 10, 4, 10), 0.0866873065015480, 1e-13,
		"0/10 against 4/10");
	is_near(fisher_exact(3, 10, 1, 15), 0.266798418972332, 1e-13,
		"3/10 against 1/15");
	is_near(fisher_exact(5, 5, 0, 5), .00793650793650794, 1e-14,
		"5/5 against 0/5");
	is_near(fisher_exact(0, 5, 0, 5), 1, 1e-12, "no failures");
	is_near(fisher_exact(0, 0, 3, 5), 1, 0, "no runs on one side");
}

int main(void)
{
	D = dist_new(1);
	signflip();
	permutation();
	draws_agree();
	families();
	fieller();
	fisher();
	dist_free(D);
	return done_testing();
}
