// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Every key of every file that people write: type, default, range, meaning.
 * The tables are the only place that knows them; conf/KEYS.md is made of them.
 */
#include "conf_schema.h"
#include "conf_rules.h"

#define DAY_S  86400
#define DAY_MS (1000LL * DAY_S)
#define GIB    (1LL << 30)
/* text and default, text in a list, number with default and range */
#define TEXT(form_)	  CONF_TEXT, .form = &conf_form_##form_
#define TEXTS(form_)	  CONF_TEXTS, .form = &conf_form_##form_
#define RANGE(min_, max_) .min = (min_), .max = (max_)
#define CHOICE(choice_)                                                        \
	.form = &(const struct conf_form)                                      \
	{                                                                      \
		.choice = (choice_)                                            \
	}
#define AT(field) .offset = offsetof(struct AT_STRUCT, field)

/* ---- tune, of hosts and jobs ---- */

#define AT_STRUCT conf_tune
const struct conf_key conf_schema_tune[] = {
	{ "governor", CONF_TEXT, AT(governor),
	  "cpufreq governor of every online CPU",
	  CHOICE("performance|powersave|userspace|ondemand|conservative|"
		 "schedutil") },
	{ "turbo", CONF_KNOB, AT(turbo), RANGE(0, 1),
	  .doc = "frequencies above the nominal one (intel_pstate/no_turbo or "
		 "cpufreq/boost)" },
	{ "nmi_watchdog", CONF_KNOB, AT(nmi_watchdog), RANGE(0, 1),
	  .doc = "kernel.nmi_watchdog; it takes one hardware counter" },
	{ "cstate_latency_us", CONF_KNOB, AT(cstate_latency_us),
	  RANGE(0, 2000000000),
	  .doc = "microseconds of wake-up latency allowed, held in "
		 "/dev/cpu_dma_latency; 0 keeps the CPUs out of C-states" },
	{ "min_perf_pct", CONF_KNOB, AT(min_perf_pct), RANGE(0, 100),
	  .doc = "intel_pstate/min_perf_pct, percent" },
	{ "epp", CONF_TEXT, AT(epp), "energy_performance_preference",
	  CHOICE("default|performance|balance_performance|balance_power|"
		 "power") },
	{ "epb", CONF_KNOB, AT(epb), RANGE(0, 15),
	  .doc = "energy_perf_bias: 0 performance, 15 saving" },
	{ "smt", CONF_KNOB, AT(smt), RANGE(0, 1),
	  .doc = "hardware threads besides the first of each core" },
	{ "timer_migration", CONF_KNOB, AT(timer_migration), RANGE(0, 1),
	  .doc = "kernel.timer_migration" },
	{ "stat_interval", CONF_KNOB, AT(stat_interval_s), RANGE(1, 3600),
	  .doc = "vm.stat_interval, seconds" },
	{ "irq_affinity", TEXT(cpulist), AT(irq_affinity),
	  .doc = "CPUs that take interrupts" },
	{ "thp", CONF_TEXT, AT(thp),
	  "transparent huge pages; kernel behaviour: set it only to measure it",
	  CHOICE("always|madvise|never") },
	{ "numa_balancing", CONF_KNOB, AT(numa_balancing), RANGE(0, 3),
	  .doc = "kernel.numa_balancing; kernel behaviour" },
	{ "aslr", CONF_KNOB, AT(aslr), RANGE(0, 2),
	  .doc = "kernel.randomize_va_space; kernel behaviour" },
	{ "require", TEXTS(param), AT(require),
	  .doc = "knobs of this group that must hold, or the run is refused; "
		 "the others are tried and recorded" },
	{ .path = NULL },
};
#undef AT_STRUCT

/* ---- hosts ---- */

