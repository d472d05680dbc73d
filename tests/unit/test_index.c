// SPDX-License-Identifier: GPL-3.0-or-later
#include "index.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <unistd.h>

static struct index_run run(const char *box, const char *lease,
			    const char *kernel, int64_t start)
{
	struct index_run r = { .start_s = start, .outcome = OUTCOME_FAILED,
			       .stable = true, .iterations = 3, .bytes = 1LL
								 << 40 };

	r.box = (char *)box;
	r.lease = (char *)lease;
	r.kernel = (char *)kernel;
	r.kernel_id = (char *)"feedbeef";
	r.experiment = (char *)"x1";
	return r;
}

struct seen {
	struct buf text;
	double v[8];
	size_t n;
	bool per_run;
};

static int see(void *arg, const struct index_stat *s, struct err *e)
{
	struct seen *seen = arg;

	buf_printf(&seen->text, "%s[%s] ", s->name, s->unit);
	for (size_t i = 0; i < s->n && i < 8; i++)
		seen->v[i] = s->value[i];
	seen->n = s->n;
	seen->per_run = s->per_run;
	return buf_ok(&seen->text, e);
}

static int line(void *arg, const char *text, struct err *e)
{
	buf_printf(arg, "%s\n", text);
	return buf_ok(arg, e);
}

static void add(struct index *x, struct index_run *r, const char *stat,
		double v)
{
	const double value[] = { v, NAN, 3 };
	const struct index_stat s = { stat, "ops/s", INDEX_HIGHER, false,
				      value, 3, 0 };
	const struct index_stat t = { "agent.cpu_us_per_s", "us/s",
				      INDEX_LOWER, true, value, 1, 0 };
	struct err e = ERR_INIT;

	ok(!index_add(x, r, &e) && !index_add_stat(x, r->id, &s, &e) &&
		   !index_add_stat(x, r->id, &t, &e),
	   "added %s %s%s", r->lease, stat, e.msg);
}

static void test_stats(struct index *x, int64_t id)
{
	struct seen seen = { 0 };
	struct err e = ERR_INIT;

	ok(!index_stats(x, id, NULL, see, &seen, &e), "all stats");
	is_str(buf_str(&seen.text), "a.ops[ops/s] agent.cpu_us_per_s[us/s] ",
	       "names and units");
	ok(seen.per_run && seen.n == 1, "one of the run as a whole");
	buf_reset(&seen.text);
	ok(!index_stats(x, id, "a.ops", see, &seen, &e) && seen.n == 3 &&
		   isnan(seen.v[1]),
	   "by name; a missing iteration is NAN");
	is_near(seen.v[0], 1.5, 0, "the value, bit for bit");
	buf_reset(&seen.text);
	ok(!index_stats(x, id, "b*", see, &seen, &e), "by a glob");
	is_str(buf_str(&seen.text), "", "that matches nothing");
	buf_free(&seen.text);
}

static void test_find(struct index *x)
{
	struct index_run r;
	struct index_runs runs;
	struct buf name = { 0 };
	struct err e = ERR_INIT;

	ok(!index_find(x, "@latest", &r, &e), "latest");
	is_str(r.lease, "abd0", "is the newest");
	is_int(r.bytes, 1LL << 40, "big numbers survive");
	index_run_free(&r);
	ok(index_find(x, "ab", &r, &e) && e.kind == ERR_CONFLICT,
	   "an ambiguous prefix: %s", e.msg);
	ok(!index_find(x, "some/where/bx.abc0.tar.lz4", &r, &e), "by file");
	is_str(r.kernel, "v6.1", "the right one");
	index_run_free(&r);
	ok(index_find(x, "zz", &r, &e) && e.kind == ERR_NOTFOUND, "none");
	ok(index_find(x, "", &r, &e) && e.kind == ERR_NOTFOUND, "empty");

	ok(!index_kernel(x, "v6.1", &name, &e), "a kernel's exact name wins");
	is_str(buf_str(&name), "v6.1", "over v6.10");
	buf_reset(&name);
	ok(index_kernel(x, "v6", &name, &e) && e.kind == ERR_CONFLICT, "%s",
	   e.msg);
	buf_reset(&name);
	ok(index_kernel(x, "v7", &name, &e) && e.kind == ERR_NOTFOUND, "%s",
	   e.msg);
	buf_free(&name);

	ok(!index_runs(x, &(struct index_query){ .kernel = "v6.1",
						 .box = "b1",
						 .experiment = "x1",
						 .outcome = "failed" },
		       &runs, &e) && runs.n == 1,
	   "by kernel, box, experiment and outcome");
	is_str(runs.v[0].prev_kernel, "", "no string is NULL");
	is_int(runs.v[0].outcome, OUTCOME_FAILED, "outcome");
	index_runs_free(&runs);
	ok(!index_runs(x, &(struct index_query){ .limit = 1 }, &runs, &e) &&
		   runs.n == 1 && !strcmp(runs.v[0].lease, "abd0"),
	   "the newest one");
	index_runs_free(&runs);
}

int main(void)
{
	struct index_run a = run("b1", "abc0", "v6.1", 100);
	struct index_run b = run("b1", "abd0", "v6.10", 200);
	struct buf one = { 0 }, two = { 0 };
	struct index *x, *reader;
	struct err e = ERR_INIT;

	scratch_open();
	ok(index_open_read(scratch_dir, &x, &e) && e.kind == ERR_NOTFOUND,
	   "no index yet: %s", e.msg);
	ok(!index_open(scratch_dir, &x, &e), "made %s", e.msg);
	ok(!index_begin(x, &e), "begin");
	add(x, &a, "a.ops", 1.5);
	add(x, &b, "b.ops", 2.5);
	ok(!index_open_read(scratch_dir, &reader, &e) &&
		   !index_has(reader, "b1", "abc0"),
	   "not seen before the commit");
	ok(!index_commit(x, &e), "commit");
	ok(index_has(reader, "b1", "abc0") && !index_has(reader, "b2", "abc0"),
	   "seen behind it");
	test_stats(reader, a.id);
	test_find(x);
	ok(!index_dump(x, line, &one, &e), "dump");

	ok(!index_begin(x, &e), "begin");
	add(x, &a, "rolled.back", 1);
	index_rollback(x);
	ok(!index_begin(x, &e), "begin");
	add(x, &a, "a.ops", 1.5);
	ok(!index_commit(x, &e) && !index_dump(x, line, &two, &e),
	   "the same again");
	is_str(buf_str(&two), buf_str(&one), "replaces; nothing is doubled");
	ok(!index_remove(x, "b1", "abc0", &e) && !index_has(x, "b1", "abc0"),
	   "removed");
	index_close(reader);
	index_close(x);
	ok(!index_delete(scratch_dir, &e) &&
		   index_open_read(scratch_dir, &x, &e),
	   "index deleted");
	buf_free(&one);
	buf_free(&two);
	return scratch_end();
}
