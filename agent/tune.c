// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The tuning knobs: one table, one row a knob. To add one: a member in struct
 * conf_tune with its schema row, and a row here. A knob that needs more than
 * "write a word, read it back" (the C-state latency request, which lasts as
 * long as a descriptor is open) has its own two functions below.
 *
 * Kernel behaviour that is being compared (THP, NUMA balancing, ASLR) stands in
 * the table too, because a job may ask for it; by default nobody does.
 * Files of a knob are tunerow.c's, telling the outcome is tunetext.c's work.
 */
#include "tune.h"
#include "cpulist.h"
#include "io.h"
#include "tunerow.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYSCTL	   "proc/sys/"
#define WORD(m)	   .form = FORM_WORD, .want = offsetof(struct conf_tune, m)
#define NUMBER(m)  .form = FORM_NUMBER, .want = offsetof(struct conf_tune, m)
#define ON_OFF(m)  .form = FORM_ON_OFF, .want = offsetof(struct conf_tune, m)
#define CPU_SET(m) .form = FORM_CPU_SET, .want = offsetof(struct conf_tune, m)
#define LATENCY(m) .form = FORM_LATENCY, .want = offsetof(struct conf_tune, m)

/*
 * In the order of writing. SMT stands first, because it decides which CPUs
 * there are; the governor before turbo, because changing it can reset no_turbo;
 * EPP behind both, because intel_pstate takes only "performance" (EBUSY) while
 * its performance governor runs.
 */
/* clang-format off */
static const struct knob knobs[] = {
	{ "smt", ON_MACHINE, ON_OFF(smt),
	  .path = { CPUS "smt/control" } },
	{ "governor", ON_CPU, WORD(governor),
	  .path = { "cpufreq/scaling_governor" },
	  .choices = "cpufreq/scaling_available_governors" },
	{ "turbo", ON_MACHINE, NUMBER(turbo),
	  .path = { CPUS "intel_pstate/no_turbo", CPUS "cpufreq/boost" },
	  .inverse = true },
	{ "min_perf_pct", ON_MACHINE, NUMBER(min_perf_pct),
	  .path = { CPUS "intel_pstate/min_perf_pct" } },
	{ "epp", ON_CPU, WORD(epp),
	  .path = { "cpufreq/energy_performance_preference" },
	  .choices = "cpufreq/energy_performance_available_preferences" },
	{ "epb", ON_CPU, NUMBER(epb),
	  .path = { "power/energy_perf_bias" } },
	{ "cstate_latency_us", ON_MACHINE, LATENCY(cstate_latency_us),
	  .path = { "dev/cpu_dma_latency" } },
	{ "nmi_watchdog", ON_MACHINE, NUMBER(nmi_watchdog),
	  .path = { SYSCTL "kernel/nmi_watchdog" } },
	{ "timer_migration", ON_MACHINE, NUMBER(timer_migration),
	  .path = { SYSCTL "kernel/timer_migration" } },
	{ "stat_interval", ON_MACHINE, NUMBER(stat_interval_s),
	  .path = { SYSCTL "vm/stat_interval" } },
	{ "irq_affinity", ON_IRQ, CPU_SET(irq_affinity),
	  .path = { "smp_affinity_list" } },
	{ "thp", ON_MACHINE, WORD(thp),
	  .path = { "sys/kernel/mm/transparent_hugepage/enabled" } },
	{ "numa_balancing", ON_MACHINE, NUMBER(numa_balancing),
	  .path = { SYSCTL "kernel/numa_balancing" } },
	{ "aslr", ON_MACHINE, NUMBER(aslr),
	  .path = { SYSCTL "kernel/randomize_va_space" } },
};
/* clang-format on */

