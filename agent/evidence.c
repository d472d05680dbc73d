// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Copies evidence: one table, one row a file of meta/. Several sources are put
 * one behind the other under "==> PATH <==" lines.
 */
#include "evidence.h"
#include "io.h"
#include "pathmatch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX		  (16 << 20) /* cpuinfo of 288 CPUs is 0.5 MB */
#define PATHS			  65536
#define CPUS			  "sys/devices/system/cpu/"
#define CRASH_MAX		  1000
#define SYSLOG_ACTION_READ_ALL	  3 /* syslog(2) */
#define SYSLOG_ACTION_SIZE_BUFFER 10

static const struct {
	const char *name;
	enum evidence_when when;
	bool raw; /* one source, copied as it is */
	const char *source[20]; /* NULL behind the last */
} rows[] = {
	{ "cmdline", EVIDENCE_BEFORE, true, { "proc/cmdline" } },
	{ "version", EVIDENCE_BEFORE, true, { "proc/version" } },
	{ "config.gz", EVIDENCE_BEFORE, true, { "proc/config.gz" } },
	{ "cpuinfo", EVIDENCE_BEFORE, true, { "proc/cpuinfo" } },
	{ "modules", EVIDENCE_AFTER, true, { "proc/modules" } },
	{ "meminfo", EVIDENCE_BEFORE, true, { "proc/meminfo" } },
	{ "mounts", EVIDENCE_BEFORE, true, { "proc/self/mounts" } },
	{ "microcode",
	  EVIDENCE_BEFORE,
	  false,
	  { CPUS "cpu*/microcode/version" } },
	{ "vulnerabilities",
	  EVIDENCE_BEFORE,
	  false,
	  { CPUS "vulnerabilities/*" } },
	{ "dmi",
	  EVIDENCE_BEFORE,
	  false,
	  { "sys/class/dmi/id/sys_vendor", "sys/class/dmi/id/product_name",
	    "sys/class/dmi/id/product_version", "sys/class/dmi/id/board_vendor",
	    "sys/class/dmi/id/board_name", "sys/class/dmi/id/bios_vendor",
	    "sys/class/dmi/id/bios_version", "sys/class/dmi/id/bios_date" } },
	{ "numa",
	  EVIDENCE_BEFORE,
	  false,
	  { "sys/devices/system/node/online",
	    "sys/devices/system/node/node*/cpulist",
	    "sys/devices/system/node/node*/distance",
	    "sys/devices/system/node/node*/meminfo" } },
	{ "cpus",
	  EVIDENCE_BEFORE,
	  false,
	  { CPUS "online", CPUS "offline", CPUS "isolated", CPUS "nohz_full",
	    CPUS "smt/active", CPUS "cpu*/topology/core_id",
	    CPUS "cpu*/topology/physical_package_id",
	    CPUS "cpu0/cache/index*/level", CPUS "cpu0/cache/index*/type",
	    CPUS "cpu0/cache/index*/size",
	    CPUS "cpu0/cache/index*/shared_cpu_list",
	    CPUS "cpu0/cache/index*/ways_of_associativity",
	    CPUS "cpu0/cache/index*/coherency_line_size" } },
	{ "cpufreq",
	  EVIDENCE_BEFORE,
	  false,
	  { CPUS "cpufreq/policy*/scaling_driver",
	    CPUS "cpufreq/policy*/cpuinfo_max_freq",
	    CPUS "cpufreq/policy*/cpuinfo_min_freq",
	    CPUS "cpufreq/policy*/scaling_max_freq",
	    CPUS "cpufreq/policy*/scaling_min_freq", CPUS "intel_pstate/status",
	    CPUS "amd_pstate/status", CPUS "cpuidle/current_driver",
	    CPUS "cpuidle/current_governor" } },
	{ "sysctl",
	  EVIDENCE_BEFORE,
	  false,
	  { "sys/kernel/mm/transparent_hugepage/enabled",
	    "sys/kernel/mm/transparent_hugepage/defrag",
	    "proc/sys/kernel/numa_balancing",
	    "proc/sys/kernel/randomize_va_space",
	    "proc/sys/kernel/perf_event_paranoid",
	    "proc/sys/kernel/nmi_watchdog", "proc/sys/kernel/timer_migration",
	    "proc/sys/kernel/sched_*", "proc/sys/kernel/tainted",
	    "proc/sys/vm/swappiness", "proc/sys/vm/overcommit_memory",
	    "proc/sys/vm/stat_interval", "proc/sys/vm/dirty_*",
	    "proc/sys/net/core/[rw]mem_*",
	    "proc/sys/net/ipv4/tcp_congestion_control",
	    "sys/devices/system/clocksource/clocksource0/*_clocksource" } },
	{ "tainted",
	  EVIDENCE_AFTER,
	  true,
	  { "proc/sys/kernel/tainted" } }, /* a warning in the run sets it */
};

