// SPDX-License-Identifier: GPL-3.0-or-later
#include "result.h"
#include "tap.h"

static struct err e;

#define LEASE "00112233445566778899aabbccddeeff"
#define ID    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct result_iter iter[2] = {
	{ .number = 1,
	  .warmup = true,
	  .start_ns = 5000000000,
	  .end_ns = 35000000001,
	  .utime_us = 1,
	  .stime_us = 2,
	  .maxrss_kb = 3,
	  .minflt = 4,
	  .majflt = 5,
	  .inblock = 6,
	  .oublock = 7,
	  .nvcsw = 8,
	  .nivcsw = 9,
	  .cgroup_cpu_us = -1 },
	{ .number = 2,
	  .profile = true,
	  .exit_code = -1,
	  .signal = 9,
	  .timed_out = true,
	  .output_cut = true,
	  .start_ns = INT64_MAX - 1,
	  .end_ns = INT64_MAX,
	  .cgroup_cpu_us = 12345678901 },
};
static struct result_knob knob[1] = {
	{ "governor", "0-287", "performance", "powersave", "performance", 16,
	  true, true },
};
static struct result_proof proof[2] = {
	{ "steal", "1", "2", true, false },
	{ "thermal_throttle", NULL, NULL, false, true },
};
static const struct result full = {
	.box = "vbox1",
	.group = "virtual",
	.job = "lock1-threads",
	.testcase = "scale",
	.params_path = "100%-thread-lock1-performance",
	.kernel = "v6.1",
	.kernel_id = ID,
	.build_id = "00ff",
	.release = "6.1.0-18-amd64",
	.boot_id = "01234567-89ab-cdef-0123-456789abcdef",
	.lease = LEASE,
	.experiment = "ab1",
	.block = 3,
	.position = 1,
	.attempt = 2,
	.boot_mode = "kexec",
	.prev_kernel = "6.1.0",
	.agent = "1.0",
	.start_s = 1700000000,
	.end_s = 4700000000,
	.cpus_online = 288,
	.memory_kb = UINT64_MAX,
	.cpu_model = "Intel(R) \"Xeon\" Phi\\TM",
	.outcome = OUTCOME_TIMEOUT,
	.reason = "iteration 2: \303\251 limit",
	.stable = true,
	.agent_cpu_us = 77,
	.iter = iter,
	.niter = 2,
	.knob = knob,
	.nknob = 1,
	.proof = proof,
	.nproof = 2,
};

static void test_round_trip(void)
{
	struct buf text = { 0 }, again = { 0 };
	struct result r;

	ok(!result_write(&full, &text, &e), "written");
	if (!ok(!result_parse(text.data, "f", &r, &e), "read"))
		printf("# %s\n%s", e.msg, text.data);
	ok(!result_write(&r, &again, &e), "written again");
	is_str(again.data, text.data, "the same text");
	is_str(r.cpu_model, full.cpu_model, "quotes and backslashes");
	is_str(r.reason, full.reason, "UTF-8");
	ok(r.memory_kb == UINT64_MAX && r.end_s == full.end_s &&
		   r.outcome == OUTCOME_TIMEOUT && r.stable &&
		   r.cpus_online == 288 && r.position == 1,
	   "numbers");
	ok(r.niter == 2 && !memcmp(&r.iter[0], &iter[0], sizeof(iter[0])) &&
		   !memcmp(&r.iter[1], &iter[1], sizeof(iter[1])),
	   "iterations");
	ok(r.nknob == 1 && r.knob[0].sys == 16 && r.knob[0].held &&
		   r.knob[0].required && !strcmp(r.knob[0].cpus, "0-287"),
	   "knobs");
	ok(r.nproof == 2 && !r.proof[1].before && !r.proof[0].ok &&
		   r.proof[1].ok && !r.proof[1].known,
	   "proofs");
	result_free(&r);
	result_free(&r);
	buf_free(&text);
	buf_free(&again);
}

static void test_least(void)
{
	struct result r, lost = { .box = "b",
				  .job = "j",
				  .lease = LEASE,
				  .kernel = "",
				  .reason = "two\nlines\033[31m",
				  .outcome = OUTCOME_LOST };
	struct buf text = { 0 };

	ok(!result_write(&lost, &text, &e) &&
		   !result_parse(text.data, "f", &r, &e),
	   "a lost run needs little");
	ok(!r.kernel && !r.boot_id && !r.niter, "the rest is not known");
	is_str(r.reason, "two lines [31m", "no control character gets through");
	result_free(&r);
	buf_free(&text);
}