/* What the configuration asks of k, in the file's words; false: nothing. */
static bool wanted(const struct knob *k, const struct conf_tune *t,
		   char out[TUNE_TEXT])
{
	const char *at = (const char *)t + k->want;
	const char *word;
	int n;

	if (k->form == FORM_WORD || k->form == FORM_CPU_SET) {
		memcpy(&word, at, sizeof(word));
		if (word)
			snprintf(out, TUNE_TEXT, "%s", word);
		return word;
	}
	memcpy(&n, at, sizeof(n));
	if (n == CONF_KEEP)
		return false;
	if (k->form == FORM_ON_OFF)
		snprintf(out, TUNE_TEXT, "%s", n ? "on" : "off");
	else
		snprintf(out, TUNE_TEXT, "%d", n);
	return true;
}

static void note(struct applied *a, const struct cell *c)
{
	char where[48] = "";

	if (*a->note)
		return;
	if (a->knob->where == ON_CPU)
		snprintf(where, sizeof(where), " on cpu%u", c->id);
	else if (a->knob->where == ON_IRQ)
		snprintf(where, sizeof(where), " on irq %u", c->id);
	if (c->sys == ENOENT)
		snprintf(a->note, sizeof(a->note),
			 "not supported%s: there is no %s", where, a->path);
	else if (c->sys)
		snprintf(a->note, sizeof(a->note), "refused%s: %s", where,
			 strerrordesc_np(c->sys));
	else
		snprintf(a->note, sizeof(a->note), "%.60s instead%s", c->got,
			 where);
}

