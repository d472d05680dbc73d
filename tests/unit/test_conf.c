// SPDX-License-Identifier: GPL-3.0-or-later
#include "conf.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <unistd.h>

static struct err e;
static int dir;

static bool same_list(const struct strlist *l, const char *words)
{
	struct buf b = { 0 };
	bool same;

	for (size_t i = 0; i < l->n; i++)
		buf_printf(&b, "%s%s", i ? " " : "", l->v[i]);
	same = !strcmp(buf_str(&b), words);
	buf_free(&b);
	return same;
}

static void test_host_defaults(void)
{
	struct conf_host h;

	put("box9.cfg", "# nothing but a comment\n");
	ok(!conf_host_load(dir, "box9.cfg", &h, NULL, &e), "an empty file");
	is_str(h.box, "box9", "box is the file's name");
	is_str(h.group, "box9", "group is the box");
	is_str(h.user, "ironrig", "user");
	is_str(h.console, "ttyS0,115200", "console");
	is_str(h.watchdog.device, "/dev/watchdog0", "watchdog");
	ok(!h.controller && !h.net.mac && !h.kernel && !h.power.cycle,
	   "the rest is not given");
	ok(h.net.timeout_s == 60 && h.watchdog.timeout_s == 60 &&
		   !h.watchdog.require && h.boot_deadline_s == 600 &&
		   h.ship_deadline_s == 900 && h.idle_s == 10 &&
		   h.panic_s == 10 && h.power.max_cycles == 3,
	   "times");
	ok(h.memory.results == 128 << 20 && h.memory.work == 256 << 20 &&
		   h.memory.tmp == 64 << 20 && h.quota.bytes == 2ULL << 30 &&
		   h.quota.files == 1000,
	   "sizes");
	ok(h.boot == BOOT_FIRMWARE && h.end == END_REBOOT, "choices");
	ok(!h.tune.governor && h.tune.turbo == CONF_KEEP &&
		   h.tune.aslr == CONF_KEEP &&
		   h.tune.stat_interval_s == CONF_KEEP,
	   "every knob is left alone");
	conf_host_free(&h);
	conf_host_free(&h);
}

static const char host_text[] =
	"box = \"b\"; group = \"g\"; controller = \"[2001:db8::1]:22\";\n"
	"net = { mac = \"52:54:00:AB:00:01\"; vlan = 7;\n"
	"  dns = [ \"192.0.2.1\", \"2001:db8::2\" ]; timeout = \"2m\";\n"
	"  workload = ( { nic = \"eth1\"; }, { mac = \"52:54:00:00:00:02\";\n"
	"    address = \"192.0.2.7/24\"; mtu = 9000; } ); };\n"
	"boot = \"kexec\"; end = \"halt\"; modules = \"igb\";\n"
	"memory = { results = 1048576; work = \"3G\"; };\n"
	"tune = { governor = \"performance\"; turbo = false; aslr = 2;\n"
	"  nmi_watchdog = 0; irq_affinity = \"0-3,8\";\n"
	"  require = [ \"governor\", \"turbo\" ]; };\n"
	"power = { cycle = \"echo \\\"a\\\\b\\\"\\n\\ttrue\"; };\n"
	"idle = 5; softlockup_panic = true;\n";

static void check_host(const struct conf_host *h)
{
	is_str(h->net.mac, "52:54:00:ab:00:01", "MAC in small letters");
	ok(h->net.vlan == 7 && h->net.timeout_s == 120 && h->idle_s == 5,
	   "durations as text and as number");
	ok(same_list(&h->net.dns, "192.0.2.1 2001:db8::2"), "a list");
	ok(same_list(&h->modules, "igb"), "one text as a list");
	ok(h->net.nworkload == 2 && !strcmp(h->net.workload[0].nic, "eth1") &&
		   !h->net.workload[0].mac && h->net.workload[1].mtu == 9000,
	   "groups in a list");
	ok(h->boot == BOOT_KEXEC && h->end == END_HALT, "choices");
	ok(h->memory.results == 1 << 20 && h->memory.work == 3ULL << 30,
	   "sizes as number and as text");
	ok(!h->tune.turbo && !h->tune.nmi_watchdog && h->tune.aslr == 2 &&
		   h->tune.smt == CONF_KEEP,
	   "knobs");
	is_str(h->power.cycle, "echo \"a\\b\"\n\ttrue", "escapes");
	ok(h->softlockup_panic && !h->hung_task_panic, "flags");
}

