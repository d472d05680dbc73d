/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PLANORDER_H
#define IRONRIG_PLANORDER_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PLAN_KERNELS_MAX = 16, /* of one experiment; more is no A/B */
	PLAN_BUILDS_MAX = 16,  /* of one kernel */
};

/*
 * The kernel (0..k-1) at position (1..k) of the n-th kept block (0..).
 * splitmix64 over seed and n / k; Fisher-Yates; then the rotations of that
 * permutation in random order.
 */
int plan_order(uint64_t seed, int k, int n, int position);

/*
 * The build (0..m-1) of that kernel in the n-th kept block. In every m blocks
 * each build comes once, in every k * m once at each of the kernel's
 * positions, at random otherwise, and for each kernel by itself.
 */
int plan_build(uint64_t seed, int k, int kernel, int m, int n);

#endif
