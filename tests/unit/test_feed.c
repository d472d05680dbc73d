// SPDX-License-Identifier: GPL-3.0-or-later
/* Monitors: windows, deltas, what is missing; the values worked out by hand. */
#include "stats/stats.h"
#include "buf.h"
#include "tap.h"

#include <string.h>

enum { VALUES = 4000 };

static struct {
	char name[128];
	int run;
	double value;
} got[VALUES];
static int ngot;

static int sink(void *arg, const struct stat_value *v, struct err *e)
{
	(void)arg;
	(void)e;
	if (ngot < VALUES) {
		snprintf(got[ngot].name, sizeof(got[ngot].name), "%s",
			 v->name);
		got[ngot].run = v->run;
		got[ngot++].value = v->value;
	}
	return 0;
}

static struct err why;

/* Feeds it in pieces, small ones too: the result may not depend on them. */
static int feed(const char *name, const char *text,
		const struct stat_window *w, size_t nw, size_t piece)
{
	struct stat_out out = { .sink = sink };
	size_t n = strlen(text);
	struct stat_feed *f;
	int rc = 0;

	ngot = 0;
	why = (struct err)ERR_INIT;
	if (stat_feed_new(stats_find(name), name, w, nw, &out, &f, &why))
		return -1;
	for (size_t i = 0; !rc && i < n; i += piece)
		rc = stat_feed_add(f, text + i, n - i < piece ? n - i : piece,
				   &why);
	if (!rc)
		rc = stat_feed_end(f, &why);
	stat_feed_free(f);
	return rc;
}

static double value(const char *name, int run)
{
	for (int i = 0; i < ngot; i++)
		if (!strcmp(got[i].name, name) && got[i].run == run)
			return got[i].value;
	return NAN;
}

#define S "000000000"

static void test_mpstat(void)
{
	static const char text[] =
		"@1" S "\ncpu  9 9 9 9 9 9 9 9 9 9\n"
		"cpu0 100 10 50 1000 5 1 2 3 20 4\n"
		"cpu1 100 0 50 1000 0 0 0 0 0 0\nintr 5 4\n"
		"@2" S "\ncpu  1 1 1 1 1 1 1 1 1 1\n"
		"cpu0 150 14 70 1100 9 2 5 6 30 6\n"
		"cpu1 130 0 60 1060 0 0 0 0 0 0\nintr 9 4\n";

	for (size_t piece = 1; piece < 400; piece += 97) {
		ok(!feed("mpstat", text, NULL, 0, piece), "in pieces of %zu",
		   piece);
		/* deltas: usr 80 nice 4 sys 30 idle 160 iowait 4 irq 1 soft 3
		 * steal 3 = 285; guest 10 and gnice 2 are in usr and nice */
		is_near(value("mpstat.cpu.all.usr%", 1), 100 * 70 / 285., 1e-9,
			"usr without guests");
		is_near(value("mpstat.cpu.all.nice%", 1), 100 * 2 / 285., 1e-9,
			"nice without guests");
		is_near(value("mpstat.cpu.all.idle%", 1), 100 * 160 / 285.,
			1e-9, "idle");
		is_near(value("mpstat.cpu.all.steal%", 1), 100 * 3 / 285.,
			1e-9, "steal");
	}
}

static void test_hotplug(void)
{
	ok(!feed("mpstat",
		 "@1" S "\ncpu0 0 0 0 0 0 0 0 0 0 0\n"
		 "cpu1 500 0 0 900 0 0 0 0 0 0\n"
		 "@2" S "\ncpu0 25 0 0 75 0 0 0 0 0 0\n"
		 "cpu1 600 0 0 300 0 0 0 0 0 0\n", NULL, 0, 64),
	   "a CPU whose idle time went back");
	is_near(value("mpstat.cpu.all.usr%", 1), 25, 1e-9, "is left out");
	ok(!feed("mpstat",
		 "@1" S "\ncpu0 0 0 0 0 9 0 0 0 0 0\n"
		 "@2" S "\ncpu0 50 0 0 50 8 0 0 0 0 0\n"
		 "cpu1 600 0 0 300 0 0 0 0 0 0\n", NULL, 0, 64),
	   "iowait back by a tick, a CPU that came");
	is_near(value("mpstat.cpu.all.usr%", 1), 50, 1e-9, "neither counts");
	is_near(value("mpstat.cpu.all.iowait%", 1), 0, 1e-9, "not negative");
	ok(!feed("mpstat", "@1" S "\ncpu0 5 0 0 5 0 0 0 0 0 0\n", NULL, 0, 64)
	   && !ngot, "one sample since boot is no rate: nothing");
	ok(feed("mpstat", "@1" S "\ncpu0 5 x 0 5\n", NULL, 0, 64) == -1,
	   "a broken line: %s", why.msg);
	ok(feed("mpstat", "cpu0 5 0 0 5\n", NULL, 0, 64) == -1,
	   "no stamp: %s", why.msg);
	ok(feed("mpstat", "", NULL, 0, 64) == -1, "nothing: %s", why.msg);
	ok(feed("mpstat", "@2" S "\ncpu0 1 1 1 1\n@1" S "\ncpu0 1 1 1 1\n",
		NULL, 0, 64) == -1, "back in time: %s", why.msg);
}

