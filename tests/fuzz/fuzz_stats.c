// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Every extractor on anything: the first byte says which one, the second in
 * pieces of which size. Whatever comes out must be a finite number with a name
 * of one word, and must not depend on the pieces.
 */
#include "fuzz.h"
#include "../../runner/stats/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct sum {
	unsigned int n;
	double total;
};

static int sink(void *arg, const struct stat_value *v, struct err *e)
{
	struct sum *s = arg;

	(void)e;
	require(isfinite(v->value) && v->run >= 0 && v->unit);
	require(*v->name && !strpbrk(v->name, " \t\r\n"));
	s->n++;
	s->total += v->value;
	return 0;
}

static int feed(const struct stat_extractor *x, const uint8_t *p, size_t n,
		size_t piece, struct sum *s)
{
	static const struct stat_window w[] = { { 10, 20 }, { 30, 3000 } };
	struct stat_out out = { .sink = sink, .arg = s };
	struct err e = ERR_INIT;
	struct stat_feed *f;
	int rc = 0;

	*s = (struct sum){ 0, 0 };
	require(!stat_feed_new(x, "fuzz", w, piece % 2 ? 2 : 0, &out, &f,
			       &e));
	for (size_t i = 0; !rc && i < n; i += piece)
		rc = stat_feed_add(f, p + i, n - i < piece ? n - i : piece,
				   &e);
	if (!rc)
		rc = stat_feed_end(f, &e);
	stat_feed_free(f);
	require(!rc || (e.kind && *e.msg));
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sum once, pieces;
	size_t n = 0, piece;
	int a, b;

	while (stats_table[n].name)
		n++;
	if (size < 2 || size > 65536)
		return 0;
	/* the same parity, so that both have the same windows */
	piece = (size_t)data[1] | 1;
	a = feed(&stats_table[data[0] % n], data + 2, size - 2, 65537, &once);
	b = feed(&stats_table[data[0] % n], data + 2, size - 2, piece,
		 &pieces);
	require(a == b);
	if (!a)
		require(once.n == pieces.n &&
			(fabs(once.total - pieces.total) <=
				 1e-9 * fabs(once.total) ||
			 fabs(once.total) > 1e300));
	return 0;
}
