// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * compare_data HOME KERNELS BOOTS STATS [OTHERS]: an index as collect would
 * have made it, of experiment "x" with KERNELS kernels k1, k2, … of BOOTS
 * blocks and STATS stats each, and of OTHERS more runs of other kernels. The
 * numbers are pseudo-random, the same in every run.
 */
#include "index.h"
#include "num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITERATIONS 3

static uint64_t state = 1;

static double noise(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 40) / (1 << 24) - .5;
}

static int add_run(struct index *x, const char *kernel, const char *experiment,
		   int block, int position, int serial, long stats,
		   struct err *e)
{
	char lease[40], name[64];
	struct index_run r = {
		.box = (char *)"box1",
		.group = (char *)"boxes",
		.job = (char *)"bench",
		.testcase = (char *)"scale",
		.kernel = (char *)kernel,
		.experiment = (char *)experiment,
		.lease = lease,
		.params_path = (char *)"thread-1",
		.block = block,
		.position = position,
		.stable = true,
		.iterations = ITERATIONS,
		.planned = ITERATIONS,
		.start_s = serial,
		.boot_mode = (char *)"kexec",
	};
	double luck = 1 + .01 * noise();
	int rc;

	snprintf(lease, sizeof(lease), "%032x", serial);
	rc = strlist_add(&r.primary, "scale.ops", e);
	if (!rc)
		rc = index_add(x, &r, e);
	for (long i = 0; !rc && i < stats; i++) {
		double v[ITERATIONS];
		struct index_stat s = { name,  "ops/s", INDEX_HIGHER,
					false, v,	ITERATIONS, 0 };

		snprintf(name, sizeof(name), "bench.some.name.of.a.stat.%05ld",
			 i);
		if (!i)
			s.name = "scale.ops";
		for (int k = 0; k < ITERATIONS; k++)
			v[k] = (double)(1000 + i) * luck * (1 + .01 * noise());
		rc = index_add_stat(x, r.id, &s, e);
	}
	strlist_free(&r.primary);
	return rc;
}

static int fill(struct index *x, const long n[4], struct err *e)
{
	char kernel[32];
	int serial = 1;

	if (index_begin(x, e))
		return -1;
	for (long b = 1; b <= n[1]; b++)
		for (long k = 0; k < n[0]; k++) {
			snprintf(kernel, sizeof(kernel), "k%ld", k + 1);
			if (add_run(x, kernel, "x", (int)b,
				    (int)((k + b) % n[0]) + 1, serial++, n[2],
				    e))
				return -1;
		}
	for (long i = 0; i < n[3]; i++) {
		snprintf(kernel, sizeof(kernel), "other%ld", i % 100);
		if (add_run(x, kernel, "", 0, 0, serial++, 20, e))
			return -1;
	}
	return index_commit(x, e);
}

int main(int argc, char **argv)
{
	long n[4] = { 0, 0, 0, 0 };
	struct err e = ERR_INIT;
	struct index *x;
	int rc;

	if (argc < 5 || argc > 6)
		return 2;
	for (int i = 2; i < argc; i++)
		n[i - 2] = strtol(argv[i], NULL, 10);
	rc = index_open(argv[1], &x, &e);
	if (!rc) {
		rc = fill(x, n, &e);
		index_close(x);
	}
	if (rc)
		fprintf(stderr, "compare_data: %s\n", e.msg);
	return rc ? 1 : 0;
}