static void test_host(void)
{
	struct buf text = { 0 }, again = { 0 };
	struct conf_host h;

	put("h.cfg", host_text);
	if (!ok(!conf_host_load(dir, "h.cfg", &h, NULL, &e), "loaded"))
		printf("# %s\n", e.msg);
	check_host(&h);
	ok(!conf_host_write(&h, &text, &e), "written");
	conf_host_free(&h);
	put("w.cfg", buf_str(&text));
	if (!ok(!conf_host_load(dir, "w.cfg", &h, NULL, &e), "read back"))
		printf("# %s\n%s", e.msg, buf_str(&text));
	check_host(&h);
	ok(!conf_host_write(&h, &again, &e), "written again");
	is_str(buf_str(&again), buf_str(&text), "the same text");
	conf_host_free(&h);
	buf_free(&text);
	buf_free(&again);
}

static void test_job(void)
{
	struct buf text = { 0 }, again = { 0 };
	struct conf_job j;

	put("lock1.cfg",
	    "params = { nr_task = \"100%\"; mode = \"thread\"; test = "
	    "\"lock1\"; n = 3; };\n"
	    "path = [ \"nr_task\", \"mode\", \"test\" ];\n"
	    "command = \"x $nr_task\"; setup = [ \"a\", \"b\" ];\n"
	    "cleanup = \"c\"; time_limit = \"1500ms\"; warmup = 1;\n"
	    "env = [ \"A=1\", \"B=\" ]; monitor = { interval = \"250ms\"; };\n"
	    "extract = ( { name = \"ops\"; regex = \"^ops: ([0-9.]+)$\"; } );\n"
	    "limit = { output = \"64K\"; };\n");
	if (!ok(!conf_job_load(dir, "lock1.cfg", &j, NULL, &e), "loaded"))
		printf("# %s\n", e.msg);
	is_str(j.name, "lock1", "name by the file");
	is_str(j.testcase, "lock1", "testcase by the name");
	ok(j.nparam == 4 && !strcmp(j.param[1].name, "mode") &&
		   !strcmp(j.param[3].value, "3"),
	   "params in order, numbers as text");
	ok(same_list(&j.setup, "a b") && same_list(&j.env, "A=1 B="), "lists");
	ok(j.iterations == 3 && j.warmup == 1 && j.unstable_retries == 2 &&
		   j.limit.output == 65536 && j.limit.nofile == 65536,
	   "numbers");
	/* 60 s + 2 * 5 m of set-up + 4 * (1.5 s + 5 m of clean-up) */
	ok(j.time_limit_ms == 1500 && j.setup_limit_ms == 300000 &&
		   j.run_limit_ms == 60000 + 600000 + 4 * 301500 &&
		   j.monitor.interval_ms == 250,
	   "limits, and what they add up to");
	is_str(j.extract[0].file, "stdout", "a default in a group of a list");
	is_str(j.extract[0].better, "none", "and another");
	is_str(j.profile.command, "perf record -a -g", "profiler");
	ok(!conf_job_write(&j, &text, &e), "written");
	conf_job_free(&j);
	put("w.cfg", buf_str(&text));
	if (!ok(!conf_job_load(dir, "w.cfg", &j, NULL, &e), "read back"))
		printf("# %s\n%s", e.msg, buf_str(&text));
	is_str(j.name, "lock1", "with its name");
	ok(!conf_job_write(&j, &again, &e), "written again");
	is_str(buf_str(&again), buf_str(&text), "the same text");
	conf_job_free(&j);
	buf_free(&text);
	buf_free(&again);
}

static void test_empty_path(void)
{
	struct buf text = { 0 };
	struct conf_job j;

	put("p.cfg", "command = \"x\"; params = { a = 1; }; path = [ ];\n");
	ok(!conf_job_load(dir, "p.cfg", &j, NULL, &e) && !j.path.n,
	   "an empty path");
	ok(!conf_job_write(&j, &text, &e), "written");
	conf_job_free(&j);
	put("w.cfg", buf_str(&text));
	ok(!conf_job_load(dir, "w.cfg", &j, NULL, &e) && !j.path.n,
	   "stays empty");
	conf_job_free(&j);
	buf_free(&text);
}

