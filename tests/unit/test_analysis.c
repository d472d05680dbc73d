// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Distributions, samples and estimates against numbers from R 4.2.2.
 */
#include "analysis/dist.h"
#include "analysis/estimate.h"
#include "analysis/sample.h"
#include "analysis/variance.h"
#include "known.h"
#include "tap.h"

static struct dist *D;

static void distributions(void)
{
	is_near(dist_t_quantile(D, .975, 1), 12.7062047361747, 1e-11,
		"t .975, 1 df");
	is_near(dist_t_quantile(D, .975, 2), 4.30265272974946, 1e-12,
		"t .975, 2 df");
	is_near(dist_t_quantile(D, .975, 9), 2.26215716279820, 1e-12,
		"t .975, 9 df");
	is_near(dist_t_quantile(D, .975, 17.77647352), 2.10281724153697, 1e-12,
		"t .975, fractional df");
	is_near(dist_t_quantile(D, .975, 1.3), 7.50052932556203, 1e-11,
		"t .975, 1.3 df");
	is_near(dist_t_quantile(D, .995, 2.461478), 7.30657784443419, 1e-11,
		"t .995");
	is_near(dist_t_quantile(D, 1 - .05 / 40, 3), 9.4648996635364, 1e-11,
		"t far out");
	is_near(dist_t_quantile(D, .025, 9), -2.26215716279820, 1e-12,
		"t below the middle");
	is_near(dist_t_quantile(D, .975, 9), 2.26215716279820, 1e-12,
		"the same from the cache");
	is_near(dist_t_two_sided(-40, 5) / 1.8411962171773e-07, 1, 1e-10,
		"a tail of 1e-7");
	is_near(dist_chisq_quantile(D, .025, 9), 2.70038949998036, 1e-9,
		"chi-squared .025");
	is_near(dist_chisq_quantile(D, .975, 9), 19.02276779864163, 1e-9,
		"chi-squared .975");
	is_near(dist_f_upper(3.2, 4, 10), 0.0617889255296491, 1e-12, "F");
	is_near(dist_hypergeometric(2, 5, 10, 6), 0.41958041958042, 1e-12,
		"hypergeometric");
	ok(isnan(dist_t_quantile(D, .975, 0)), "no df, no quantile");
	ok(isnan(dist_t_quantile(D, 1, 3)), "p = 1 has no quantile");
	ok(isnan(dist_t_two_sided(NAN, 3)), "NAN in, NAN out");
}

static void seeded(void)
{
	struct dist *a = dist_new(7), *b = dist_new(7);
	bool same = true, other = false;

	for (int i = 0; i < 100; i++)
		same &= dist_bits(a) == dist_bits(b);
	ok(same, "one seed, one sequence");
	dist_seed(a, 8);
	dist_seed(b, 7);
	for (int i = 0; i < 100; i++)
		other |= dist_bits(a) != dist_bits(b);
	ok(other, "another seed, another sequence");
	dist_free(a);
	dist_free(b);
	dist_free(NULL);
}