static void test_windows(void)
{
	static const struct stat_window w[] = {
		{ 10 * 1000000000LL, 12 * 1000000000LL },
		{ 20 * 1000000000LL, 22 * 1000000000LL },
		{ 40 * 1000000000LL, 42 * 1000000000LL },
	};
	static const char text[] =
		"@5" S "\nctxt 0\nintr 0\nprocs_running 9\n"
		"@9999000000\nctxt 100\nintr 10\nprocs_running 2\n"
		"@11" S "\nctxt 150\nintr 20\nprocs_running 4\n"
		"@12001000000\nctxt 300\nintr 30\nprocs_running 3\n"
		"@19999000000\nctxt 9000\nintr 900\nprocs_running 1\n"
		"@22001000000\nctxt 9400\nintr 910\nprocs_running 1\n";

	for (size_t piece = 1; piece < 300; piece += 37)
		ok(!feed("vmstat", text, w, 3, piece) &&
			   fabs(value("vmstat.system.cs", 1) -
				200 / 2.002) < 1e-9 &&
			   fabs(value("vmstat.system.cs", 2) -
				400 / 2.002) < 1e-9,
		   "from the sample before the start to the one behind the "
		   "end");
	is_near(value("vmstat.procs.r", 1), 2, 1e-9,
		"the mean of three, without the sampler");
	is_near(value("vmstat.procs.r", 2), 0, 1e-9, "never below 0");
	ok(isnan(value("vmstat.system.cs", 3)), "a window without samples");
	ok(feed("vmstat", text, w + 2, 1, 64) == -1, "none inside: %s",
	   why.msg);
}

static void test_interrupts(void)
{
	static const char cal[] =
		"interrupts.CAL:Function_call_interrupts";

	ok(!feed("interrupts",
		 "@1" S "\n           CPU0       CPU1\n"
		 " 24:  1  2  IO-APIC   5-edge      ACPI:Ged\n"
		 " 99:  7  7  PCI  gone\n"
		 "CAL:  100  200   Function call interrupts\nERR:  3\n"
		 "@2" S "\n           CPU0       CPU1\n"
		 " 24:  5  2  IO-APIC   5-edge      ACPI:Ged\n"
		 "CAL:  150  260   Function call interrupts\nERR:  4\n",
		 NULL, 0, 50), "interrupts");
	is_near(value(cal, 1), 110, 0, "CAL, summed over CPUs");
	is_near(value("interrupts.24:IO-APIC.5-edge.ACPI:Ged", 1), 4, 0,
		"a device's");
	is_near(value("interrupts.ERR", 1), 1, 0, "one number for all CPUs");
	is_int(ngot, 3, "one that went is missing, not negative");
	ok(!feed("interrupts",
		 "@1" S "\n CPU0 CPU1\nCAL: 5 5 x\n"
		 "@2" S "\n CPU0\nCAL: 50 x\n", NULL, 0, 50) && !ngot,
	   "sums over other CPUs are not compared");
	ok(!feed("softirqs", "@1" S "\n CPU0 CPU1\n NET_RX: 5 5\n@2" S
		 "\n CPU0 CPU1\n NET_RX: 6 7\n", NULL, 0, 50), "softirqs");
	is_near(value("softirqs.NET_RX", 1), 3, 0, "NET_RX");
}

