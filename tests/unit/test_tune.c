// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Tuning of fixture machines: what was asked, found, got, and put back.
 */
#include "io.h"
#include "scratch.h"
#include "tap.h"
#include "tunetext.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define GOV(n) "sys/devices/system/cpu/cpu" #n "/cpufreq/scaling_governor"

static struct tune *tune;
static struct result res;
static struct err err;
static int root;

static const struct conf_tune keep = {
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

static void machine(const char *kind)
{
	char cmd[256];

	root = scratch_anew();
	snprintf(cmd, sizeof(cmd), "tests/fixtures/mkroot %s %s", kind,
		 scratch_dir);
	if (system(cmd))
		exit(1);
	printf("# %s\n", kind);
}

static const char *value(const char *path)
{
	static char line[256];

	if (io_read_line(root, path, line, sizeof(line), &err))
		return err.msg;
	return line;
}

static const struct result_knob *knob(size_t i)
{
	static const struct result_knob none = { .name = "(none)" };

	return i < res.nknob ? &res.knob[i] : &none;
}

static int apply(const struct conf_tune *want)
{
	struct err ignored = ERR_INIT;
	int rc;

	err = (struct err)ERR_INIT;
	rc = tune_apply(root, want, &tune, &err);
	ok(tune && !tunetext_rows(tune, &res, &ignored), "rows are made");
	return rc;
}

static void done(void)
{
	for (size_t i = 0; i < res.nknob; i++) {
		free(res.knob[i].name);
		free(res.knob[i].cpus);
		free(res.knob[i].asked);
		free(res.knob[i].before);
		free(res.knob[i].got);
	}
	free(res.knob);
	res = (struct result){ 0 };
	tune_free(tune);
	tune = NULL;
}

static char performance[] = "performance", governor[] = "governor";

static void no_cpufreq(void)
{
	struct conf_tune want = keep;

	machine("nocpufreq");
	want.governor = performance;
	want.turbo = 0;
	is_int(apply(&want), 0, "not required: goes on");
	is_int(res.nknob, 2, "one row a knob");
	is_str(knob(0)->cpus, "0-1", "for both CPUs");
	is_str(knob(0)->got, "", "which got nothing");
	is_int(knob(0)->sys, ENOENT, "because there is no such file");
	ok(!knob(0)->held && !knob(1)->held, "and nothing holds");
	is_str(knob(1)->name, "turbo", "turbo after the governor");
	is_int(tune_restore(tune, &err), 0, "nothing to put back");
	done();

	if (strlist_add(&want.require, governor, &err))
		exit(1);
	is_int(apply(&want), -1, "required: refused");
	is_int(err.kind, ERR_UNSUPPORTED, "as not supported");
	is_str(err.msg,
	       "required governor=performance does not hold: not supported on "
	       "cpu0: there is no cpufreq/scaling_governor",
	       "with the reason");
	strlist_free(&want.require);
	done();
}

static void cpu0_without(void)
{
	struct conf_tune want = keep;

	machine("cpu0");
	want.governor = performance;
	is_int(apply(&want), 0, "applied");
	is_int(res.nknob, 2, "two stories");
	is_str(knob(0)->cpus, "0", "cpu0 has none");
	is_str(knob(1)->cpus, "1-3", "the others");
	is_str(knob(1)->before, "powersave", "were found at");
	is_str(knob(1)->got, "performance", "and got");
	ok(knob(1)->held && !knob(0)->held, "held there only");
	is_int(tune_restore(tune, &err), 0, "restored");
	is_str(value(GOV(1)), "powersave", "as found");
	done();
}

static void one_offline(void)
{
	struct conf_tune want = keep;

	machine("offline");
	want.governor = performance;
	if (strlist_add(&want.require, governor, &err))
		exit(1);
	is_int(apply(&want), 0, "an offline CPU breaks no requirement");
	is_str(knob(0)->cpus, "0-1,3", "the online ones");
	is_str(knob(1)->cpus, "2", "the offline one");
	is_str(knob(1)->got, "offline", "is said to be off");
	ok(!knob(1)->required, "and not required");
	is_str(value(GOV(2)), "ondemand", "and was not touched");
	is_int(tune_verify(tune, &err), 0, "holds until the end");
	if (io_write_file(root, GOV(3), "ondemand", &err))
		exit(1);
	is_int(tune_verify(tune, &err), -1, "a change in the run is found");
	is_int(tune_restore(tune, &err), 0, "restored");
	is_str(value(GOV(0)), "ondemand", "as found");
	strlist_free(&want.require);
	done();
}

static void intel_pstate(void)
{
	static char epp[] = "performance", irq[] = "0,1", thp[] = "never";
	struct conf_tune want = keep;
	struct buf b = { 0 };

	machine("pstate");
	want = (struct conf_tune){
		.governor = performance,
		.turbo = 0,
		.nmi_watchdog = 0,
		.cstate_latency_us = 1,
		.min_perf_pct = 100,
		.epp = epp,
		.epb = 0,
		.smt = 0,
		.timer_migration = 0,
		.stat_interval_s = 60,
		.irq_affinity = irq,
		.thp = thp,
		.numa_balancing = CONF_KEEP,
		.aslr = 0,
	};
	is_int(apply(&want), 0, "applied");
	is_str(knob(0)->name, "smt", "SMT first");
	is_str(knob(1)->name, "governor", "then the governor");
	is_str(knob(2)->name, "turbo", "then turbo");
	is_str(knob(2)->before, "1", "turbo was on");
	is_str(knob(2)->got, "0", "is off");
	is_str(value("sys/devices/system/cpu/intel_pstate/no_turbo"), "1",
	       "which the file says as 1");
	is_str(value("proc/irq/24/smp_affinity_list"), "0-1",
	       "CPU lists as the kernel writes them");
	is_str(value("sys/kernel/mm/transparent_hugepage/enabled"), "never",
	       "a bracketed choice is written as its word");
	for (size_t i = 0; i < res.nknob; i++)
		ok(knob(i)->held, "%s holds", knob(i)->name);
	is_str(knob(10)->cpus, "irq 0-1,24-25", "interrupts are grouped too");
	tunetext_write(tune, &b);
	ok(strstr(buf_str(&b), "governor [0-3]: asked performance, found "
			       "powersave, got performance, holds\n"),
	   "told in a line");
	is_int(tune_restore(tune, &err), 0, "restored");
	is_str(value(GOV(3)), "powersave", "governor");
	is_str(value("sys/devices/system/cpu/intel_pstate/no_turbo"), "0",
	       "turbo");
	is_str(value("sys/kernel/mm/transparent_hugepage/enabled"), "madvise",
	       "THP");
	is_str(value("proc/irq/25/smp_affinity_list"), "0-3", "interrupts");
	is_str(value("sys/devices/system/cpu/smt/control"), "on", "SMT");
	buf_free(&b);
	done();
}

static void acpi_cpufreq(void)
{
	struct conf_tune want = keep;

	machine("acpi");
	want.governor = performance;
	want.turbo = 0;
	want.smt = 0;
	is_int(apply(&want), 0, "applied");
	ok(knob(0)->held, "no siblings is what smt = off asks");
	is_str(value("sys/devices/system/cpu/cpufreq/boost"), "0",
	       "boost is not inverse");
	is_int(tune_restore(tune, &err), 0, "restored");
	is_str(value("sys/devices/system/cpu/cpufreq/boost"), "1", "boost");
	done();
}

static void refused(void)
{
	static char ondemand[] = "ondemand";
	struct conf_tune want = keep;

	machine("refused");
	want.governor = ondemand;
	if (strlist_add(&want.require, governor, &err))
		exit(1);
	is_int(apply(&want), -1, "refused");
	is_str(err.msg,
	       "required governor=ondemand does not hold: cpu1 offers only: "
	       "performance powersave",
	       "and says what there is");
	is_str(knob(1)->cpus, "1", "the refusing CPU has a row");
	is_int(knob(1)->sys, EACCES, "with its errno");
	is_str(knob(0)->got, "ondemand", "the other got it");
	is_int(tune_restore(tune, &err), 0, "restored");
	is_str(value(GOV(0)), "powersave", "as found");
	strlist_free(&want.require);
	done();
}

static void wide(void)
{
	struct conf_tune want = keep;

	machine("knm");
	want.governor = performance;
	is_int(apply(&want), 0, "applied");
	is_int(res.nknob, 2, "288 CPUs in two rows");
	ok(strlen(knob(1)->cpus) > 400 && !strncmp(knob(1)->cpus, "1,3,5", 5),
	   "the odd ones");
	is_int(tune_restore(tune, &err), 0, "restored");
	is_str(value(GOV(287)), "powersave", "an odd one");
	is_str(value(GOV(286)), "performance", "an even one");
	done();
}

int main(void)
{
	scratch_open();
	no_cpufreq();
	cpu0_without();
	one_offline();
	intel_pstate();
	acpi_cpufreq();
	refused();
	wide();
	return scratch_end();
}