#define AT_STRUCT conf_nic
static const struct conf_key nic_key[] = {
	{ "nic", TEXT(nic), AT(nic), .doc = "interface, or" },
	{ "mac", TEXT(mac), AT(mac), .doc = "its MAC address" },
	{ "address", TEXT(prefix), AT(address), .doc = "without: DHCP" },
	{ "mtu", CONF_INT, AT(mtu), .doc = "bytes; 0 leaves it", .def = "0",
	  RANGE(0, 65535) },
	{ .path = NULL },
};
#undef AT_STRUCT

#define AT_STRUCT conf_host
static const struct conf_key host_key[] = {
	{ "box", TEXT(name), AT(box),
	  .doc = "the box's name; by default the file's name without .cfg" },
	{ "group", TEXT(name), AT(group),
	  .doc = "boxes of one model, whose results may be compared; by "
		 "default the box's name" },
	{ "description", TEXT(line), AT(description),
	  .doc = "model, CPUs, memory: for people" },
	{ "controller", TEXT(hostport), AT(controller),
	  .doc = "where the box finds its controller; by default what "
		 "conf/controller.cfg says" },
	{ "user", TEXT(user), AT(user), .def = "ironrig",
	  .doc = "the controller's account" },
	{ "net.mac", TEXT(mac), AT(net.mac), .doc = "of the management card" },
	{ "net.nic", TEXT(nic), AT(net.nic),
	  .doc = "interface; by default the one that iPXE booted from, then "
		 "the one with net.mac" },
	{ "net.vlan", CONF_INT, AT(net.vlan), .doc = "tag; 0 for none",
	  .def = "0", RANGE(0, 4094) },
	{ "net.address", TEXT(prefix), AT(net.address),
	  .doc = "fixed address; without: DHCP" },
	{ "net.gateway", TEXT(ip), AT(net.gateway),
	  .doc = "router of a fixed address" },
	{ "net.dns", TEXTS(ip), AT(net.dns),
	  .doc = "name servers of a fixed address" },
	{ "net.mtu", CONF_INT, AT(net.mtu), .doc = "bytes; 0 leaves it",
	  .def = "0", RANGE(0, 65535) },
	{ "net.timeout", CONF_SECONDS, AT(net.timeout_s), .def = "60s",
	  .doc = "how long link and DHCP may take; spanning tree alone holds "
		 "a port for 30 s",
	  RANGE(1, 3600) },
	{ "net.workload", CONF_GROUPS, AT(net.workload),
	  .doc = "cards for the job's traffic, apart from the management card",
	  .sub = nic_key, .size = sizeof(struct conf_nic),
	  .count = offsetof(struct conf_host, net.nworkload) },
	{ "console", TEXT(console), AT(console), .def = "ttyS0,115200",
	  .doc = "serial console" },
	{ "kernel", TEXT(name), AT(kernel),
	  .doc = "home kernel: booted when no experiment asks for another" },
	{ "append", TEXT(line), AT(append),
	  .doc = "more kernel command line, part of no kernel's identity" },
	{ "boot", CONF_CHOICE, AT(boot), .def = "firmware",
	  .doc = "how the box gets from kernel to kernel",
	  CHOICE("firmware|kexec") },
	{ "modules", TEXTS(module), AT(modules),
	  .doc = "kernel modules besides what modalias asks for" },
	{ "watchdog.device", TEXT(path), AT(watchdog.device),
	  .def = "/dev/watchdog0", .doc = "hardware watchdog" },
	{ "watchdog.timeout", CONF_SECONDS, AT(watchdog.timeout_s),
	  .def = "60s", .doc = "after which the hardware resets the box",
	  RANGE(2, 3600) },
	{ "watchdog.require", CONF_BOOL, AT(watchdog.require), .def = "false",
	  .doc = "refuse to run jobs without it" },
	{ "memory.results", CONF_SIZE, AT(memory.results), .def = "128M",
	  .doc = "tmpfs that results wait in until they are home",
	  RANGE(1 << 20, 1024 * GIB) },
	{ "memory.work", CONF_SIZE, AT(memory.work), .def = "256M",
	  .doc = "tmpfs of the job's work folder", RANGE(1 << 20, 1024 * GIB) },
	{ "memory.tmp", CONF_SIZE, AT(memory.tmp), .def = "64M",
	  .doc = "tmpfs on /tmp", RANGE(1 << 20, 1024 * GIB) },
	{ "tune", CONF_SUB, AT(tune), .doc = "what makes the box quiet",
	  .sub = conf_schema_tune },
	{ "power.cycle", TEXT(shell), AT(power.cycle),
	  .doc = "command on the controller that switches the box off and on" },
	{ "power.off", TEXT(shell), AT(power.off), .doc = "switches it off" },
	{ "power.on", TEXT(shell), AT(power.on), .doc = "switches it on" },
	{ "power.console", TEXT(shell), AT(power.console),
	  .doc = "prints its serial console" },
	{ "power.max_cycles", CONF_INT, AT(power.max_cycles), .def = "3",
	  .doc = "in a row, then `tend` gives up and says so", RANGE(1, 100) },
	{ "quota.bytes", CONF_SIZE, AT(quota.bytes), .def = "2G",
	  .doc = "of incoming and quarantine of this box together",
	  RANGE(1 << 20, 1024 * GIB) },
	{ "quota.files", CONF_INT, AT(quota.files), .def = "1000",
	  .doc = "in the same", RANGE(1, 1000000) },
	{ "boot_deadline", CONF_SECONDS, AT(boot_deadline_s), .def = "600s",
	  .doc = "from reboot to hello", RANGE(10, DAY_S) },
	{ "ship_deadline", CONF_SECONDS, AT(ship_deadline_s), .def = "900s",
	  .doc = "how long the agent tries to reach the controller",
	  RANGE(10, DAY_S) },
	{ "idle", CONF_SECONDS, AT(idle_s), .def = "10s",
	  .doc = "between two questions while there is nothing to do",
	  RANGE(1, 3600) },
	{ "end", CONF_CHOICE, AT(end), .def = "reboot",
	  .doc = "what follows when it cannot ship",
	  CHOICE("reboot|poweroff|halt") },
	{ "panic", CONF_SECONDS, AT(panic_s), .def = "10s",
	  .doc = "panic= of the command line: reboot after it; 0 never",
	  RANGE(0, 3600) },
	{ "softlockup_panic", CONF_BOOL, AT(softlockup_panic), .def = "false",
	  .doc = "a CPU that is stuck in the kernel panics it" },
	{ "borrowed", CONF_BOOL, AT(borrowed), .def = "false",
	  .doc = "has a system of its own, to which it reboots when there is "
		 "nothing to do" },
	{ "hung_task_panic", CONF_BOOL, AT(hung_task_panic), .def = "false",
	  .doc = "a task stuck in the kernel for 120 s panics it" },
	{ .path = NULL },
};
#undef AT_STRUCT

