// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Writes reproduce.sh: what a kernel developer can read, run and change. It
 * tunes, sets up, runs the iterations and tears down; it does not sample.
 */
#include "reproduce.h"
#include "quote.h"

#include <stdio.h>
#include <string.h>

#define CPUS   "/sys/devices/system/cpu/"
#define KERNEL "/proc/sys/kernel/"

/*
 * Stands for `ironrig-agent wait-tcp' where nothing of ours is: sees servers on
 * this machine only, which is where a job's set-up starts them.
 */
static const char wait_tcp[] =
	"\n# ---- a machine without ironrig-agent ----\n"
	"if ! command -v ironrig-agent >/dev/null; then\n"
	"\tmkdir bin\n"
	"\tcat >bin/ironrig-agent <<'SH'\n"
	"#!/bin/sh\n"
	"# wait-tcp ADDRESS:PORT [SECONDS]: until somebody listens there\n"
	"[ \"$1\" = wait-tcp ] || exit 127\n"
	"port=$(printf %04X \"${2##*:}\")\n"
	"left=${3:-30}\n"
	"until cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |\n"
	"\tgrep -q \"^ *[0-9]*: [0-9A-F]*:$port [0-9A-F]*:0000 0A\"; do\n"
	"\tleft=$((left - 1))\n"
	"\t[ \"$left\" -gt 0 ] || exit 1\n"
	"\tsleep 1\n"
	"done\n"
	"SH\n"
	"\tchmod +x bin/ironrig-agent\n"
	"\tPATH=$PATH:$work/bin\n"
	"fi\n";

static bool uses(const struct conf_job *job, const char *what)
{
	if (strstr(job->command, what))
		return true;
	for (size_t i = 0; i < job->setup.n; i++)
		if (strstr(job->setup.v[i], what))
			return true;
	return false;
}

static void comment(struct buf *out, const char *name, const char *value)
{
	if (value && *value)
		buf_printf(out, "# %-10s %s\n", name, value);
}

static void header(const struct result *r, const struct conf_job *job,
		   struct buf *out)
{
	buf_puts(out, "#!/bin/sh\n");
	buf_puts(out, "# Repeats by hand what was measured. Run as root on a "
		      "machine like the one named\n"
		      "# below; what it tunes stays tuned until the next "
		      "boot.\n#\n");
	comment(out, "job", r->job);
	comment(out, "path", r->params_path);
	comment(out, "box", r->box);
	comment(out, "CPU", r->cpu_model);
	buf_printf(out, "# %-10s %u online, %llu MiB of memory\n", "",
		   r->cpus_online, (unsigned long long)(r->memory_kb / 1024));
	comment(out, "kernel", r->kernel);
	comment(out, "release", r->release);
	comment(out, "build-id", r->build_id);
	comment(out, "boot_id", r->boot_id);
	for (size_t i = 0; i < job->bundles.n; i++)
		comment(out, "programs", job->bundles.v[i]);
	if (uses(job, "ironrig-agent scale"))
		comment(out, "programs", "ironrig-agent, one static file: the "
					 "workload is built in");
	/* commands are in single quotes: the inner shell expands them */
	buf_puts(out, "#\n# shellcheck disable=SC2016,SC3045 # (every shell "
		      "has ulimit -n)\nset -eu\n");
}

/* ---- tuning ---- */

static void put(struct buf *out, const char *value, const char *file)
{
	buf_puts(out, "put ");
	quote_word(value, out);
	buf_printf(out, " %s\n", file);
}

static void put_number(struct buf *out, int value, const char *file)
{
	if (value != CONF_KEEP)
		buf_printf(out, "put %d %s\n", value, file);
}

static void per_cpu(struct buf *out, const char *value, const char *file)
{
	if (!value)
		return;
	buf_puts(out,
		 "# every CPU that is online; cpu0 often has no such file\n"
		 "for cpu in " CPUS "cpu[0-9]*; do\n"
		 "\tif [ -f \"$cpu/online\" ] &&\n"
		 "\t\t[ \"$(cat \"$cpu/online\")\" = 0 ]; then\n"
		 "\t\tcontinue\n"
		 "\tfi\n\t");
	buf_puts(out, "put ");
	quote_word(value, out);
	buf_printf(out, " \"$cpu/%s\"\ndone\n", file);
}

/* little-endian, as every machine of this rig is */
static void latency(struct buf *out, int us)
{
	unsigned int v = (unsigned int)us;

	if (us == CONF_KEEP)
		return;
	buf_printf(out,
		   "# no deeper C-state than %d us as long as 9 is open\n"
		   "if [ -w /dev/cpu_dma_latency ]; then\n"
		   "\texec 9>/dev/cpu_dma_latency\n"
		   "\tprintf '\\%03o\\%03o\\%03o\\%03o' >&9\n"
		   "fi\n",
		   us, v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24 & 255);
}

