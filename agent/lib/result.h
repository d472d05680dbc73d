/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_RESULT_H
#define IRONRIG_RESULT_H

#include "buf.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * result.cfg, the first member of every result: who ran what, how it ended,
 * what the tuning asked and got, and whether the box was quiet. libconfig
 * syntax; written by the agent (or by the controller for a lost run), read by
 * the controller, which trusts nothing in it.
 *
 * box, job, lease and outcome must be there; every other text may be NULL for
 * "not known" (an empty one is written as that). Names are conf_name_ok(),
 * ids 64 hex digits, build_id hex, times and counters -1 or more; in free texts
 * control characters come back as blanks.
 */
enum outcome {
	OUTCOME_OK,	 /* every iteration completed */
	OUTCOME_FAILED,	 /* a command of the job exited non-zero or died */
	OUTCOME_TIMEOUT, /* a limit ended it */
	OUTCOME_REFUSED, /* not started: missing program, RAM, knob, kernel */
	OUTCOME_CRASHED, /* the kernel died in it; text in meta/crash */
	OUTCOME_LOST,	 /* the box never came back */
	OUTCOME_ABORTED, /* stopped from outside */
};

const char *outcome_name(enum outcome o);
int outcome_parse(const char *s, enum outcome *o); /* -1: no such name */

struct result_iter {
	int number;	/* 1.. as in iter/001 */
	bool warmup, profile; /* kept out of the measured ones */
	int exit_code;	/* -1 when a signal ended it */
	int signal;	/* 0 when it exited */
	bool timed_out, output_cut;
	int64_t start_ns, end_ns; /* CLOCK_MONOTONIC, the monitors' clock */
	/* wait4(2) of the command and what it waited for */
	int64_t utime_us, stime_us, maxrss_kb;
	int64_t minflt, majflt, inblock, oublock, nvcsw, nivcsw;
	/* cgroup cpu.stat usage over the window: daemons too; -1 unknown */
	int64_t cgroup_cpu_us;
};

struct result_knob {
	char *name;   /* "governor" */
	char *cpus;   /* "0-287", "" for a knob of the whole machine */
	char *asked, *before, *got;
	int sys;      /* errno of the write, 0 */
	bool required, held; /* held: got == asked at the end too */
};

struct result_proof {
	char *name;   /* "thermal_throttle", "steal", "governor", … */
	char *before, *after;
	bool known;   /* false: this machine does not tell */
	bool ok;
};

struct result {
	char *box, *group, *job, *testcase, *params_path;
	char *job_id; /* conf_job_id(); NULL: not told */
	char *kernel, *kernel_id, *build_id, *release; /* uname -r */
	char *boot_id, *lease, *experiment;
	int block, position, attempt; /* position of this boot in its block */
	char *boot_mode;   /* "firmware", "kexec", "running" (--once) */
	char *prev_kernel; /* uname -r of the kernel before this, or NULL */
	char *agent;	   /* version */
	int64_t start_s, end_s; /* UNIX time */
	unsigned int cpus_online;
	uint64_t memory_kb;
	char *cpu_model;
	enum outcome outcome;
	char *reason; /* one line when the outcome is not OK */
	bool stable;
	int64_t agent_cpu_us; /* agent + sampler over the measured windows */
	struct result_iter *iter;
	size_t niter;
	struct result_knob *knob;
	size_t nknob;
	struct result_proof *proof;
	size_t nproof;
};

int result_write(const struct result *r, struct buf *out, struct err *e)
	MUST_CHECK;
/* name is used in messages only. Limits: 1 MiB, 10000 entries a list. */
int result_parse(const char *text, const char *name, struct result *r,
		 struct err *e) MUST_CHECK;
void result_free(struct result *r);

/* "BOX.LEASE.tar.lz4" */
int result_file_name(const char *box, const char *lease, struct buf *out,
		     struct err *e) MUST_CHECK;
/* A fresh lease: 32 lower-case hex digits from getrandom(2). */
#define LEASE_LEN 32
int lease_new(char out[LEASE_LEN + 1], struct err *e) MUST_CHECK;
bool lease_ok(const char *s);
bool boot_id_ok(const char *s); /* 8-4-4-4-12 lower-case hex */

#endif
