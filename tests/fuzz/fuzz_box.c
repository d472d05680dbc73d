// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What the agent reads of the machine it runs on: /proc and /sys of a kernel
 * under test, its messages, its netlink answers, and what a DHCP server says.
 * The first byte chooses; the rest are files, lines or records, 0xff between
 * them.
 */
#include "fuzz.h"
#include "cmdline.h"
#include "cpulist.h"
#include "crash.h"
#include "dhcp.h"
#include "identity.h"
#include "klog.h"
#include "members.h"
#include "modules.h"
#include "rtnl.h"
#include "stable.h"
#include "tune.h"
#include "tunetext.h"

#include <sys/socket.h>

#define CPU0 "sys/devices/system/cpu/cpu0/"

static void fill(const char *const *path, const uint8_t **p, size_t *n)
{
	for (; *path; path++) {
		char *text = fuzz_piece(p, n);

		fuzz_file(*path, text, strlen(text));
		free(text);
	}
}

static void cpus(const uint8_t *p, size_t n)
{
	char *text = fuzz_piece(&p, &n);
	struct cpulist a, b;
	struct buf out = { 0 };

	if (!cpulist_parse(text, &a, NULL)) {
		cpulist_format(&a, &out);
		require(!cpulist_parse(buf_str(&out), &b, NULL));
		require(cpulist_equal(&a, &b));
	}
	buf_free(&out);
	free(text);
}

static void stable(const uint8_t *p, size_t n)
{
	static const char *const path[] = {
		"proc/interrupts", "proc/stat",
		"sys/devices/system/cpu/online",
		"sys/devices/system/clocksource/clocksource0/"
		"current_clocksource",
		CPU0 "cpufreq/scaling_governor",
		CPU0 "thermal_throttle/core_throttle_count",
		"sys/devices/system/cpu/intel_pstate/no_turbo",
		"dev/cpu/0/msr", NULL
	};
	struct result r = { 0 };
	struct stable *s;

	fill(path, &p, &n);
	s = stable_new(fuzz_root(), NULL);
	if (!s)
		return;
	stable_window_begin(s);
	fill(path, &p, &n);
	stable_window_end(s);
	require(!stable_finish(s, &r, NULL));
	for (size_t i = 0; i < r.nproof; i++)
		require(r.proof[i].name);
	result_free(&r);
	stable_free(s);
}

static void tune(const uint8_t *p, size_t n)
{
	static const char *const path[] = {
		"sys/devices/system/cpu/online",
		"sys/devices/system/cpu/present",
		CPU0 "cpufreq/scaling_governor",
		CPU0 "cpufreq/scaling_available_governors",
		CPU0 "power/energy_perf_bias",
		"sys/devices/system/cpu/intel_pstate/no_turbo",
		"sys/devices/system/cpu/smt/control",
		"sys/kernel/mm/transparent_hugepage/enabled",
		"proc/sys/kernel/nmi_watchdog",
		"proc/irq/7/smp_affinity_list", NULL
	};
	const struct conf_tune want = {
		.governor = (char *)"performance", .turbo = 0,
		.nmi_watchdog = 0, .cstate_latency_us = CONF_KEEP,
		.min_perf_pct = CONF_KEEP, .epb = 0, .smt = 0,
		.timer_migration = CONF_KEEP, .stat_interval_s = CONF_KEEP,
		.numa_balancing = CONF_KEEP, .aslr = CONF_KEEP,
		.irq_affinity = (char *)"0",
		.thp = (char *)"never",
	};
	struct result r = { 0 };
	struct buf text = { 0 };
	struct tune *t = NULL;

	fill(path, &p, &n);
	(void)!tune_apply(fuzz_root(), &want, &t, NULL);
	if (!t)
		return;
	(void)!tune_verify(t, NULL);
	(void)!tune_restore(t, NULL);
	require(!tunetext_rows(t, &r, NULL));
	tunetext_write(t, &text);
	tune_free(t);
	result_free(&r);
	buf_free(&text);
}

static void modules(const uint8_t *p, size_t n)
{
	static const char *const path[] = {
		"lib/modules/r/modules.alias", "lib/modules/r/modules.softdep",
		"sys/bus/pci/devices/0000:00:03.0/modalias", NULL
	};
	struct strlist alias = { 0 }, name = { 0 }, seen = { 0 };
	struct modules *m;

	fill(path, &p, &n);
	if (!modules_open(fuzz_root(), "r", &m, NULL)) {
		require(!modules_aliases(fuzz_root(), &seen, &alias, NULL));
		for (size_t i = 0; i < alias.n; i++)
			require(!modules_resolve(m, alias.v[i], &name, NULL));
		modules_free(m);
	}
	strlist_free(&alias);
	strlist_free(&name);
	strlist_free(&seen);
}

