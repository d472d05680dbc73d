/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_SAMPLER_H
#define IRONRIG_SAMPLER_H

#include "counters.h"
#include "monitor.h"

#include <stdbool.h>

/*
 * Inside of the monitors: the sources, and reading them. monitor.c makes and
 * steers the child, sampler.c is what runs in it.
 */
enum source_flag {
	USUAL = 1, /* without being asked for */
	SLOW = 2, /* dear to read: see the table in sampler.c */
	SLOW_WHEN_WIDE = 4, /* its size grows with the CPUs */
};

struct source {
	const char *name;
	const char *pattern; /* below root; NULL: hardware counters */
	unsigned int flags; /* of enum source_flag */
};

struct sampler_file {
	int fd; /* -1: too many to keep open, opened for each sample */
	char *path;
};

struct sampled {
	const struct source *source;
	bool slow;
	struct sampler_file *file;
	size_t nfile;
	struct counters *counters;
	int out;
	uint64_t lost; /* samples that could not be written */
};

struct sampler {
	int root;
	struct sampled *v;
	size_t n;
	char *text; /* room for the largest sample */
	size_t room;
	int64_t interval_ns, slow_ns;
};

int sampler_open(const struct monitor_request *rq, struct sampler *s,
		 struct buf *notes, struct err *e) MUST_CHECK;
/* One sample of each source; of the slow ones too when slow is true. */
void sampler_take(struct sampler *s, bool slow);
/* Serves windows until ctl is closed: 'b' and 'e' are answered with CPU ns. */
void sampler_serve(struct sampler *s, int ctl);
void sampler_close(struct sampler *s);

#endif