/* "powersave" asked of a driver that has only two others: say which. */
static void note_choices(int root, struct applied *a, const struct cell *c)
{
	char path[PATH_MAX], choice[TUNE_TEXT], *word, *save;

	if (!a->knob->choices || *a->note)
		return;
	tunerow_path(a, a->knob->choices, c->id, path);
	if (io_read_line(root, path, choice, sizeof(choice), NULL))
		return;
	snprintf(a->note, sizeof(a->note), "cpu%u offers only: %.200s", c->id,
		 choice);
	for (word = strtok_r(choice, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		if (!strcmp(word, a->asked))
			*a->note = '\0';
}

/*
 * In three passes over the CPUs, because several may share one cpufreq policy:
 * writing the first changes what the second would be found at.
 */
static void set_words(int root, struct applied *a)
{
	for (size_t i = 0; i < a->n; i++) {
		struct cell *c = &a->cell[i];

		if (c->offline)
			memcpy(c->before, "offline", sizeof("offline"));
		else
			c->sys = tunerow_read(root, a, c->id, c->before);
	}
	for (size_t i = 0; i < a->n; i++) {
		struct cell *c = &a->cell[i];

		if (c->offline || c->sys || tunerow_fits(a, c->before))
			continue;
		c->sys = tunerow_write(root, a, c->id, a->asked);
		c->written = !c->sys;
		if (c->sys)
			note_choices(root, a, c);
	}
	for (size_t i = 0; i < a->n; i++) {
		struct cell *c = &a->cell[i];
		int sys;

		if (c->offline) {
			memcpy(c->got, "offline", sizeof("offline"));
			continue;
		}
		sys = tunerow_read(root, a, c->id, c->got);
		if (!c->sys)
			c->sys = sys;
		c->held = !sys && tunerow_fits(a, c->got);
		if (!c->held)
			note(a, c);
	}
}

/* The request lasts while the file is open; what is read is the lowest of all
 * requests (kernel/power/qos.c).
 */
static void set_latency(int root, struct applied *a)
{
	struct cell *c = &a->cell[0];
	int32_t us = (int32_t)strtol(a->asked, NULL, 10), was, is;

	a->fd = openat(root, a->path, O_RDWR | O_CLOEXEC);
	if (a->fd < 0) {
		c->sys = errno;
		note(a, c);
		return;
	}
	if (pread(a->fd, &was, sizeof(was), 0) == (ssize_t)sizeof(was))
		snprintf(c->before, sizeof(c->before), "%d", was);
	if (pwrite(a->fd, &us, sizeof(us), 0) != (ssize_t)sizeof(us))
		c->sys = errno;
	if (pread(a->fd, &is, sizeof(is), 0) == (ssize_t)sizeof(is))
		snprintf(c->got, sizeof(c->got), "%d", is);
	c->held = tunerow_fits(a, c->got);
	if (!c->held)
		note(a, c);
}

static void choose_path(int root, struct applied *a)
{
	a->path = a->knob->path[0];
	if (a->knob->path[1] && faccessat(root, a->path, F_OK, 0) < 0 &&
	    !faccessat(root, a->knob->path[1], F_OK, 0))
		a->path = a->knob->path[1];
}

static int set_one(int root, const struct knob *k, const struct conf_tune *want,
		   struct tune *t, struct err *e)
{
	struct applied *a = &t->v[t->n];
	struct cpulist set;
	struct buf text = { 0 };

	*a = (struct applied){ .knob = k, .fd = -1 };
	if (!wanted(k, want, a->asked))
		return 0;
	t->n++;
	a->required = strlist_has(&want->require, k->name);
	choose_path(root, a);
	if (k->form == FORM_CPU_SET && !cpulist_parse(a->asked, &set, NULL)) {
		cpulist_format(&set, &text); /* as the kernel writes it */
		snprintf(a->asked, sizeof(a->asked), "%s", buf_str(&text));
		buf_free(&text);
	}
	if (tunerow_cells(root, a, e))
		return err_prefix(e, "%s", k->name);
	if (!a->n)
		snprintf(a->note, sizeof(a->note), "nothing to set");
	else if (k->form == FORM_LATENCY)
		set_latency(root, a);
	else
		set_words(root, a);
	return 0;
}

int tune_apply(int root, const struct conf_tune *want, struct tune **out,
	       struct err *e)
{
	struct tune *t = calloc(1, sizeof(*t));

	*out = NULL;
	if (!t)
		return err_set(e, ERR_LIMIT, "out of memory");
	t->root = root;
	_Static_assert(sizeof(knobs) / sizeof(knobs[0]) <= TUNE_KNOBS, "room");
	*out = t;
	for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++)
		if (set_one(root, &knobs[i], want, t, e))
			return -1;
	for (size_t i = 0; i < t->n; i++) {
		const struct applied *a = &t->v[i];

		if (a->required && !tunerow_holds(a))
			return err_set(e, ERR_UNSUPPORTED,
				       "required %s=%s does not hold: %s",
				       a->knob->name, a->asked, a->note);
	}
	return 0;
}

int tune_verify(struct tune *t, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct applied *a = &t->v[i];

		for (size_t j = 0; j < a->n; j++) {
			struct cell *c = &a->cell[j];
			int32_t us = 0;
			bool had = c->held;

			if (!had)
				continue;
			if (a->fd >= 0 && pread(a->fd, &us, sizeof(us), 0) > 0)
				snprintf(c->got, sizeof(c->got), "%d", us);
			else if (a->fd < 0)
				c->sys =
					tunerow_read(t->root, a, c->id, c->got);
			c->held = !c->sys && tunerow_fits(a, c->got);
			if (c->held || rc)
				continue;
			note(a, c);
			rc = err_set(e, ERR_CONFLICT,
				     "%s=%s held at first, now it is \"%s\"",
				     a->knob->name, a->asked, c->got);
		}
	}
	return rc;
}

int tune_restore(struct tune *t, struct err *e)
{
	int rc = 0;

	for (size_t i = t->n; i-- > 0;) {
		struct applied *a = &t->v[i];

		io_close(&a->fd);
		for (size_t j = a->n; j-- > 0;) {
			struct cell *c = &a->cell[j];
			int sys;

			if (!c->written)
				continue;
			sys = tunerow_write(t->root, a, c->id, c->before);
			c->written = false;
			if (sys && !rc)
				rc = err_set(e, ERR_CONFLICT,
					     "%s (%s) not put back to %s: %s",
					     a->knob->name, a->path, c->before,
					     strerrordesc_np(sys));
		}
	}
	return rc;
}

void tune_free(struct tune *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++) {
		io_close(&t->v[i].fd);
		free(t->v[i].cell);
	}
	free(t);
}
