// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * One knob on the CPUs, interrupts, or the machine it belongs to: where its
 * files are, reading and writing them in our words, and whether a value is what
 * was asked. Which knobs there are and in which order is tune.c's.
 */
#include "tunerow.h"
#include "cpulist.h"
#include "io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tunerow_path(const struct applied *a, const char *file, unsigned int id,
		  char out[PATH_MAX])
{
	if (a->knob->where == ON_CPU)
		snprintf(out, PATH_MAX, CPUS "cpu%u/%s", id, file);
	else if (a->knob->where == ON_IRQ)
		snprintf(out, PATH_MAX, "proc/irq/%u/%s", id, file);
	else
		snprintf(out, PATH_MAX, "%s", file);
}

static void turn(const struct applied *a, char *s)
{
	/* only no_turbo says it the other way round, not boost */
	if (a->knob->inverse && a->path == a->knob->path[0] && !s[1])
		*s = *s == '1' ? '0' : *s == '0' ? '1' : *s;
}

/* "always [madvise] never": the kernel's way to show choice and choices */
static void unbracket(char *s)
{
	char *from = strchr(s, '[');
	size_t len = from ? strcspn(from + 1, "]") : 0;

	if (!from)
		return;
	memmove(s, from + 1, len);
	s[len] = '\0';
}

int tunerow_read(int root, const struct applied *a, unsigned int id,
		 char out[TUNE_TEXT])
{
	char path[PATH_MAX];
	struct err e = ERR_INIT;

	tunerow_path(a, a->path, id, path);
	*out = '\0';
	if (io_read_line(root, path, out, TUNE_TEXT, &e))
		return e.sys ? e.sys : EIO;
	unbracket(out);
	turn(a, out);
	return 0;
}

int tunerow_write(int root, const struct applied *a, unsigned int id,
		  const char *text)
{
	char path[PATH_MAX], turned[TUNE_TEXT];
	struct err e = ERR_INIT;

	tunerow_path(a, a->path, id, path);
	snprintf(turned, sizeof(turned), "%s", text);
	turn(a, turned);
	return io_write_file(root, path, turned, &e) ? e.sys : 0;
}

bool tunerow_fits(const struct applied *a, const char *got)
{
	if (a->knob->form == FORM_LATENCY) /* another request may be lower */
		return *got &&
		       strtol(got, NULL, 10) <= strtol(a->asked, NULL, 10);
	if (a->knob->form == FORM_ON_OFF && !strcmp(a->asked, "off"))
		/* a machine without siblings is what was asked for */
		return !strcmp(got, "off") || !strcmp(got, "forceoff") ||
		       !strcmp(got, "notsupported");
	return !strcmp(got, a->asked);
}

/* ---- which CPUs and interrupts there are ---- */

static struct cell *add_cell(struct applied *a, unsigned int id)
{
	struct cell *c = reallocarray(a->cell, a->n + 1, sizeof(*c));

	if (!c)
		return NULL;
	a->cell = c;
	c = &a->cell[a->n++];
	*c = (struct cell){ .id = id };
	return c;
}

/*
 * Of the present CPUs, the offline ones are listed and left alone: their
 * scaling_governor answers EBUSY. The lists are read instead of cpuN/online,
 * which cpu0 does not have.
 */
static int cpu_cells(int root, struct applied *a, struct err *e)
{
	struct cpulist present, online;
	char line[TUNE_TEXT * 8];

	if (cpulist_online(root, &online, e))
		return -1;
	if (io_read_line(root, CPUS "present", line, sizeof(line), NULL) ||
	    cpulist_parse(line, &present, NULL))
		present = online;
	for (int i = cpulist_next(&present, 0); i >= 0;
	     i = cpulist_next(&present, (unsigned int)i + 1)) {
		struct cell *c = add_cell(a, (unsigned int)i);

		if (!c)
			return err_set(e, ERR_LIMIT, "out of memory");
		c->offline = !cpulist_has(&online, (unsigned int)i);
	}
	return 0;
}

static int by_id(const void *x, const void *y)
{
	const struct cell *a = x, *b = y;

	return (a->id > b->id) - (a->id < b->id);
}

/* /proc/irq/N of every interrupt; the other entries are no folders */
static int irq_cells(int root, struct applied *a, struct err *e)
{
	int fd = openat(root, "proc/irq", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *de;
	uint64_t id;
	int rc = 0;

	if (!d) {
		io_close(&fd);
		return 0; /* no interrupts to move: told as missing */
	}
	while (!rc && (de = readdir(d)))
		if (!num_u64(de->d_name, CPULIST_MAX - 1, &id, NULL) &&
		    !add_cell(a, (unsigned int)id))
			rc = err_set(e, ERR_LIMIT, "out of memory");
	closedir(d);
	if (a->n)
		qsort(a->cell, a->n, sizeof(a->cell[0]), by_id);
	return rc;
}

int tunerow_cells(int root, struct applied *a, struct err *e)
{
	if (a->knob->where == ON_CPU)
		return cpu_cells(root, a, e);
	if (a->knob->where == ON_IRQ)
		return irq_cells(root, a, e);
	return add_cell(a, 0) ? 0 : err_set(e, ERR_LIMIT, "out of memory");
}

bool tunerow_holds(const struct applied *a)
{
	size_t online = 0;

	for (size_t i = 0; i < a->n; i++) {
		if (a->cell[i].offline)
			continue;
		online++;
		if (!a->cell[i].held)
			return false;
	}
	return online > 0;
}