static const char head[] = "box=\"b\"; job=\"j\"; lease=\"" LEASE "\";\n";

static const char *refuse(const char *more, bool with_head)
{
	struct buf text = { 0 };
	struct result r;
	int rc;

	if (with_head)
		buf_puts(&text, head);
	buf_puts(&text, more);
	rc = result_parse(text.data, "r", &r, &e);
	buf_free(&text);
	ok(rc == -1 && e.kind == ERR_FORMAT && !r.box && !r.iter,
	   "refused, and nothing left: %.40s", more);
	return e.msg;
}

static void test_refused(void)
{
	struct buf text = { 0 };

	is_str(refuse("outcome = \"good\";", true),
	       "r:2: outcome: \"good\", expected one of ok, failed, timeout, "
	       "refused, crashed, lost, aborted",
	       "says where and what");
	is_str(refuse("", true),
	       "r: outcome: missing, expected one of ok, failed, timeout, "
	       "refused, crashed, lost, aborted",
	       "and what is missing");
	refuse("", false);
	refuse("outcome = \"ok\"; kernel = \"../../etc\";", true);
	refuse("outcome = \"ok\"; params_path = \"a/b\";", true);
	refuse("outcome = \"ok\"; params_path = \"..\";", true);
	refuse("outcome = \"ok\"; boot_id = \"x\";", true);
	refuse("outcome = \"ok\"; block = -1;", true);
	refuse("outcome = \"ok\"; block = \"1\";", true);
	refuse("outcome = \"ok\"; iterations = ( 1 );", true);
	refuse("outcome = \"ok\"; iterations = ( { signal = 900; } );", true);
	refuse("outcome = \"ok\"; start_s = 99999999999999999999L;", true);
	refuse("@include \"/etc/passwd\"\n", true);
	refuse("box = \"b\"", true);
	refuse("a = ((((((((((1))))))))));", true);
	buf_puts(&text, head);
	buf_puts(&text, "x = [");
	for (int i = 0; i < 10001; i++)
		buf_puts(&text, "1,");
	refuse(text.data, false);
	buf_reset(&text);
	for (int i = 0; i < 200000; i++)
		buf_printf(&text, "a%d=1;", i);
	is_str(refuse(text.data, false), "r: longer than 1048576 bytes",
	       "too long");
	text.data[1000000] = '\0';
	is_str(refuse(text.data, false),
	       "r:1: a256: more than 256 keys in this group",
	       "too many keys: libconfig would search them linearly");
	buf_free(&text);
}

static void test_later(void)
{
	struct buf text = { 0 };
	struct result r;

	buf_printf(&text, "%soutcome = \"ok\"; mood = { good = 1; };", head);
	ok(!result_parse(text.data, "r", &r, &e),
	   "keys of a later agent are passed over");
	result_free(&r);
	buf_free(&text);
}

static void test_names(void)
{
	char one[LEASE_LEN + 1], two[LEASE_LEN + 1];
	struct buf name = { 0 };
	enum outcome o;

	ok(!lease_new(one, &e) && !lease_new(two, &e), "two leases");
	ok(lease_ok(one) && lease_ok(two) && strcmp(one, two) != 0,
	   "right and different");
	ok(!lease_ok("") && !lease_ok(LEASE "0") &&
		   !lease_ok("00112233445566778899AABBCCDDEEFF"),
	   "wrong ones");
	ok(boot_id_ok("01234567-89ab-cdef-0123-456789abcdef") &&
		   !boot_id_ok("01234567-89ab-cdef-0123-456789abcdef\n") &&
		   !boot_id_ok("01234567089ab-cdef-0123-456789abcdef") &&
		   !boot_id_ok(""),
	   "boot_id");
	ok(!result_file_name("vbox1", LEASE, &name, &e), "file name");
	is_str(buf_str(&name), "vbox1." LEASE ".tar.lz4", "is that");
	ok(result_file_name("../x", LEASE, &name, &e) == -1 &&
		   result_file_name("x", "1", &name, &e) == -1,
	   "not of anything");
	for (int i = OUTCOME_OK; i <= OUTCOME_ABORTED; i++)
		ok(!outcome_parse(outcome_name((enum outcome)i), &o) &&
			   (int)o == i,
		   "outcome %d", i);
	ok(outcome_parse("good", &o) == -1 && outcome_parse("", &o) == -1,
	   "no such outcome");
	is_str(outcome_name((enum outcome)99), "unknown", "nor number");
	buf_free(&name);
}

int main(void)
{
	test_round_trip();
	test_least();
	test_refused();
	test_later();
	test_names();
	return done_testing();
}