static void words(const uint8_t *p, size_t n)
{
	char *text = fuzz_piece(&p, &n), name[65], id[SHA256_HEX];
	struct strlist names = { 0 };
	struct cmdline c = { .word = { 0 } };
	const char *spec;

	if (!cmdline_parse(text, &c, NULL)) {
		spec = cmdline_get(&c, "ironrig.members");
		(void)!members_names(spec ? spec : text, &names, NULL);
		for (size_t i = 0; i < names.n; i++)
			require(!strchr(names.v[i], '/'));
		if (!members_word(text, name, id, NULL))
			require(strlen(id) == SHA256_HEX - 1);
	}
	cmdline_free(&c);
	strlist_free(&names);
	free(text);
}

static void messages(const uint8_t *p, size_t n)
{
	int pair[2];
	struct klog k;

	require(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
	k = (struct klog){ .fd = pair[0] };
	while (n) {
		char *record = fuzz_piece(&p, &n);

		if (*record && send(pair[1], record, strlen(record), 0) < 0)
			n = 0;
		free(record);
		klog_take(&k);
	}
	require(k.text.len <= KLOG_MAX);
	if (k.text.len)
		klog_sent(&k, k.text.len / 2);
	buf_free(&k.text);
	close(pair[0]);
	close(pair[1]);
}

static void past(const uint8_t *p, size_t n)
{
	static const char *const path[] = {
		"sys/fs/pstore/dmesg-ramoops-0", "sys/fs/pstore/console-1",
		"proc/cmdline", NULL
	};
	struct cmdline line = { .word = { 0 } };
	char *argv[] = { (char *)"init", NULL };
	struct crash c = { .lease = "" };
	struct buf hex = { 0 };

	fill(path, &p, &n);
	require(!crash_look(fuzz_root(), &c, NULL) && c.file.n == 2);
	require(strlen(c.lease) == 32 || !*c.lease);
	require(!strchr(c.what, '\n'));
	crash_free(&c);
	if (!cmdline_read(fuzz_root(), argv, &line, NULL))
		(void)cmdline_get(&line, "ironrig.kernel");
	cmdline_free(&line);
	fuzz_file("sys/kernel/notes", p, n);
	if (!identity_build_id(fuzz_root(), &hex, NULL))
		require(hex.len % 2 == 0);
	buf_free(&hex);
}

static char *env[9];

static char *get(const char *name)
{
	static const char *const known[] = { "interface", "ip", "mask",
					     "router", "mtu", "domain",
					     "staticroutes", "dns" };

	for (size_t i = 0; i < 8; i++)
		if (!strcmp(name, known[i]))
			return *env[i] ? env[i] : NULL;
	return NULL;
}

static void dhcp(const uint8_t *p, size_t n)
{
	struct dhcp_lease l;

	for (size_t i = 0; i < 8; i++)
		env[i] = fuzz_piece(&p, &n);
	if (!dhcp_parse(get, &l, NULL)) {
		require(l.dns.n <= DHCP_DNS_MAX &&
			l.nroute <= DHCP_ROUTES_MAX);
		require(l.address.prefix <= 32 && *l.ifname);
		/* a line of resolv.conf, and no other */
		require(!strpbrk(l.domain, "\r\n") &&
			!strchr(l.ifname, '/'));
		dhcp_free(&l);
	}
	for (size_t i = 0; i < 8; i++)
		free(env[i]);
}

static void netlink(const uint8_t *p, size_t n)
{
	struct rtnl_addr a;
	char *text;
	int pair[2];

	require(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
	if (send(pair[1], p, n < 4096 ? n : 4096, 0) >= 0 && n)
		(void)!rtnl_link(pair[0], 1, true, 1500, NULL);
	close(pair[0]);
	close(pair[1]);
	text = fuzz_piece(&p, &n);
	if (!rtnl_parse(text, &a, NULL))
		require(a.prefix <= (a.family == AF_INET ? 32 : 128));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const what[])(const uint8_t *, size_t) = {
		cpus, stable, tune, modules, words, messages, past, dhcp,
		netlink,
	};

	if (size && size <= 65536)
		what[*data % 9](data + 1, size - 1);
	return 0;
}