static void boots(void)
{
	static const double v[] = { 1, 2, 4, 8, 16 }, bad[] = { 1, NAN };
	static const double inf[] = { 1, INFINITY }, zero[] = { 0, 3 };
	struct sample_boot base[] = {
		{ v, 3, 0 }, { v, 3, 0 }, { v, 1, 0 }, { v, 0, 0 }
	};
	struct sample_boot head[] = {
		{ v, 3, 0 }, { v, 2, 0 }, { v, 3, 0 }, { v, 3, 0 }
	};
	struct sample_boot odd[] = { { bad, 2, 0 },
				     { inf, 2, 0 },
				     { zero, 2, 0 } };
	struct sample_boot more[3];
	double yb[4], yh[4];
	size_t block[4];
	struct sample_kept k = { .base = yb, .head = yh, .block = block };
	struct err e = ERR_INIT;

	is_int(sample_planned(base, 4), 3, "planned is the most completed");
	sample_paired(base, head, 4, 3, false, &k);
	is_int(k.n_base, 2, "one of three and none of three are too few");
	is_int(k.dropped, 2, "both boots of these blocks go");
	is_int(block[1], 1, "the kept block is known");
	is_near(yb[0], log(2), 1e-15, "mean of ln");
	is_near(yb[1], log(2) / 2, 1e-15,
		"only iterations that both completed count");
	ok(yb[1] == yh[1], "on both sides");
	for (size_t i = 0; i < 2; i++)
		more[i] = (struct sample_boot){ v, 5 - 2 * i, 5 - 2 * i };
	more[2] = (struct sample_boot){ v, 1, 3 };
	sample_paired(more, more, 3, 5, false, &k);
	is_int(k.n_base, 2, "each by what was asked of it");
	is_int(block[1], 1, "a whole boot of three stands beside one of five");
	sample_paired(base, head, 4, 3, false, &k);
	sample_unpaired(base, 4, head, 4, 3, true, &k);
	is_int(k.n_base, 2, "unpaired: each boot by itself");
	is_int(k.n_head, 4, "unpaired: unequal n");
	is_near(yh[1], 1.5, 1e-15, "linear mean");
	is_int(sample_check(odd, 1, "base", &e), -1, "NaN is refused");
	is_str(e.msg,
	       "base: boot 1, iteration 2 is not a number of a size "
	       "from 1e-150 to 1e150",
	       "and named");
	is_int(sample_check(odd + 1, 1, "base", &e), -1, "so is infinity");
	is_int(sample_check(odd + 2, 1, "base", &e), 0, "zero is a number");
	ok(sample_usable(-1e150) && sample_usable(1e-150), "large and small");
	ok(!sample_usable(1e151) && !sample_usable(-1e-151),
	   "but not so that squares overflow or vanish");
	ok(sample_not_positive(odd + 2, 1), "that has no logarithm");
	ok(!sample_not_positive(base, 4), "positive values have");
	ok(sample_percent_unit("%") && sample_percent_unit("idle%") &&
		   sample_percent_unit("percent"),
	   "percent units");
	ok(!sample_percent_unit("ops/s") && !sample_percent_unit(NULL) &&
		   !sample_percent_unit(""),
	   "other units");
}

static void moments(void)
{
	static const double far[] = { 1e12 + .001, 1e12 + .002, 1e12 + .003 };
	static const double same[] = { .1, .1, .1 };
	struct sample_moments m = sample_moments(far, NULL, 3);

	is_near(m.sd, .001, 1e-4, "1e12 and a spread of 1e-3");
	is_near(m.mean - 1e12, .002, 1e-3, "and its mean");
	ok(sample_moments(same, NULL, 3).sd == 0, "all equal: no spread");
	ok(isnan(sample_moments(same, NULL, 1).sd), "one boot: none known");
	ok(isnan(sample_moments(same, NULL, 0).mean), "no boot: no mean");
}

static void sleep_paired(void)
{
	struct estimate s;
	struct interval ci;

	estimate_paired(SLEEP_2, SLEEP_1, NULL, 10, true, &s);
	is_near(s.t, -4.062127683, 5e-10, "sleep: paired t");
	is_near(s.p, .002832890, 5e-10, "sleep: p");
	ci = estimate_ci(D, &s, .95);
	is_near(ci.lo, -2.45988576, 5e-9, "sleep: CI low");
	is_near(ci.hi, -.70011424, 5e-9, "sleep: CI high");
	estimate_welch(SLEEP_2, 10, SLEEP_1, 10, true, &s);
	is_near(s.t, -1.860813467, 5e-10, "sleep: Welch t");
	is_near(s.df, 17.77647352, 5e-9, "sleep: Welch df");
	is_near(s.p, .07939414, 5e-9, "sleep: Welch p");
	ci = estimate_ci(D, &s, .95);
	is_near(ci.lo, -3.36548323, 5e-9, "sleep: Welch CI low");
	is_near(ci.hi, .20548323, 5e-9, "sleep: Welch CI high");
}

static void logs(const double *v, size_t n, double *y)
{
	for (size_t i = 0; i < n; i++)
		y[i] = log(v[i]);
}