/* ---- jobs ---- */

#define AT_STRUCT conf_extract
static const struct conf_key extract_key[] = {
	{ "name", TEXT(stat), AT(name), .required = true,
	  .doc = "of the stat, below the testcase: TESTCASE.NAME" },
	{ "regex", TEXT(regex), AT(regex), .required = true,
	  .doc = "POSIX extended, looked for in every line; its one group is "
		 "the number" },
	{ "unit", TEXT(line), AT(unit), .doc = "for people" },
	{ "better", CONF_TEXT, AT(better), "the direction of improvement",
	  "none", CHOICE("higher|lower|none") },
	{ "file", TEXT(file), AT(file), .def = "stdout",
	  .doc = "within the iteration's folder" },
	{ .path = NULL },
};
#undef AT_STRUCT

#define AT_STRUCT conf_job
static const struct conf_key job_key[] = {
	{ "name", TEXT(name), AT(name),
	  .doc = "by default the file's name without .cfg" },
	{ "description", TEXT(line), AT(description), .doc = "for people" },
	{ "testcase", TEXT(name), AT(testcase),
	  .doc = "first part of its stats' names; by default the job's name" },
	{ "params", CONF_PARAMS, AT(param),
	  .doc = "name = \"value\" pairs, in the environment of every command; "
		 "\"50%\" becomes that part of the online CPUs, at least 1",
	  .count = offsetof(struct conf_job, nparam) },
	{ "path", TEXTS(param), AT(path), .derived = true,
	  .doc = "parameters whose values make the params path; by default "
		 "all, in the order written" },
	{ "setup", TEXTS(shell), AT(setup),
	  .doc = "commands before the first iteration, each run with sh -ec" },
	{ "command", TEXT(shell), AT(command), .required = true,
	  .doc = "the measured command, run with sh -ec in the work folder" },
	{ "cleanup", TEXTS(shell), AT(cleanup),
	  .doc = "commands after each iteration, not measured" },
	{ "teardown", TEXTS(shell), AT(teardown),
	  .doc = "commands after the last iteration" },
	{ "iterations", CONF_INT, AT(iterations), .def = "3",
	  .doc = "measured repetitions in one boot", RANGE(1, 9999) },
	{ "warmup", CONF_INT, AT(warmup), .def = "0",
	  .doc = "iterations before them that are thrown away", RANGE(0, 999) },
	{ "time_limit", CONF_MS, AT(time_limit_ms), .def = "10m",
	  .doc = "of one iteration", RANGE(100, 30 * DAY_MS) },
	{ "setup_limit", CONF_MS, AT(setup_limit_ms), .def = "5m",
	  .doc = "of each set-up, cleanup and teardown command",
	  RANGE(100, DAY_MS) },
	{ "run_limit", CONF_MS, AT(run_limit_ms),
	  .doc = "of the whole run; by default what the limits above add up "
		 "to, and a minute",
	  RANGE(1000, 60 * DAY_MS) },
	{ "bundles", TEXTS(name), AT(bundles),
	  .doc = "images with the workload's programs" },
	{ "needs.memory", CONF_SIZE, AT(needs.memory), .def = "0",
	  .doc = "RAM without which the run is refused", RANGE(0, 1024 * GIB) },
	{ "needs.cpus", CONF_INT, AT(needs.cpus), .def = "0",
	  .doc = "online CPUs likewise", RANGE(0, 8192) },
	{ "env", TEXTS(env), AT(env), .doc = "more environment: NAME=value" },
	{ "keep", TEXTS(glob), AT(keep),
	  .doc = "patterns of files in the work folder that go into the "
		 "result, per iteration" },
	{ "monitor.interval", CONF_MS, AT(monitor.interval_ms), .def = "1s",
	  .doc = "between two samples", RANGE(10, 3600000) },
	{ "monitor.add", TEXTS(name), AT(monitor.add),
	  .doc = "monitors besides the usual ones" },
	{ "monitor.drop", TEXTS(name), AT(monitor.drop),
	  .doc = "usual monitors to leave out" },
	{ "monitor.slow_interval", CONF_MS, AT(monitor.slow_interval_ms),
	  .def = "0",
	  .doc = "between two samples of what is dear to read (slabinfo); 0: "
		 "only before and after",
	  RANGE(0, 3600000) },
	{ "tune", CONF_SUB, AT(tune), .doc = "wins over the host's",
	  .sub = conf_schema_tune },
	{ "limit.nofile", CONF_INT, AT(limit.nofile), .def = "65536",
	  .doc = "open files of a process", RANGE(64, 1048576) },
	{ "limit.output", CONF_SIZE, AT(limit.output), .def = "16M",
	  .doc = "of an iteration's stdout, and of its stderr",
	  RANGE(4096, 4 * GIB) },
	{ "limit.memory", CONF_SIZE, AT(limit.memory), .def = "0",
	  .doc = "memory.max of its cgroup; a memory cgroup costs page faults "
		 "about 4 %, 0 makes none",
	  RANGE(0, 1024 * GIB) },
	{ "limit.pids", CONF_INT, AT(limit.pids), .def = "16384",
	  .doc = "processes and threads", RANGE(8, 4194304) },
	{ "primary", TEXTS(stat), AT(primary),
	  .doc = "stats that get a verdict" },
	{ "extractors", TEXTS(name), AT(extractors),
	  .doc = "extractors of the workload's output; by default those of "
		 "the testcase" },
	{ "extract", CONF_GROUPS, AT(extract),
	  .doc = "stats found by regular expression, so that a new workload "
		 "needs no program code",
	  .sub = extract_key, .size = sizeof(struct conf_extract),
	  .count = offsetof(struct conf_job, nextract) },
	{ "profile.record", CONF_BOOL, AT(profile.record), .def = "false",
	  .doc = "one more iteration, not measured, under a profiler" },
	{ "profile.command", TEXT(shell), AT(profile.command),
	  .def = "perf record -a -g", .doc = "the profiler" },
	{ "unstable_retries", CONF_INT, AT(unstable_retries), .def = "2",
	  .doc = "how often an unstable run is run again", RANGE(0, 100) },
	{ .path = NULL },
};
#undef AT_STRUCT