/* "builds": what it says, and what is wrong. */
static void test_builds(void)
{
	static const char *const wrong[][2] = {
		{ "[\"a\"]", "other builds" },
		{ "[\"b b2\"]", "\"b\" is not among the kernels" },
		{ "[\"a a2\", \"a a3\"]", "\"a\" stands twice" },
		{ "[\"a c\"]", "\"c\" stands twice" },
		{ "[\"a a2 a2\"]", "\"a2\" stands twice" },
		{ "[\"a ../x\"]", "other builds" },
	};
	struct conf_experiment x;
	struct strlist l = { 0 };
	char text[256];

	put("b.cfg", "kind = \"ab\"; boxes = \"b\"; kernels = [\"a\", \"c\"];"
		     "jobs = \"j\"; builds = [\"c c2  c3\"];");
	ok(!conf_experiment_load(dir, "b.cfg", &x, NULL, &e), "builds");
	ok(!conf_experiment_builds(&x, 1, &l, &e) && l.n == 3 &&
		   !strcmp(l.v[0], "c") && !strcmp(l.v[2], "c3"),
	   "three of c, itself first");
	strlist_free(&l);
	ok(!conf_experiment_builds(&x, 0, &l, &e) && l.n == 1 &&
		   !strcmp(l.v[0], "a"),
	   "a alone");
	strlist_free(&l);
	conf_experiment_free(&x);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text),
			 "kind = \"ab\"; boxes = \"b\"; jobs = \"j\";"
			 "kernels = [\"a\", \"c\"]; builds = %s;",
			 wrong[i][0]);
		put("b.cfg", text);
		ok(conf_experiment_load(dir, "b.cfg", &x, NULL, &e) &&
			   strstr(e.msg, wrong[i][1]),
		   "%s: %s", wrong[i][0], e.msg);
	}
}

static void test_experiment(void)
{
	struct conf_experiment x;
	struct buf text = { 0 };

	put("x.cfg", "kind = \"ab\"; boxes = \"b\"; kernels = [\"a\", \"c\"];"
		     "jobs = \"j\"; seed = \"18446744073709551615\";"
		     "delta = 0.1; created = 1700000000000L;");
	ok(!conf_experiment_load(dir, "x.cfg", &x, NULL, &e), "loaded");
	ok(x.seed == UINT64_MAX && x.created == 1700000000000, "wide numbers");
	ok(!conf_experiment_write(&x, &text, &e), "written");
	conf_experiment_free(&x);
	put("w.cfg", buf_str(&text));
	ok(!conf_experiment_load(dir, "w.cfg", &x, NULL, &e), "read back");
	ok(x.seed == UINT64_MAX && x.created == 1700000000000 &&
		   x.blocks == 10 && x.attempts == 3 && x.kernels.n == 2,
	   "wide and default numbers");
	is_near(x.delta, 0.1, 0, "delta is exactly the same");
	is_near(x.alpha, 0.05, 0, "alpha by default");
	conf_experiment_free(&x);
	buf_free(&text);
	test_builds();
}

static void test_kernel(void)
{
	struct conf_kernel k;
	struct buf text = { 0 };

	put("k.cfg", "name = \"v6.1\"; id = \"0123456789abcdef0123456789abcdef"
		     "0123456789abcdef0123456789abcdef\"; config = true;"
		     "version = \"#1 SMP \\\"x\\\"\";");
	ok(!conf_kernel_load(dir, "k.cfg", &k, NULL, &e) && k.config, "loaded");
	ok(!conf_kernel_write(&k, &text, &e), "written");
	conf_kernel_free(&k);
	put("w.cfg", buf_str(&text));
	ok(!conf_kernel_load(dir, "w.cfg", &k, NULL, &e), "read back");
	is_str(k.version, "#1 SMP \"x\"", "version");
	conf_kernel_free(&k);
	buf_free(&text);
}

static void test_guess(void)
{
	static const struct {
		const char *text;
		enum conf_kind kind;
	} file[] = {
		{ "net = { }; console = \"x\";", CONF_HOST },
		{ "command = \"x\";", CONF_JOB },
		{ "kind = \"ab\"; jobs = \"j\";", CONF_EXPERIMENT },
		{ "name = \"k\"; id = \"1\"; release = \"6\";", CONF_KERNEL },
		{ "address = \"a:1\";", CONF_CONTROLLER },
	};
	enum conf_kind kind;

	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++) {
		put("g.cfg", file[i].text);
		ok(!conf_guess_kind(dir, "g.cfg", &kind, &e) &&
			   kind == file[i].kind,
		   "guessed kind %zu", i);
	}
	put("g.cfg", "nothing = 1;");
	ok(conf_guess_kind(dir, "g.cfg", &kind, &e) == -1 &&
		   e.kind == ERR_INPUT,
	   "none of them");
}

static void test_merge(void)
{
	struct conf_host h;
	struct conf_job j;
	struct conf_tune t;

	put("h.cfg", "tune = { governor = \"powersave\"; turbo = 1; smt = 0;"
		     "require = [\"smt\", \"turbo\"]; };");
	put("j.cfg", "command = \"x\"; tune = { governor = \"performance\";"
		     "turbo = 0; require = [\"governor\", \"turbo\"]; };");
	ok(!conf_host_load(dir, "h.cfg", &h, NULL, &e) &&
		   !conf_job_load(dir, "j.cfg", &j, NULL, &e) &&
		   !conf_tune_merge(&h.tune, &j.tune, &t, &e),
	   "merged");
	conf_host_free(&h);
	conf_job_free(&j);
	is_str(t.governor, "performance", "the job wins");
	ok(!t.turbo && !t.smt && t.aslr == CONF_KEEP && !t.epp,
	   "where it says something");
	ok(same_list(&t.require, "smt turbo governor"), "what must hold adds");
	conf_tune_free(&t);
}

