/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_TUNEROW_H
#define IRONRIG_TUNEROW_H

#include "tune.h"

#include <limits.h>

/*
 * Inside of struct tune, shared by tune.c, which fills it, and tunetext.c,
 * which tells it. Nobody else includes this.
 */
#define CPUS	   "sys/devices/system/cpu/"
#define TUNE_TEXT  192 /* a list of governors; a CPU list of a wide machine */
#define TUNE_KNOBS 16

enum where {
	ON_MACHINE,
	ON_CPU,
	ON_IRQ
};
enum form {
	FORM_WORD,
	FORM_NUMBER,
	FORM_ON_OFF,
	FORM_CPU_SET,
	FORM_LATENCY
};

struct knob {
	const char *name; /* as in the configuration's `tune` and `require` */
	enum where where;
	enum form form;
	size_t want; /* offset of its member in struct conf_tune */
	const char *path[2]; /* below cpuN/ or irq/N/; the first that exists */
	const char *choices; /* file that lists what path takes, or NULL */
	bool inverse; /* path[0] says 1 for off */
};

struct cell { /* one knob on one CPU, or on one interrupt */
	unsigned int id;
	bool offline; /* left alone */
	bool written; /* and not yet put back */
	bool held;
	int sys;
	char before[TUNE_TEXT], got[TUNE_TEXT];
};

struct applied {
	const struct knob *knob;
	const char *path; /* the one of knob->path that is used */
	char asked[TUNE_TEXT];
	char note[256]; /* the first thing that went wrong, or "" */
	bool required;
	int fd; /* the latency request, -1 */
	struct cell *cell;
	size_t n;
};

struct tune {
	int root;
	struct applied v[TUNE_KNOBS];
	size_t n;
};

/* The file of the knob on CPU or interrupt id; file is below its folder. */
void tunerow_path(const struct applied *a, const char *file, unsigned int id,
		  char out[PATH_MAX]);
/* In the knob's words (turbo, not no_turbo). 0 or the errno. */
int tunerow_read(int root, const struct applied *a, unsigned int id,
		 char out[TUNE_TEXT]) MUST_CHECK;
int tunerow_write(int root, const struct applied *a, unsigned int id,
		  const char *text) MUST_CHECK;
/* Lists a->cell, none read yet. */
int tunerow_cells(int root, struct applied *a, struct err *e) MUST_CHECK;
/* Is got what was asked, or as good? */
bool tunerow_fits(const struct applied *a, const char *got);
/* Every online CPU has what was asked; false when there is none to have it. */
bool tunerow_holds(const struct applied *a);

#endif