static void log_welch(void)
{
	double b[10], h[10];
	struct estimate s;
	struct interval ci;

	logs(PLANT_CTRL, 10, b);
	logs(PLANT_TRT1, 10, h);
	estimate_welch(b, 10, h, 10, false, &s);
	is_near(s.t, -1.299551567, 5e-10, "PlantGrowth: t");
	is_near(s.df, 16.0308466, 5e-8, "PlantGrowth: df");
	is_near(s.p, .21213307, 5e-9, "PlantGrowth: p");
	is_near(estimate_percent(&s, s.diff), -7.984708, 5e-7,
		"PlantGrowth: change");
	ci = estimate_percents(&s, estimate_ci(D, &s, .95));
	is_near(ci.lo, -19.663014, 5e-7, "PlantGrowth: CI low");
	is_near(ci.hi, 5.391232, 5e-7, "PlantGrowth: CI high");

	logs(MAIL2_BEFORE, 3, b);
	logs(MAIL2_AFTER, 3, h);
	estimate_welch(b, 3, h, 3, false, &s);
	is_near(estimate_percent(&s, s.diff), .635781, 5e-7, "mail: change");
	is_near(s.t, 1.452592, 5e-7, "mail: t");
	is_near(s.df, 2.461478, 5e-7, "mail: df");
	is_near(s.p, .260851, 5e-7, "mail: p");
	ci = estimate_percents(&s, estimate_ci(D, &s, .95));
	is_near(ci.lo, -.939025, 5e-7, "mail: CI low");
	is_near(ci.hi, 2.235623, 5e-7, "mail: CI high");
	is_near(estimate_shown(&s, s.base), 2325538.00317, 1e-4,
		"mail: the mean shown is geometric");
	is_near(s.base_sd, .00715041342356808, 1e-14, "mail: sd of ln");
}

