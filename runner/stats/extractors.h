/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_EXTRACTORS_H
#define IRONRIG_EXTRACTORS_H

#include "series.h"
#include "text.h"

/*
 * The parts that the table in extractors.c is made of, each defined in the file of
 * its name. A text function reads the whole text and puts what it finds, each
 * run of the tool under the next o->run; nothing usable is an error.
 */
typedef int stat_text(struct text *t, struct stat_out *o, struct err *e);

stat_text apachebench_text, cyclictest_text, dmesg_text, fio_text;
stat_text hackbench_text, iperf3_text, netperf_text, perfbench_text;
stat_text perfprofile_text, scale_text, stressng_text, sysbench_text;
stat_text willitscale_text;

extern const struct monitor buddyinfo_monitor, cpufreq_monitor;
extern const struct monitor cpuidle_monitor, diskstats_monitor;
extern const struct monitor interrupts_monitor, loadavg_monitor;
extern const struct monitor meminfo_monitor, mpstat_monitor, netdev_monitor;
extern const struct monitor numavmstat_monitor, perfstat_monitor;
extern const struct monitor pressure_cpu_monitor, pressure_io_monitor;
extern const struct monitor pressure_memory_monitor, procvmstat_monitor;
extern const struct monitor schedstat_monitor, slabinfo_monitor;
extern const struct monitor softirqs_monitor, uptime_monitor, vmstat_monitor;
extern const struct monitor zoneinfo_monitor;

/*
 * The finish of a series of vmstat rows, whose keys are a row or end in .ROW:
 * PREFIX.KEY, the mean of a level in pages, what was added to a counter.
 */
int procvmstat_put(const struct series *s, struct stat_out *o,
		   const char *prefix, struct err *e) MUST_CHECK;

/*
 * will-it-scale's CSV, which scale prints too, when the current line is its
 * header: reads the rows behind it as one run. 1: done, 0: no such header.
 */
int willitscale_csv(struct text *t, const char *prefix, struct stat_out *o,
		    struct err *e) MUST_CHECK;

#endif