static const char *params_path(const char *text, const char *governor,
			       struct buf *b)
{
	struct conf_job j;

	buf_reset(b);
	put("j.cfg", text);
	if (conf_job_load(dir, "j.cfg", &j, NULL, &e) ||
	    conf_params_path(&j, governor, b, &e))
		printf("# %s\n", e.msg);
	conf_job_free(&j);
	return buf_str(b);
}

static void test_params(void)
{
	static const struct conf_param half = { (char *)"n", (char *)"50%" },
				       word = { (char *)"n", (char *)"50%x" };
	struct buf a = { 0 }, b = { 0 };

	is_str(params_path("command = \"x\"; params = { nr_task = \"100%\";"
			   "mode = \"thread\"; test = \"lock1\"; };",
			   "performance", &a),
	       "100%-thread-lock1-performance", "the mail's path");
	is_str(params_path("command = \"x\";", NULL, &a), "defaults",
	       "nothing to say");
	is_str(params_path(
		       "command = \"x\"; params = { a = \"1\"; b = \"2\"; };"
		       "path = [ \"b\" ];",
		       NULL, &a),
	       "2", "only what path names");
	params_path("command=\"x\"; params = { a = \"x/y\"; };", NULL, &a);
	params_path("command=\"x\"; params = { a = \"x y\"; };", NULL, &b);
	ok(!strncmp(a.data, "x_y-", 4) && a.len == 16 && b.len == 16 &&
		   strcmp(a.data, b.data) != 0,
	   "altered ones do not collide");
	ok(*params_path("command=\"x\"; params = { a = \"..\"; };", NULL, &a) ==
		   '_',
	   "no leading dot");
	buf_reset(&a);
	ok(!conf_param_resolve(&half, 1, &a, &e) &&
		   !conf_param_resolve(&half, 288, &a, &e) &&
		   !conf_param_resolve(&word, 8, &a, &e),
	   "resolved");
	is_str(a.data, "114450%x", "1 of 1 CPU, 144 of 288, and words stay");
	buf_free(&a);
	buf_free(&b);
}

static void test_long_path(void)
{
	struct buf text = { 0 }, a = { 0 }, b = { 0 };

	buf_puts(&text, "command = \"x\"; params = { a = \"");
	for (int i = 0; i < 119; i++)
		buf_puts(&text, "v");
	buf_puts(&text, "\"; b = 1; };");
	is_int(strlen(params_path(text.data, NULL, &a)), CONF_PATH_MAX,
	       "a long path is cut");
	text.data[text.len - 5] = '2';
	is_int(strlen(params_path(text.data, NULL, &b)), CONF_PATH_MAX,
	       "another too");
	ok(strcmp(a.data, b.data) != 0, "to different ones");
	buf_free(&text);
	buf_free(&a);
	buf_free(&b);
}

static void test_report(void)
{
	struct conf_report r = { 0 };
	struct conf_host h;

	put("bad.cfg", "idle = 0;\nbox = \"a/b\";\nnett = { };\n");
	ok(conf_host_load(dir, "bad.cfg", &h, &r, &e) == -1 && !h.user,
	   "a bad file leaves a zeroed struct");
	is_int(r.n, 3, "all problems are reported");
	ok(r.v[0].line == 1 && !strcmp(r.v[0].key, "idle") &&
		   r.v[2].line == 3 && !strcmp(r.v[2].key, "nett"),
	   "in the order of lines");
	is_str(e.msg,
	       "bad.cfg:1: idle: 0, expected a duration such as \"60s\" in "
	       "1s..3600s",
	       "the first is the error");
	conf_report_free(&r);
	ok(conf_host_load(dir, "none.cfg", &h, &r, &e) == -1 &&
		   e.kind == ERR_SYS && r.n == 1,
	   "a missing file is a problem too");
	conf_report_free(&r);
	conf_report_free(&r);
	ok(conf_host_load(dir, "bad.cfg", &h, NULL, NULL) == -1,
	   "nobody has to listen");
}

int main(void)
{
	dir = scratch_open();
	test_host_defaults();
	test_host();
	test_job();
	test_empty_path();
	test_experiment();
	test_kernel();
	test_guess();
	test_merge();
	test_params();
	test_long_path();
	test_report();
	return scratch_end();
}