static void test_levels(void)
{
	ok(!feed("meminfo",
		 "@1" S "\nMemTotal: 100 kB\nActive(anon): 10 kB\n"
		 "HugePages_Total: 2\n"
		 "@2" S "\nMemTotal: 100 kB\nActive(anon): 30 kB\n"
		 "HugePages_Total: 2\n", NULL, 0, 30), "meminfo");
	is_near(value("meminfo.Active(anon)", 1), 20, 0, "the mean");
	is_near(value("meminfo.HugePages_Total", 1), 2, 0, "pages");
	ok(!feed("proc-vmstat",
		 "@1" S "\nnr_free_pages 10\npgfault 1000\nnr_dirtied 5\n"
		 "@2" S "\nnr_free_pages 30\npgfault 1500\nnr_dirtied 7\n",
		 NULL, 0, 30), "vmstat");
	is_near(value("proc-vmstat.nr_free_pages", 1), 20, 0, "a level");
	is_near(value("proc-vmstat.pgfault", 1), 500, 0, "a counter");
	is_near(value("proc-vmstat.nr_dirtied", 1), 2, 0,
		"a counter called nr_");
	ok(!feed("pressure-cpu",
		 "@1" S "\nsome avg10=1.00 avg60=1 avg300=1 total=1000000\n"
		 "@3" S "\nsome avg10=2.00 avg60=1 avg300=1 total=1500000\n",
		 NULL, 0, 30), "pressure");
	is_near(value("pressure.cpu.some%", 1), 25, 1e-9, "0.5 s of 2 s");
	ok(!feed("loadavg", "@1" S "\n0.50 0.1 0.1 1/80 11206\n@2" S
		 "\n1.50 0.1 0.1 1/80 11206\n", NULL, 0, 9) &&
		   value("loadavg.1min", 1) == 1, "loadavg");
	ok(!feed("uptime", "@1" S "\n100.25 150.50\n@2" S "\n101.25 152.25\n",
		 NULL, 0, 9), "uptime");
	is_near(value("uptime.boot", 1), 101.25, 1e-9, "at the window's end");
	is_near(value("uptime.idle", 1), 1.75, 1e-9, "within the window");
}

static void test_devices(void)
{
	ok(!feed("diskstats",
		 "@1" S "\n 8 0 sda 100 0 800 50 10 0 80 5 0 100 60\n"
		 " 7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n"
		 "@3" S "\n 8 0 sda 300 0 2800 450 10 0 80 5 0 600 60\n"
		 " 7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n", NULL, 0, 40),
	   "diskstats");
	is_near(value("iostat.sda.r/s", 1), 100, 1e-9, "200 reads in 2 s");
	is_near(value("iostat.sda.rkB/s", 1), 500, 1e-9, "2000 sectors");
	is_near(value("iostat.sda.r_await", 1), 2, 1e-9, "400 ms for 200");
	is_near(value("iostat.sda.util%", 1), 25, 1e-9, "500 ms of 2 s");
	ok(isnan(value("iostat.sda.w_await", 1)) &&
		   isnan(value("iostat.loop0.r/s", 1)),
	   "no writes have no wait; an idle device is left out");
	ok(!feed("netdev",
		 "@1" S "\nInter-| x\n face |bytes x\n"
		 "    lo:100 1 0 0 0 0 0 0 100 1 0 0 0 0 0 0\n"
		 "@2" S "\nInter-| x\n face |bytes x\n"
		 "    lo: 300 5 0 2 0 0 0 0 300 5 0 0 0 0 0 0\n",
		 NULL, 0, 40), "net/dev");
	is_near(value("netdev.lo.rx_bytes_per_s", 1), 200, 1e-9, "bytes");
	is_near(value("netdev.lo.rx_drop", 1), 2, 0, "drops");
	ok(!feed("perf-stat",
		 "@1" S "\nCPU0,100,cycles,1000,1000\n"
		 "CPU0,10,instructions,1000,500\n"
		 "CPU0,<not supported>,branches\n"
		 "CPU0,7,cache-misses,1000,500\n"
		 "@2" S "\nCPU0,300,cycles,2000,2000\n"
		 "CPU0,60,instructions,2000,1000\n"
		 "CPU0,<not supported>,branches\n"
		 "CPU0,7,cache-misses,2000,500\n", NULL, 0, 40), "counters");
	is_near(value("perf-stat.ps.cycles", 1), 200, 1e-9, "cycles");
	is_near(value("perf-stat.ps.instructions", 1), 100, 1e-9,
		"scaled: it ran half of the time");
	is_near(value("perf-stat.overall.ipc", 1), 0.5, 1e-9, "ipc");
	ok(isnan(value("perf-stat.ps.cache-misses", 1)) &&
		   isnan(value("perf-stat.ps.branches", 1)),
	   "what never ran, or is not supported, is missing");
}

