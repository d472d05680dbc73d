// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The sampler on this machine and on a fixture: what it stores, when, and what
 * it says about what is missing.
 */
#include "io.h"
#include "pathmatch.h"
#include "monitor.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct err err;
static int at;

static int stamps(const char *s)
{
	int n = 0;

	for (; s; s = strstr(s, "\n@"), s = s ? s + 1 : NULL)
		n += *s == '@';
	return n;
}

static void nap_ms(long ms)
{
	const struct timespec t = { .tv_nsec = ms * 1000000 };

	nanosleep(&t, NULL);
}

/* Until the named monitor has n samples, for ten seconds at most. */
static void until(const char *path, int n)
{
	for (int i = 0; i < 1000 && stamps(text(path)) < n; i++)
		nap_ms(10);
}

static void fixture(void)
{
	static char vm[] = "numa_vmstat", slab[] = "slabinfo", no[] = "nonsuch";
	static char soft[] = "softirqs", *add_v[] = { vm, slab, no };
	static char *drop_v[] = { soft };
	struct strlist add = { add_v, 3 }, drop = { drop_v, 1 };
	struct monitor_request rq = {
		.root = at,
		.out = at,
		.interval_ms = 20,
		.add = &add,
		.drop = &drop,
	};
	struct buf notes = { 0 };
	struct monitor *m;
	int64_t before = io_monotonic_ns(), first;

	put("sys/devices/system/cpu/online", "0-99\n");
	put("proc/stat", "cpu 1 2\n");
	put("proc/meminfo", "MemTotal: 1 kB");
	put("proc/interrupts", "wide\n");
	put("proc/softirqs", "dropped\n");
	put("proc/slabinfo", "slab\n");
	put("sys/devices/system/node/node0/vmstat", "a 1\n");
	put("sys/devices/system/node/node10/vmstat", "a 10\n");
	put("sys/devices/system/node/node2/vmstat", "a 2\n");
	is_int(monitor_start(&rq, &m, &notes, &err), 0, "starts");
	monitor_window_begin(m);
	until("monitor/stat", 4);
	ok(monitor_window_end(m) >= 0, "CPU time is told");
	monitor_stop(m, &notes);
	ok(stamps(text("monitor/stat")) >= 5, "start, interval, end");
	is_int(sscanf(text("monitor/stat"), "@%ld\n", &first), 1, "a stamp");
	ok(first > before && first < io_monotonic_ns(), "of the right clock");
	is_int(stamps(text("monitor/interrupts")), 2,
	       "on 100 CPUs interrupts at start and end only");
	is_int(stamps(text("monitor/slabinfo")), 2, "slabinfo too");
	ok(strstr(text("monitor/meminfo"), "MemTotal: 1 kB\n@"),
	   "a missing newline is added");
	ok(strstr(text("monitor/numa_vmstat"),
		  "==> sys/devices/system/node/node0/vmstat <==\na 1\n"
		  "==> sys/devices/system/node/node2/vmstat <==\na 2\n"
		  "==> sys/devices/system/node/node10/vmstat <==\na 10\n"),
	   "several files with their names, in natural order");
	ok(faccessat(at, "monitor/softirqs", F_OK, 0) < 0, "dropped");
	is_str(buf_str(&notes),
	       "there is no monitor \"nonsuch\"\n"
	       "monitor vmstat: this kernel has no proc/vmstat\n",
	       "what is missing is said");
	buf_free(&notes);
}

static void slow(void)
{
	static char slab[] = "slabinfo", *add_v[] = { slab };
	struct strlist add = { add_v, 1 };
	struct monitor_request rq = {
		.root = at,
		.out = at,
		.interval_ms = 20,
		.slow_interval_ms = 60,
		.add = &add,
	};
	struct buf notes = { 0 };
	struct monitor *m;

	if (io_remove_tree(at, "monitor", &err))
		return;
	is_int(monitor_start(&rq, &m, &notes, &err), 0, "starts");
	monitor_window_begin(m);
	until("monitor/slabinfo", 3);
	monitor_window_end(m);
	ok(stamps(text("monitor/stat")) > stamps(text("monitor/slabinfo")),
	   "slow_interval samples dear files, less often");
	monitor_window_begin(m);
	kill(monitor_pid(m), SIGKILL);
	is_int(monitor_window_end(m), -1, "a dead sampler is noticed");
	monitor_window_begin(m);
	buf_reset(&notes);
	monitor_stop(m, &notes);
	is_str(buf_str(&notes),
	       "the sampler died of signal 9: samples are missing\n",
	       "and said");
	buf_free(&notes);
}

static void real(void)
{
	static char perf[] = "perf_counters", idle[] = "cpuidle";
	static char up[] = "uptime", *add_v[] = { perf, idle, up };
	struct strlist add = { add_v, 3 };
	int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct monitor_request rq = {
		.root = root,
		.out = at,
		.interval_ms = 1000,
		.add = &add,
	};
	struct buf notes = { 0 };
	struct monitor *m;
	const char *s;

	if (io_remove_tree(at, "monitor", &err))
		return;
	is_int(monitor_start(&rq, &m, &notes, &err), 0, "starts");
	monitor_window_begin(m);
	monitor_window_end(m);
	monitor_stop(m, &notes);
	is_int(stamps(text("monitor/stat")), 2, "two samples at least");
	s = text("monitor/interrupts");
	ok(strstr(s, "CPU0") && strstr(s, "LOC:"), "files of several reads");
	s = text("monitor/perf_counters");
	ok(strstr(s, "CPU0,") || strstr(buf_str(&notes), "perf_counters"),
	   "counters, or why not");
	buf_free(&notes);
	close(root);
}

int main(void)
{
	at = scratch_open();
	fixture();
	slow();
	real();
	return scratch_end();
}
