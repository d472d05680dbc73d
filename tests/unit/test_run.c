// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"
#include "tap.h"

#define LEASE "0123456789abcdef0123456789abcdef"

static int parse(const char *line, struct lease *l, char *kernel)
{
	struct proto_words w;
	struct err e = ERR_INIT;

	if (proto_split(line, &w, &e))
		return -2;
	return run_parse(&w, l, kernel, &e);
}

int main(void)
{
	char kernel[PROTO_LINE];
	struct lease l;

	is_int(parse("run " LEASE " lock1 v6.1:ab 2 exp1 3 1", &l, kernel), 0,
	       "a lease of a plan");
	is_str(l.id, LEASE, "its id");
	is_str(l.job, "lock1", "job");
	is_str(kernel, "v6.1:ab", "kernel");
	is_str(l.experiment, "exp1", "experiment");
	ok(l.attempt == 2 && l.block == 3 && l.position == 1, "numbers");
	is_int(parse("run " LEASE " lock1 - 1 - 0 0", &l, kernel), 0,
	       "outside of a plan");
	is_str(l.experiment, "", "no experiment");
	is_int(parse("run " LEASE " lock1 - 1 - 0", &l, kernel), -1,
	       "a word is missing");
	is_int(parse("run 0123 lock1 - 1 - 0 0", &l, kernel), -1, "no lease");
	is_int(parse("run " LEASE " ../job - 1 - 0 0", &l, kernel), -1,
	       "a path for a job");
	is_int(parse("run " LEASE " job - -1 - 0 0", &l, kernel), -1,
	       "a negative attempt");
	return done_testing();
}