static void test_many_files(void)
{
	ok(!feed("cpuidle",
		 "@1" S "\n==> sys/cpu0/cpuidle/state0/name <==\nPOLL\n"
		 "==> sys/cpu0/cpuidle/state0/time <==\n100\n"
		 "==> sys/cpu0/cpuidle/state0/usage <==\n10\n"
		 "==> sys/cpu1/cpuidle/state0/name <==\nPOLL\n"
		 "==> sys/cpu1/cpuidle/state0/time <==\n200\n"
		 "==> sys/cpu1/cpuidle/state0/usage <==\n20\n"
		 "@2" S "\n==> sys/cpu0/cpuidle/state0/name <==\nPOLL\n"
		 "==> sys/cpu0/cpuidle/state0/time <==\n150\n"
		 "==> sys/cpu0/cpuidle/state0/usage <==\n11\n"
		 "==> sys/cpu1/cpuidle/state0/name <==\nPOLL\n"
		 "==> sys/cpu1/cpuidle/state0/time <==\n260\n"
		 "==> sys/cpu1/cpuidle/state0/usage <==\n22\n", NULL, 0, 40),
	   "cpuidle");
	is_near(value("cpuidle.POLL.time", 1), 110, 0, "time of both CPUs");
	is_near(value("cpuidle.POLL.usage", 1), 3, 0, "entries");
	ok(!feed("cpufreq",
		 "@1" S "\n==> p0/stats/time_in_state <==\n1000000 50\n"
		 "2000000 50\n==> p0/stats/total_trans <==\n7\n"
		 "==> p1/stats/time_in_state <==\n1000000 900\n"
		 "2000000 20\n==> p1/stats/total_trans <==\n5\n"
		 "@2" S "\n==> p0/stats/time_in_state <==\n1000000 80\n"
		 "2000000 60\n==> p0/stats/total_trans <==\n9\n"
		 "==> p1/stats/time_in_state <==\n1000000 900\n"
		 "2000000 60\n==> p1/stats/total_trans <==\n6\n", NULL, 0,
		 40),
	   "cpufreq");
	is_near(value("cpufreq.mean_khz", 1), 1625000, 1e-6,
		"30 ticks of 1 GHz, 10 + 40 of 2 GHz");
	is_near(value("cpufreq.total_trans", 1), 3, 0, "changes");
	ok(!feed("schedstat",
		 "@1" S "\nversion 15\ntimestamp 4294901\n"
		 "cpu0 0 0 0 0 0 0 5000000 1000000 10\n"
		 "domain0 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		 "cpu1 0 0 0 0 0 0 6000000 0 20\n"
		 "@2" S "\nversion 15\ntimestamp 4294902\n"
		 "cpu0 0 0 0 0 0 0 9000000 3000000 14\n"
		 "domain0 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		 "cpu1 0 0 0 0 0 0 7000000 0 21\n", NULL, 0, 40),
	   "schedstat, switched off: sched_schedstats is 0");
	is_near(value("schedstat.run_ms", 1), 5, 1e-9, "what is always counted");
	is_near(value("schedstat.wait_ms", 1), 2, 1e-9, "the waits");
	is_near(value("schedstat.pcount", 1), 5, 0, "the times it ran");
	ok(isnan(value("schedstat.sched_count", 1)),
	   "what is not counted is missing, not 0");
	ok(isnan(value("schedstat.yld_count", 1)), "nor are there no yields");
	ok(!feed("schedstat",
		 "@1" S "\nversion 15\ntimestamp 4294901\n"
		 "cpu0 0 0 90 40 30 20 5000000 1000000 10\n"
		 "@2" S "\nversion 15\ntimestamp 4294902\n"
		 "cpu0 0 0 99 44 33 22 9000000 3000000 14\n", NULL, 0, 40),
	   "schedstat, switched on");
	is_near(value("schedstat.sched_count", 1), 9, 0, "schedule()s");
	is_near(value("schedstat.yld_count", 1), 0, 0, "and no yield");
	ok(!feed("numa-vmstat",
		 "@1" S "\n==> sys/devices/system/node/node0/vmstat <==\n"
		 "nr_free_pages 4\nnuma_hit 10\n"
		 "==> sys/devices/system/node/node1/vmstat <==\n"
		 "nr_free_pages 6\nnuma_hit 20\n"
		 "@2" S "\n==> sys/devices/system/node/node0/vmstat <==\n"
		 "nr_free_pages 4\nnuma_hit 11\n"
		 "==> sys/devices/system/node/node1/vmstat <==\n"
		 "nr_free_pages 8\nnuma_hit 25\n", NULL, 0, 40), "by node");
	is_near(value("numa-vmstat.node1.numa_hit", 1), 5, 0, "a counter");
	is_near(value("numa-vmstat.node1.nr_free_pages", 1), 7, 0, "a level");
}

int main(void)
{
	test_mpstat();
	test_hotplug();
	test_windows();
	test_interrupts();
	test_levels();
	test_devices();
	test_many_files();
	return done_testing();
}
