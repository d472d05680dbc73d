// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Proof of stability on a fixture whose figures move between and in windows.
 */
#include "stable.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPU "sys/devices/system/cpu/"

static struct err err;
static struct result res;
static int at;

/* the msr device as a file: the register's number is the offset */
static void msr(uint64_t aperf, uint64_t mperf)
{
	unsigned char regs[0x100] = { 0 };

	/* two registers of eight bytes, one byte apart: both cannot be held */
	memcpy(regs + 0xe7, &mperf, 8);
	memcpy(regs + 0xe8, &aperf, 8);
	put_bytes("dev/cpu/0/msr", regs, sizeof(regs));
}

static const struct result_proof *proof(const char *name)
{
	static const struct result_proof none = { .name = NULL };

	for (size_t i = 0; i < res.nproof; i++)
		if (!strcmp(res.proof[i].name, name))
			return &res.proof[i];
	return &none;
}

static void clear(void)
{
	for (size_t i = 0; i < res.nproof; i++) {
		free(res.proof[i].name);
		free(res.proof[i].before);
		free(res.proof[i].after);
	}
	free(res.proof);
	res = (struct result){ 0 };
}

static void machine(void)
{
	put(CPU "online", "0\n");
	put(CPU "cpu0/thermal_throttle/core_throttle_count", "7\n");
	put(CPU "cpu0/thermal_throttle/package_throttle_count", "3\n");
	put(CPU "cpu0/cpufreq/scaling_governor", "performance\n");
	put(CPU "intel_pstate/no_turbo", "1\n");
	put("sys/devices/system/clocksource/clocksource0/current_clocksource",
	    "tsc\n");
	put("proc/interrupts",
	    "            CPU0       CPU1\n"
	    " THR:          0          0   Threshold APIC interrupts\n"
	    " MCE:          1          2   Machine check exceptions\n"
	    " MCP:          9          9   Machine check polls\n");
	put("proc/stat", "cpu  100 0 0 900 0 0 0 0 0 0\ncpu0 1 2\n");
}

static void quiet(void)
{
	struct stable *s;

	machine();
	s = stable_new(at, &err);
	stable_window_begin(s);
	put("proc/stat", "cpu  1100 0 0 1000 0 0 0 10 0 0\n");
	put("proc/interrupts",
	    " MCE:          1          2   Machine check exceptions\n"
	    " MCP:         19         19   Machine check polls\n");
	stable_window_end(s);
	/* outside of windows things may happen */
	put(CPU "cpu0/thermal_throttle/core_throttle_count", "90\n");
	stable_window_begin(s);
	stable_window_end(s);
	is_int(stable_finish(s, &res, &err), 0, "finishes");
	ok(res.stable, "quiet");
	is_str(proof("thermal_throttle")->after, "10",
	       "counts move in windows only");
	is_str(proof("mce")->before, "3", "machine checks of all CPUs");
	ok(proof("mce")->ok, "polls are no exceptions");
	is_str(proof("steal")->after, "0.0090", "10 of 1110 ticks");
	is_str(proof("turbo")->after, "no_turbo 1", "turbo");
	ok(!proof("clock")->known && !proof("clock")->ok,
	   "no msr device: unknown, not ok");
	stable_free(s);
	clear();
}

static void loud(void)
{
	struct stable *s;

	machine();
	msr(0, 0);
	s = stable_new(at, &err);
	stable_window_begin(s);
	put(CPU "cpu0/thermal_throttle/core_throttle_count", "8\n");
	put(CPU "cpu0/cpufreq/scaling_governor", "powersave\n");
	put("sys/devices/system/clocksource/clocksource0/current_clocksource",
	    "hpet\n");
	put("proc/stat", "cpu  100 0 0 900 0 0 0 100 0 0\n");
	msr(0x500, 0x1000);
	stable_window_end(s);
	is_int(stable_finish(s, &res, &err), 0, "finishes");
	ok(!res.stable, "not stable");
	ok(!proof("thermal_throttle")->ok, "throttled");
	is_str(proof("governor")->after, "powersave", "the governor changed");
	is_str(proof("clocksource")->after, "hpet", "the clocksource changed");
	ok(!proof("steal")->ok, "the host stole it all");
	ok(proof("online")->ok, "CPUs stayed");
	ok(proof("clock")->known && !proof("clock")->ok, "clocked down: %s",
	   proof("clock")->after);
	stable_free(s);
	clear();
}

static void bare(void)
{
	struct stable *s;

	at = scratch_anew();
	s = stable_new(at, &err);
	is_int(stable_finish(s, &res, &err), 0, "finishes");
	ok(!res.stable, "no window: not proven");
	stable_window_begin(s);
	stable_window_end(s);
	clear();
	is_int(stable_finish(s, &res, &err), 0, "finishes");
	ok(res.stable, "nothing known speaks against it");
	is_int(res.nproof, 8, "every proof is listed");
	for (size_t i = 0; i < res.nproof; i++)
		ok(!res.proof[i].known && !res.proof[i].ok, "%s unknown",
		   res.proof[i].name);
	stable_free(s);
	clear();
}

int main(void)
{
	at = scratch_open();
	quiet();
	loud();
	bare();
	return scratch_end();
}
