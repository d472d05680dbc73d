// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What a box needs of a kernel's configuration. The NIC's and the watchdog's
 * drivers are not here: `kernel add` names modules that a kernel lacks, and
 * which of them a box needs only the box knows.
 */
#include "kconfig.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *symbol;
	bool need; /* else: want */
	bool module_will_do;
	const char *why;
} table[] = {
	{ "BLK_DEV_INITRD", true, false, "loads the image" },
	{ "BINFMT_ELF", true, false, "runs programs" },
	{ "BINFMT_SCRIPT", true, false, "runs a job's scripts" },
	{ "PROC_FS", true, false, "/proc" },
	{ "SYSFS", true, false, "/sys" },
	{ "DEVTMPFS", true, false, "/dev" },
	{ "TMPFS", true, false, "keeps a job from filling the memory" },
	{ "SHMEM", true, false, "memory files" },
	{ "UNIX", true, false, "sockets between the agent's processes" },
	{ "INET", true, false, "the way to the controller" },
	{ "PACKET", true, true, "DHCP" },
	{ "EPOLL", true, false, "the agent's event loop" },
	{ "SIGNALFD", true, false, "the agent's event loop" },
	{ "TIMERFD", true, false, "the agent's event loop" },
	{ "FUTEX", true, false, "threads" },
	{ "FILE_LOCKING", true, false, "the lock workloads" },
	{ "CGROUPS", true, false, "ends a job whole" },
	{ "CGROUP_PIDS", false, false, "keeps a job from forking for ever" },
	{ "MODULES", false, false, "drivers of the image's modules member" },
	{ "SERIAL_8250_CONSOLE", false, false, "a serial console" },
	{ "FW_LOADER", false, true, "firmware of NICs" },
	{ "WATCHDOG", false, false, "ends a hang" },
	{ "PSTORE", false, true, "what a crash leaves behind" },
	{ "KEXEC_FILE", false, false, "boot = \"kexec\"" },
	{ "CPU_FREQ", false, false, "governors" },
	{ "PERF_EVENTS", false, false, "hardware counters, profiles" },
	{ "SCHEDSTATS", false, false, "the monitor schedstat" },
	{ "PSI", false, false, "the monitor pressure" },
};

void kconfig_get(const char *text, const char *symbol, char *out, size_t size)
{
	char key[128];
	size_t n;

	snprintf(out, size, "n");
	n = (size_t)snprintf(key, sizeof(key), "CONFIG_%s=", symbol);
	for (const char *s = text; s; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (strncmp(s, key, n) != 0)
			continue;
		snprintf(out, size, "%.*s", (int)strcspn(s + n, "\r\n"),
			 s + n);
		return;
	}
}

int kconfig_check(const char *text, struct strlist *need,
		  struct strlist *want, struct err *e)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		char value[8], line[160];

		kconfig_get(text, table[i].symbol, value, sizeof(value));
		if (!strcmp(value, "y") ||
		    (table[i].module_will_do && !strcmp(value, "m")))
			continue;
		snprintf(line, sizeof(line), "CONFIG_%s=y (%s)",
			 table[i].symbol, table[i].why);
		if (strlist_add(table[i].need ? need : want, line, e))
			return -1;
	}
	return 0;
}
