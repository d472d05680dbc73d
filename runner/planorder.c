// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Chance in a plan: which kernel has which position in a block, and which of
 * its builds. All of it follows from the experiment's seed. What the blocks
 * are is planslot.c's.
 */
#include "planorder.h"

#include <string.h>

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15; /* splitmix64, Steele 2014 */

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* 0..n-1; n is at most 256: the bias is below 1e-16 */
static int draw_below(int n, uint64_t *state)
{
	return (int)(draw(state) % (uint64_t)n);
}

static void shuffle(int *v, int k, uint64_t *state)
{
	for (int i = 0; i < k; i++)
		v[i] = i;
	for (int i = k - 1; i > 0; i--) {
		int j = draw_below(i + 1, state), t = v[i];

		v[i] = v[j];
		v[j] = t;
	}
}

int plan_order(uint64_t seed, int k, int n, int position)
{
	int perm[PLAN_KERNELS_MAX], turn[PLAN_KERNELS_MAX];
	uint64_t state = seed;

	/* a stream of its own for each group of k blocks */
	state = draw(&state) ^ (uint64_t)(n / k);
	shuffle(perm, k, &state);
	shuffle(turn, k, &state);
	return perm[(position - 1 + turn[n % k]) % k];
}

/* ---- builds -------------------------------------------------------------- */

/*
 * A cycle is k rounds of m blocks. A round holds each build once, and so does
 * each of the kernel's k positions over the whole cycle: a build takes one
 * block of each round, at k different positions. That there is always such a
 * choice is Koenig's theorem: rounds and positions, joined by the blocks, are
 * a regular bipartite graph, which falls apart into m perfect matchings.
 */
struct cycle {
	int k, m;
	signed char place[PLAN_KERNELS_MAX * PLAN_BUILDS_MAX]; /* -1: given */
	int left[PLAN_KERNELS_MAX][PLAN_KERNELS_MAX]; /* by round, place */
	int round_of[PLAN_KERNELS_MAX]; /* the matching: place -> round, -1 */
};

static void lay_out(struct cycle *c, uint64_t seed, int kernel, int first)
{
	for (int i = 0; i < c->k * c->m; i++)
		for (int p = 0; p < c->k; p++)
			if (plan_order(seed, c->k, first + i, p + 1) ==
			    kernel) {
				c->place[i] = (signed char)p;
				c->left[i / c->m][p]++;
			}
}

/* Kuhn's augmenting path from a round; order is that in which to look. */
static bool match(struct cycle *c, int round, const int *order, bool *seen)
{
	for (int i = 0; i < c->k; i++) {
		int p = order[i];

		if (!c->left[round][p] || seen[p])
			continue;
		seen[p] = true;
		if (c->round_of[p] >= 0 &&
		    !match(c, c->round_of[p], order, seen))
			continue;
		c->round_of[p] = round;
		return true;
	}
	return false;
}

/* One of the blocks of that round and place that have no build yet. */
static int take(struct cycle *c, int round, int place, uint64_t *state)
{
	int skip = draw_below(c->left[round][place]--, state);
	int i = round * c->m;

	while (c->place[i] != place || skip-- > 0)
		i++;
	c->place[i] = -1;
	return i;
}

int plan_build(uint64_t seed, int k, int kernel, int m, int n)
{
	struct cycle c = { .k = k, .m = m };
	int build[PLAN_BUILDS_MAX], order[PLAN_KERNELS_MAX];
	int first = n - n % (k * m), found = 0;
	uint64_t state = seed;

	if (m < 2)
		return 0;
	/* a stream of its own for each kernel and cycle, none of the order's */
	state = draw(&state) ^ (uint64_t)(n / (k * m)) ^
		(uint64_t)(kernel + 1) << 32;
	lay_out(&c, seed, kernel, first);
	shuffle(build, m, &state);
	for (int b = 0; b < m; b++) {
		memset(c.round_of, -1, sizeof(c.round_of));
		shuffle(order, k, &state);
		for (int r = 0; r < k; r++) {
			bool seen[PLAN_KERNELS_MAX] = { false };

			if (!match(&c, r, order, seen))
				return 0; /* cannot be: see above */
		}
		for (int p = 0; p < k; p++)
			if (take(&c, c.round_of[p], p, &state) == n - first)
				found = build[b];
	}
	return found;
}