/* ---- experiments, kernels, controller ---- */

#define AT_STRUCT conf_experiment
static const struct conf_key experiment_key[] = {
	{ "name", TEXT(name), AT(name),
	  .doc = "by default the file's name without .cfg" },
	{ "kind", CONF_TEXT, AT(kind),
	  "queue: count runs of every job; ab: blocks of boots of two or more "
	  "kernels",
	  CHOICE("queue|ab"), .required = true },
	{ "boxes", TEXTS(name), AT(boxes), .required = true },
	{ "kernels", TEXTS(name), AT(kernels),
	  .doc = "queue: one, by default the box's home kernel; ab: the base "
		 "first, then its heads" },
	{ "builds", TEXTS(builds), AT(builds),
	  .doc = "ab: for each kernel of several builds (other layouts of one "
		 "commit) a text of names, its own first: every block takes "
		 "one of them" },
	{ "jobs", TEXTS(name), AT(jobs), .required = true },
	{ "iterations", TEXTS(iterations), AT(iterations),
	  .doc = "ab: \"JOB N\": so many iterations a run of that job instead "
		 "of its own number" },
	{ "iterations_from", CONF_I64, AT(iterations_from), .def = "0",
	  .doc = "ab: UNIX time, seconds; blocks begun until then have the "
		 "job's own number",
	  RANGE(0, INT64_MAX) },
	{ "iterations_auto", CONF_BOOL, AT(iterations_auto), .def = "false",
	  .doc = "ab: choose the number after three blocks, by the spread "
		 "within and between boots and by their times" },
	{ "iterations_why", TEXT(line), AT(iterations_why),
	  .doc = "what was chosen, and why" },
	{ "count", CONF_INT, AT(count), .def = "1", .doc = "queue: runs",
	  RANGE(1, 100000) },
	{ "blocks", CONF_INT, AT(blocks), .def = "10",
	  .doc = "ab: kept blocks wanted", RANGE(1, 10000) },
	{ "until_decided", CONF_BOOL, AT(until_decided), .def = "false",
	  .doc = "ab: stop as soon as the verdict is settled" },
	{ "max_blocks", CONF_INT, AT(max_blocks), .def = "40",
	  .doc = "ab: give up after so many", RANGE(1, 10000) },
	{ "jobs_share_boot", CONF_BOOL, AT(jobs_share_boot), .def = "false",
	  .doc = "all jobs in one boot instead of a boot each" },
	{ "boot", CONF_CHOICE, AT(boot), .def = "firmware",
	  .doc = "how the box gets from kernel to kernel",
	  CHOICE("firmware|kexec") },
	{ "seed", CONF_U64, AT(seed), .def = "0",
	  .doc = "of the order of boots" },
	{ "delta", CONF_FRACTION, AT(delta), .def = "0.01",
	  .doc = "the change that matters" },
	{ "alpha", CONF_FRACTION, AT(alpha), .def = "0.05",
	  .doc = "false alarms accepted" },
	{ "attempts", CONF_INT, AT(attempts), .def = "3",
	  .doc = "at one run, then it is given up", RANGE(1, 100) },
	{ "stopped", CONF_BOOL, AT(stopped), .def = "false",
	  .doc = "no more runs" },
	{ "created", CONF_I64, AT(created), .def = "0",
	  .doc = "UNIX time, seconds", RANGE(0, INT64_MAX) },
	{ .path = NULL },
};
#undef AT_STRUCT

