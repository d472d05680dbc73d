// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The table of extractors. To add one: a file, a line in extractors.h, a row
 * here, a fixture with its right values in tests/.
 */
#include "extractors.h"

#include <string.h>

#define MONITOR(name, file, m, what) \
	{ name, "monitor/" file, what, NULL, NULL, &m##_monitor }
#define WORKLOAD(name, fn, what, primary) \
	{ name, "stdout", what, primary, fn##_text, NULL }

const struct stat_extractor stats_table[] = {
	WORKLOAD("apachebench", apachebench, "ab(1)",
		 "apachebench.requests_per_second"),
	WORKLOAD("cyclictest", cyclictest, "cyclictest(8), with or without -h",
		 "cyclictest.max_latency"),
	WORKLOAD("fio", fio, "fio(1), JSON or terse",
		 "fio.read_bw_MBps fio.write_bw_MBps"),
	WORKLOAD("hackbench", hackbench, "hackbench(8)",
		 "hackbench.throughput"),
	WORKLOAD("iperf3", iperf3, "iperf3(1), text or JSON",
		 "iperf.tcp.receiver.bps"),
	WORKLOAD("netperf", netperf, "netperf: STREAM, RR, omni -k",
		 "netperf.Throughput_Mbps netperf.Throughput_tps"),
	WORKLOAD("perf-bench", perfbench, "perf-bench(1)",
		 NULL),
	WORKLOAD("scale", scale, "ironrig-agent scale, with or without --sweep",
		 "scale.per_process_ops scale.per_thread_ops"),
	WORKLOAD("stress-ng", stressng, "stress-ng(1) with --metrics",
		 NULL),
	WORKLOAD("sysbench", sysbench, "sysbench(1)",
		 "sysbench.events_per_second"),
	WORKLOAD("will-it-scale", willitscale,
		 "runtest.py's CSV, or a test program's own output",
		 "will-it-scale.per_process_ops will-it-scale.per_thread_ops"),

	MONITOR("buddyinfo", "buddyinfo", buddyinfo, "free blocks by order"),
	MONITOR("cpufreq", "cpufreq_stats", cpufreq, "frequency changes, mean"),
	MONITOR("cpuidle", "cpuidle", cpuidle, "time and entries by state"),
	MONITOR("diskstats", "diskstats", diskstats, "as iostat -x"),
	MONITOR("interrupts", "interrupts", interrupts, "counts by source"),
	MONITOR("loadavg", "loadavg", loadavg, "mean of the 1 minute load"),
	MONITOR("meminfo", "meminfo", meminfo, "means of /proc/meminfo"),
	MONITOR("mpstat", "stat", mpstat, "shares of CPU time"),
	MONITOR("netdev", "net_dev", netdev, "rates and losses by interface"),
	MONITOR("numa-vmstat", "numa_vmstat", numavmstat, "vmstat by node"),
	MONITOR("perf-stat", "perf_counters", perfstat, "hardware counters"),
	MONITOR("pressure-cpu", "pressure_cpu", pressure_cpu, "stalls"),
	MONITOR("pressure-io", "pressure_io", pressure_io, "stalls"),
	MONITOR("pressure-memory", "pressure_memory", pressure_memory,
		"stalls"),
	MONITOR("proc-vmstat", "vmstat", procvmstat, "/proc/vmstat"),
	MONITOR("schedstat", "schedstat", schedstat, "scheduler's counters"),
	MONITOR("slabinfo", "slabinfo", slabinfo, "objects by cache"),
	MONITOR("softirqs", "softirqs", softirqs, "counts by kind"),
	MONITOR("uptime", "uptime", uptime, "age of the boot, idle time"),
	MONITOR("vmstat", "stat", vmstat, "context switches, run queue"),
	MONITOR("zoneinfo", "zoneinfo", zoneinfo, "vmstat by zone"),

	{ "perf-profile", "profile/report.txt", "perf-report(1) --stdio",
	  NULL, perfprofile_text, NULL },
	{ "dmesg", "meta/dmesg", "the kernel's warnings and faults", NULL,
	  dmesg_text, NULL },
	{ NULL, NULL, NULL, NULL, NULL, NULL },
};

const struct stat_extractor *stats_find(const char *name)
{
	for (const struct stat_extractor *x = stats_table; x->name; x++)
		if (!strcmp(x->name, name))
			return x;
	return NULL;
}