/* R: lm(d ~ order) on eight blocks, balanced and with one AB too many */
static void positions(void)
{
	static const double base[] = { 10.1, 10.3, 9.8,	  10.0,
				       10.2, 9.9,  10.05, 10.4 };
	static const double head[] = { 10.6,  10.2, 10.3, 9.9,
				       10.75, 9.85, 10.5, 10.3 };
	static const signed char even[] = { 1, -1, 1, -1, 1, -1, 1, -1 };
	static const signed char odd[] = { 1, -1, 1, -1, 1, -1, 1, 1 };
	static const signed char one[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	double b[8], h[8];
	struct estimate s;

	logs(base, 8, b);
	logs(head, 8, h);
	estimate_paired(b, h, NULL, 8, false, &s);
	is_near(s.t, 1.839624595975, 1e-11, "without order: t");
	is_near(s.df, 7, 0, "without order: 7 df");
	ok(isnan(s.position), "without order: no effect of it");
	estimate_paired(b, h, even, 8, false, &s);
	is_int(s.method, ESTIMATE_ORDERED, "a strong effect is taken out");
	is_near(s.diff, .0199836275130700, 1e-14, "adjusted difference");
	is_near(s.se, .00108844202226721, 1e-14, "adjusted SE");
	is_near(s.df, 6, 0, "costs one df");
	is_near(s.position, .0286165584298576, 1e-14, "second minus first");
	is_near(s.position_se, .00108844202226721, 1e-14, "its SE");
	is_near(s.position_p / 1.99791603295300e-07, 1, 1e-9, "its p");
	is_near(s.sd, .00307857893949419, 1e-14, "residual sd");
	estimate_paired(b, h, odd, 8, false, &s);
	is_near(s.position, .0226188520785662, 1e-14, "not balanced: effect");
	is_near(s.position_p, .0279694237948849, 1e-12, "its p");
	is_int(s.method, ESTIMATE_PAIRED, "p of .03 does not choose");
	h[7] = log(10.9);
	estimate_paired(b, h, odd, 8, false, &s);
	is_int(s.method, ESTIMATE_ORDERED, "not balanced: a strong one does");
	is_near(s.diff, .0199908038933793, 1e-14, "the difference shifts");
	is_near(s.se, .00113151078074172, 1e-14, "its SE");
	estimate_paired(b, h, one, 8, false, &s);
	is_int(s.method, ESTIMATE_PAIRED, "one order only: not separable");
	ok(isnan(s.position), "and none is claimed");
}

static void components(void)
{
	static const double v[][4] = { { 10, 10.2, 9.9, 0 },
				       { 10.8, 11, 10.9, 0 },
				       { 9.5, 9.4, 9.7, 9.6 },
				       { 10.1, 10.3, 10.2, 0 } };
	struct sample_boot even[] = { { v[0], 3, 0 },
				      { v[1], 3, 0 },
				      { v[2], 3, 0 },
				      { v[3], 3, 0 },
				      { v[0], 0, 0 } };
	struct sample_boot odd[] = { { v[0], 3, 0 },
				     { v[1], 2, 0 },
				     { v[2], 4, 0 } };
	struct sample_boot single[] = { { v[0], 1, 0 }, { v[1], 1, 0 } };
	struct variance a = variance_components(even, 5, true);

	is_int(a.boots, 4, "a failed boot does not count");
	is_near(a.boot, .313703703703704, 1e-12, "between boots");
	is_near(a.iteration, .0166666666666667, 1e-12, "within a boot");
	is_near(a.p / 9.3469e-06, 1, 1e-4, "boots differ: F test");
	is_int(variance_best_iterations(&a, 60, 1, 20), 2,
	       "few iterations when boots differ most");
	is_int(variance_best_iterations(&a, 6000, 1, 10), 10, "up to max");
	is_int(variance_best_iterations(&a, 1, 60, 10), 1, "at least one");
	a = variance_components(odd, 3, true);
	is_near(a.boot, .41423076923077, 1e-12, "unequal iterations");
	is_near(a.iteration, .0194444444444443, 1e-12, "their own spread");
	is_near(a.p / 9.58931657842096e-05, 1, 1e-8, "their F test");
	a = variance_components(single, 2, true);
	ok(isnan(a.iteration), "one iteration each tells nothing within");
	is_int(variance_best_iterations(&a, 60, 1, 7), 7, "so take max");
	a = variance_pooled(even, 5, odd, 3, true);
	is_int(a.boots, 7, "both sides pooled");
}

static void edges(void)
{
	static const double same[] = { 5, 5, 5, 5, 5, 5 };
	static const double more[] = { 6, 6, 6, 6, 6, 6 };
	static const double two[] = { 5, 7 };
	struct estimate s;

	estimate_paired(same, more, NULL, 0, true, &s);
	ok(isnan(s.diff) && isnan(s.p), "n = 0: nothing");
	estimate_paired(same, more, NULL, 1, true, &s);
	ok(s.diff == 1 && isnan(s.se) && isnan(s.p), "n = 1: a difference");
	estimate_paired(same, two, NULL, 2, true, &s);
	is_near(s.df, 1, 0, "n = 2: one df");
	is_near(s.p, .5, 1e-12, "n = 2: p");
	estimate_paired(same, same, NULL, 6, true, &s);
	ok(s.exact && s.diff == 0 && s.p == 1, "all equal: exact, no change");
	ok(isnan(estimate_ci(D, &s, .95).lo), "exact has no interval");
	estimate_paired(same, more, NULL, 6, true, &s);
	ok(s.exact && s.p == 1. / 32, "exact change: p = 2^(1-n)");
	estimate_welch(same, 3, more, 3, true, &s);
	ok(s.exact, "exact, unpaired");
	is_near(s.p, 2. / 20, 1e-15, "counts choices: 2 of 20");
	estimate_welch(same, 3, more, 4, true, &s);
	is_near(s.p, 1. / 35, 1e-15, "unequal n: 1 of 35");
	estimate_welch(same, 1, more, 4, true, &s);
	ok(isnan(s.p) && s.diff == 1, "one boot on a side: no test");
	estimate_welch(same, 0, more, 4, true, &s);
	ok(isnan(s.base) && s.head == 6, "missing on one side");
	estimate_welch(same, 4, two, 2, true, &s);
	is_near(s.df, 1, 1e-12, "spread on one side only");
}

int main(void)
{
	D = dist_new(1);
	distributions();
	seeded();
	boots();
	moments();
	sleep_paired();
	log_welch();
	positions();
	components();
	edges();
	dist_free(D);
	return done_testing();
}