#define AT_STRUCT conf_kernel
static const struct conf_key kernel_key[] = {
	{ "name", TEXT(name), AT(name), .required = true },
	{ "id", TEXT(digest), AT(id), .required = true,
	  .doc = "SHA-256 over image, modules and command line" },
	{ "build_id", TEXT(hex), AT(build_id), .doc = "of /sys/kernel/notes" },
	{ "release", TEXT(line), AT(release), .doc = "uname -r" },
	{ "version", TEXT(line), AT(version), .doc = "uname -v" },
	{ "append", TEXT(line), AT(append),
	  .doc = "command line that belongs to it" },
	{ "build_of", TEXT(name), AT(build_of),
	  .doc = "the kernel that this one is another build of" },
	{ "image_sha256", TEXT(digest), AT(image_sha256) },
	{ "modules_sha256", TEXT(digest), AT(modules_sha256) },
	{ "origin", TEXT(line), AT(origin), .doc = "package or tree" },
	{ "commit", TEXT(line), AT(commit) },
	{ "title", TEXT(line), AT(title), .doc = "the commit's" },
	{ "compiler", TEXT(line), AT(compiler) },
	{ "config", CONF_BOOL, AT(config), .def = "false",
	  .doc = "its configuration is kept beside it" },
	{ "system_map", CONF_BOOL, AT(system_map), .def = "false",
	  .doc = "its System.map is kept beside it" },
	{ "added", CONF_I64, AT(added), .def = "0", .doc = "UNIX time, seconds",
	  RANGE(0, INT64_MAX) },
	{ .path = NULL },
};
#undef AT_STRUCT