static void processor(const struct conf_tune *t, struct buf *out)
{
	char epb[16];

	if (t->smt != CONF_KEEP)
		put(out, t->smt ? "on" : "off", CPUS "smt/control");
	per_cpu(out, t->governor, "cpufreq/scaling_governor");
	if (t->turbo != CONF_KEEP) { /* a machine has one of the two */
		put_number(out, !t->turbo, CPUS "intel_pstate/no_turbo");
		put_number(out, t->turbo, CPUS "cpufreq/boost");
	}
	put_number(out, t->min_perf_pct, CPUS "intel_pstate/min_perf_pct");
	per_cpu(out, t->epp, "cpufreq/energy_performance_preference");
	snprintf(epb, sizeof(epb), "%d", t->epb);
	per_cpu(out, t->epb == CONF_KEEP ? NULL : epb,
		"power/energy_perf_bias");
	latency(out, t->cstate_latency_us);
}

static void tuning(const struct conf_tune *t, struct buf *out)
{
	buf_puts(out, "\n# ---- tuning ----\n"
		      "put() { # put VALUE FILE: when this machine has it\n"
		      "\tif [ -w \"$2\" ]; then\n"
		      "\t\techo \"$1\" >\"$2\" || echo \"$2: not set\" >&2\n"
		      "\tfi\n"
		      "}\n");
	processor(t, out);
	put_number(out, t->nmi_watchdog, KERNEL "nmi_watchdog");
	put_number(out, t->timer_migration, KERNEL "timer_migration");
	put_number(out, t->stat_interval_s, "/proc/sys/vm/stat_interval");
	if (t->irq_affinity) {
		buf_puts(out, "for irq in /proc/irq/[0-9]*; do\n\t");
		put(out, t->irq_affinity, "\"$irq/smp_affinity_list\"");
		buf_puts(out, "done\n");
	}
	if (t->thp)
		put(out, t->thp, "/sys/kernel/mm/transparent_hugepage/enabled");
	put_number(out, t->numa_balancing, KERNEL "numa_balancing");
	put_number(out, t->aslr, KERNEL "randomize_va_space");
}

/* ---- the job ---- */

static void environment(const struct conf_job *job, const struct strlist *env,
			struct buf *out)
{
	buf_puts(out, "\n# ---- environment and parameters ----\n"
		      "work=$(mktemp -d)\n"
		      "cd \"$work\"\n");
	for (size_t i = 0; i < env->n; i++) {
		const char *equals = strchr(env->v[i], '=');

		if (!equals || !strncmp(env->v[i], "PATH=", 5))
			continue;
		if (!strncmp(env->v[i], "HOME=", 5)) {
			buf_puts(out, "export HOME=\"$work\"\n");
			continue;
		}
		buf_printf(out, "export %.*s=", (int)(equals - env->v[i]),
			   env->v[i]);
		quote_word(equals + 1, out);
		buf_puts(out, "\n");
	}
	buf_printf(out,
		   "ulimit -n %d || echo \"open files: $(ulimit -n)\" >&2\n",
		   job->limit.nofile);
	if (uses(job, "ironrig-agent wait-tcp"))
		buf_puts(out, wait_tcp);
}

static void commands(const char *title, const struct strlist *list,
		     const char *indent, struct buf *out)
{
	if (list->n && title)
		buf_printf(out, "\n# ---- %s ----\n", title);
	for (size_t i = 0; i < list->n; i++) {
		buf_printf(out, "%ssh -ec ", indent);
		quote_word(list->v[i], out);
		buf_puts(out, "\n");
	}
}

int reproduce_text(const struct result *r, const struct conf_job *job,
		   const struct conf_tune *want, const struct strlist *env,
		   struct buf *out, struct err *e)
{
	char warm[48] = "";

	header(r, job, out);
	tuning(want, out);
	environment(job, env, out);
	commands("set-up", &job->setup, "", out);
	if (job->warmup)
		snprintf(warm, sizeof(warm), ", the first %d to warm up",
			 job->warmup);
	buf_printf(out,
		   "\n# ---- %d iterations%s ----\n"
		   "i=1\n"
		   "while [ \"$i\" -le %d ]; do\n"
		   "\techo \"# iteration $i\"\n"
		   "\tsh -ec ",
		   job->warmup + job->iterations,
		   warm,
		   job->warmup + job->iterations);
	quote_word(job->command, out);
	buf_puts(out, "\n");
	commands(NULL, &job->cleanup, "\t", out);
	buf_puts(out, "\ti=$((i + 1))\ndone\n");
	commands("tear-down", &job->teardown, "", out);
	buf_puts(out, "\necho \"# files of the job: $work\"\n");
	return buf_ok(out, e);
}
