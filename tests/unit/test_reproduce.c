// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * reproduce.sh with every knob: clean for shellcheck, and it does what it says
 * when run (its tuning aims at /sys, so only what a user may do is run here).
 */
#include "reproduce.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <unistd.h>

static char name[] = "it's", box[] = "box1", command[] = "echo \"$who\" 'x'";

int main(void)
{
	static char governor[] = "performance", irq[] = "0-1", thp[] = "never";
	static char who[] = "who=it's me", path[] = "PATH=/bin:/usr/bin";
	static char home[] = "HOME=/elsewhere", up[] = "echo up >flag";
	static char clean[] = "echo clean", down[] = "cat flag";
	static char *env_v[] = { path, home, who }, *up_v[] = { up },
		    *clean_v[] = { clean }, *down_v[] = { down };
	const struct strlist env = { env_v, 3 };
	const struct result r = { .job = name, .box = box };
	const struct conf_tune want = {
		.governor = governor,
		.epp = governor,
		.epb = 15,
		.thp = thp,
		.irq_affinity = irq,
		.cstate_latency_us = 258,
		.turbo = 0,
		.min_perf_pct = 100,
	};
	const struct conf_tune keep = {
		.turbo = CONF_KEEP,
		.nmi_watchdog = CONF_KEEP,
		.cstate_latency_us = CONF_KEEP,
		.min_perf_pct = CONF_KEEP,
		.epb = CONF_KEEP,
		.smt = CONF_KEEP,
		.timer_migration = CONF_KEEP,
		.stat_interval_s = CONF_KEEP,
		.numa_balancing = CONF_KEEP,
		.aslr = CONF_KEEP,
	};
	const struct conf_job job = {
		.command = command,
		.iterations = 2,
		.setup = { up_v, 1 },
		.cleanup = { clean_v, 1 },
		.teardown = { down_v, 1 },
		.limit = { .nofile = 64 },
	};
	char cmd[256], out[1024];
	struct buf b = { 0 };
	struct err e = ERR_INIT;
	size_t n;
	FILE *p;

	scratch_open();
	is_int(reproduce_text(&r, &job, &want, &env, &b, &e), 0, "made");
	ok(strstr(buf_str(&b), "printf '\\002\\001\\000\\000' >&9"),
	   "258 us as a little-endian int");
	ok(strstr(buf_str(&b), "put '15' \"$cpu/power/energy_perf_bias\""),
	   "two digits");
	put("all.sh", buf_str(&b));
	snprintf(cmd, sizeof(cmd), "shellcheck %s/all.sh", scratch_dir);
	is_int(system(cmd), 0, "clean for shellcheck");

	buf_reset(&b);
	is_int(reproduce_text(&r, &job, &keep, &env, &b, &e), 0, "made");
	ok(!strstr(buf_str(&b), "/sys/devices"), "nothing asked: not tuned");
	put("run.sh", buf_str(&b));
	snprintf(cmd, sizeof(cmd), "TMPDIR=%s sh %s/run.sh", scratch_dir,
		 scratch_dir);
	p = popen(cmd, "r");
	n = p ? fread(out, 1, sizeof(out) - 1, p) : 0;
	out[n] = '\0';
	ok(p && !pclose(p), "runs");
	ok(!strncmp(out,
		    "# iteration 1\nit's me x\nclean\n"
		    "# iteration 2\nit's me x\nclean\nup\n",
		    60),
	   "set-up, two iterations with clean-up, tear-down");
	buf_free(&b);
	return scratch_end();
}