#define AT_STRUCT conf_controller
static const struct conf_key controller_key[] = {
	{ "address", TEXT(hostport), AT(address),
	  .doc = "what boxes are told" },
	{ "user", TEXT(user), AT(user),
	  .doc = "the account; by default the one that enrolls" },
	{ "boot", TEXT(path), AT(boot),
	  .doc = "the TFTP or HTTP server's root; by default HOME/boot" },
	{ "boot_url", TEXT(url), AT(boot_url),
	  .doc = "where iPXE finds it; without: by TFTP" },
	{ "boot_group", TEXT(user), AT(boot_group),
	  .doc = "that group may read it, the server's" },
	{ .path = NULL },
};
#undef AT_STRUCT

const struct conf_schema conf_schema[] = {
	[CONF_HOST] = { "host", "conf/hosts/BOX.cfg", "hosts", host_key,
			sizeof(struct conf_host), "box", conf_rules_host },
	[CONF_JOB] = { "job", "conf/jobs/JOB.cfg", "jobs", job_key,
		       sizeof(struct conf_job), "name", conf_rules_job },
	[CONF_EXPERIMENT] = { "experiment", "conf/experiments/EXPERIMENT.cfg",
			      "experiments", experiment_key,
			      sizeof(struct conf_experiment), "name",
			      conf_rules_experiment },
	[CONF_KERNEL] = { "kernel", "kernels/KERNEL/kernel.cfg", "kernels",
			  kernel_key, sizeof(struct conf_kernel), NULL, NULL },
	[CONF_CONTROLLER] = { "controller", "conf/controller.cfg", "conf",
			      controller_key, sizeof(struct conf_controller),
			      NULL, NULL },
};