static void store(int out, const char *name, const struct buf *b,
		  struct buf *notes)
{
	char path[64];
	struct err e = ERR_INIT;

	snprintf(path, sizeof(path), "meta/%.32s", name);
	if (buf_ok(b, &e) ||
	    io_replace_file(out, path, buf_str(b), b->len, 0644, &e))
		buf_printf(notes, "%s: %s\n", path, e.msg);
}

/* Files that cannot be read (write-only sysctls, no rights) are left out. */
static void gather(int root, const char *pattern, bool raw, struct buf *out)
{
	struct strlist paths = { 0 };
	struct buf one = { 0 };

	if (pathmatch(root, pattern, PATHS, &paths, NULL))
		buf_printf(out, "==> %s: too many <==\n", pattern);
	for (size_t i = 0; i < paths.n; i++) {
		buf_reset(&one);
		if (io_read_file(root, paths.v[i], &one, FILE_MAX, NULL))
			continue;
		if (!raw)
			buf_printf(out, "==> %s <==\n", paths.v[i]);
		buf_add(out, buf_str(&one), one.len);
		if (!raw && one.len && one.data[one.len - 1] != '\n')
			buf_puts(out, "\n");
	}
	buf_free(&one);
	strlist_free(&paths);
}

static bool is_real_root(int root)
{
	struct stat a, b;

	return !fstat(root, &a) && !stat("/", &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static void dmesg(int out, struct buf *notes)
{
	int size = klogctl(SYSLOG_ACTION_SIZE_BUFFER, NULL, 0), n;
	struct buf b = { 0 };
	char *to = size > 0 ? buf_room(&b, (size_t)size) : NULL;

	if (!to) {
		buf_printf(notes, "dmesg: %s\n", strerrordesc_np(errno));
		return;
	}
	n = klogctl(SYSLOG_ACTION_READ_ALL, to, size);
	if (n < 0) {
		buf_printf(notes, "dmesg: %s\n", strerrordesc_np(errno));
	} else {
		b.len = (size_t)n;
		store(out, "dmesg", &b, notes);
	}
	buf_free(&b);
}

void evidence_take(int root, int out, enum evidence_when when,
		   struct buf *notes)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].when != when)
			continue;
		buf_reset(&b);
		for (size_t j = 0; rows[i].source[j]; j++)
			gather(root, rows[i].source[j], rows[i].raw, &b);
		if (b.len)
			store(out, rows[i].name, &b, notes);
	}
	buf_free(&b);
	if (when == EVIDENCE_AFTER && is_real_root(root))
		dmesg(out, notes);
}

void evidence_crash(int root, int out, struct buf *notes)
{
	struct strlist paths = { 0 };
	struct err e = ERR_INIT;

	if (pathmatch(root, "sys/fs/pstore/*", CRASH_MAX, &paths, &e))
		buf_printf(notes, "pstore: %s\n", e.msg);
	if (paths.n && io_mkdir_p(out, "meta/crash", 0755, &e))
		buf_printf(notes, "%s\n", e.msg);
	for (size_t i = 0; i < paths.n; i++) {
		struct buf b = { 0 };
		char name[64];

		snprintf(name, sizeof(name), "crash/%.24s",
			 strrchr(paths.v[i], '/') + 1);
		if (!io_read_file(root, paths.v[i], &b, FILE_MAX, NULL))
			store(out, name, &b, notes);
		buf_free(&b);
	}
	strlist_free(&paths);
}
