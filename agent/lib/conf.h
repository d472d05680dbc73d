/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CONF_H
#define IRONRIG_CONF_H

#include "buf.h"
#include "num.h"
#include "sha256.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * What people write: host, job, experiment, kernel and controller files, in
 * libconfig syntax. One schema table (conf_schema.c) names every key with its
 * type, unit, range and default; loading, checking and conf/KEYS.md come from
 * it. An unknown key is an error that names the nearest known one.
 *
 * Strings are owned by the struct; conf_X_free() frees them, takes a zeroed or
 * half-loaded struct, and zeroes it. NULL in a string means "not given" where
 * the table has no default. CONF_KEEP in a tuning number means "leave alone".
 */
#define CONF_KEEP (-1)

/* A problem in a file, in the order of lines. */
struct conf_problem {
	unsigned int line; /* 0: the file as a whole */
	char key[96];	   /* dotted path, "" when there is none */
	char msg[256];	   /* what is wrong and what was expected */
};

struct conf_report {
	char *file;
	struct conf_problem *v;
	size_t n;
};

void conf_report_free(struct conf_report *r);
/* "FILE:LINE: KEY: what is wrong\n" for each. */
void conf_report_print(const struct conf_report *r, FILE *to);

enum conf_kind {
	CONF_HOST,
	CONF_JOB,
	CONF_EXPERIMENT,
	CONF_KERNEL,
	CONF_CONTROLLER,
};

enum boot_mode { BOOT_FIRMWARE, BOOT_KEXEC };
enum box_end { END_REBOOT, END_POWEROFF, END_HALT };

struct conf_tune {
	char *governor;	       /* NULL: leave */
	int turbo;	       /* 0 off, 1 on, CONF_KEEP */
	int nmi_watchdog;      /* 0, 1, CONF_KEEP */
	int cstate_latency_us; /* value for /dev/cpu_dma_latency, CONF_KEEP */
	int min_perf_pct;      /* intel_pstate, CONF_KEEP */
	char *epp;	       /* energy_performance_preference, NULL: leave */
	int epb;	       /* energy_perf_bias 0..15, CONF_KEEP */
	int smt;	       /* 0 off, 1 on, CONF_KEEP */
	int timer_migration;   /* 0, 1, CONF_KEEP */
	int stat_interval_s;   /* vm.stat_interval, CONF_KEEP */
	char *irq_affinity;    /* CPU list, NULL: leave */
	char *thp;	       /* always|madvise|never, NULL: leave */
	int numa_balancing;    /* CONF_KEEP */
	int aslr;	       /* kernel.randomize_va_space, CONF_KEEP */
	struct strlist require; /* knobs that must hold; the others are tried */
};

struct conf_nic {
	char *nic;     /* interface name, or */
	char *mac;     /* "aa:bb:cc:dd:ee:ff", lower case */
	char *address; /* "192.0.2.7/24", NULL: DHCP */
	int mtu;       /* 0: leave */
};

struct conf_host {
	char *box; /* by default the file's name without .cfg */
	char *group;
	char *description;
	char *controller; /* "host:port" */
	char *user;	  /* the controller's account, default "ironrig" */
	struct {
		char *mac; /* management NIC */
		char *nic;
		int vlan; /* 0: none */
		char *address;
		char *gateway;
		struct strlist dns;
		int mtu;       /* 0: leave */
		int timeout_s; /* how long link and DHCP may take, 60 */
		struct conf_nic *workload;
		size_t nworkload;
	} net;
	char *console;		/* "ttyS0,115200" */
	char *kernel;		/* home kernel's name */
	char *append;		/* more kernel command line */
	enum boot_mode boot;
	struct strlist modules; /* besides what modalias asks for */
	struct {
		char *device;  /* "/dev/watchdog0" */
		int timeout_s; /* 60 */
		bool require;
	} watchdog;
	struct {
		uint64_t results; /* bytes; sizes of the tmpfs mounts */
		uint64_t work;
		uint64_t tmp;
	} memory;
	struct conf_tune tune;
	struct {
		char *cycle, *off, *on, *console; /* shell commands */
		int max_cycles; /* in a row, by tend */
	} power;
	struct {
		uint64_t bytes; /* incoming + quarantine of this box */
		int files;
	} quota;
	int boot_deadline_s; /* from reboot to hello */
	int ship_deadline_s; /* how long the agent retries to reach home */
	int idle_s;	     /* between two asks when there is nothing to do */
	enum box_end end;    /* what follows when it cannot ship */
	int panic_s;	     /* panic= on the command line */
	bool softlockup_panic;
	bool hung_task_panic;
	bool borrowed; /* it boots itself when there is nothing to do */
};

struct conf_param {
	char *name;  /* [a-z][a-z0-9_]* : the job's shell sees it as $name */
	char *value; /* as written: "100%" */
};

struct conf_extract {
	char *name;   /* stat's name, below the testcase: "TESTCASE.NAME" */
	char *regex;  /* REG_EXTENDED | REG_NEWLINE, one group: the number */
	char *unit;
	char *better; /* "higher", "lower", "none" */
	char *file;   /* within iter/NNN, default "stdout" */
};

struct conf_job {
	char *name; /* file name without .cfg */
	char *description;
	char *testcase;
	struct conf_param *param; /* in the order written */
	size_t nparam;
	struct strlist path;  /* parameters of the params path, in order */
	struct strlist setup; /* shell commands, each run with sh -ec */
	char *command;	      /* the measured one */
	struct strlist cleanup;	 /* after each iteration, outside the window */
	struct strlist teardown;
	int iterations; /* 3 */
	int warmup;	/* 0; iterations that are run and thrown away */
	int64_t time_limit_ms;	/* one iteration */
	int64_t setup_limit_ms; /* each set-up, cleanup, teardown command */
	int64_t run_limit_ms;	/* the whole run */
	struct strlist bundles;
	struct {
		uint64_t memory; /* bytes of RAM */
		int cpus;
	} needs;
	struct strlist env; /* NAME=value */
	struct strlist keep; /* globs in the work folder, copied to iter/NNN */
	struct {
		int64_t interval_ms; /* 1000 */
		struct strlist add;  /* monitors besides the default set */
		struct strlist drop;
		int64_t slow_interval_ms; /* dear files; 0: start and end */
	} monitor;
	struct conf_tune tune; /* what is given here wins over the host's */
	struct {
		int nofile;	 /* RLIMIT_NOFILE of the job */
		uint64_t output; /* bytes of stdout, and of stderr */
		uint64_t memory; /* memory.max, 0: no memory cgroup */
		int pids;	 /* pids.max */
	} limit;
	struct strlist primary; /* stats that get a verdict */
	struct strlist extractors; /* by default chosen by testcase */
	struct conf_extract *extract;
	size_t nextract;
	struct {
		bool record;   /* one more iteration, under perf record */
		char *command; /* default "perf record -a -g" */
	} profile;
	int unstable_retries; /* 2 */
};

/* What to run on which boxes; written by `ironrig queue` and `ironrig ab`. */
struct conf_experiment {
	char *name;
	char *kind; /* "queue": count runs of one job; "ab": blocks */
	struct strlist boxes;
	struct strlist kernels; /* queue: one; ab: base first, then heads */
	/* ab: "KERNEL BUILD..." of each kernel that has several, itself first */
	struct strlist builds;
	struct strlist jobs;
	/*
	 * ab: "JOB N" of each whose runs have other iterations than its file
	 * says, in blocks begun after that time (UNIX s; 0: in all). auto and
	 * still without a time: to be chosen after the first blocks.
	 */
	struct strlist iterations;
	int64_t iterations_from;
	bool iterations_auto;
	char *iterations_why; /* for people */
	int count;  /* queue */
	int blocks; /* ab: kept blocks wanted (fixed n) */
	bool until_decided;
	int max_blocks;
	bool jobs_share_boot;
	enum boot_mode boot;
	uint64_t seed;
	double delta; /* fraction: 0.01 */
	double alpha;
	int attempts; /* of one slot before it is given up, 3 */
	bool stopped;
	int64_t created; /* UNIX time, seconds */
};

/* kernels/NAME/kernel.cfg, written by `ironrig kernel add` */
struct conf_kernel {
	char *name;
	char *id;	/* SHA-256 over image, modules, append: DESIGN 4 */
	char *build_id; /* hex, of /sys/kernel/notes */
	char *release;	/* uname -r */
	char *version;	/* uname -v, from the image's header */
	char *append;
	char *build_of; /* another layout of that kernel; NULL: of itself */
	char *image_sha256, *modules_sha256;
	char *origin; /* "deb linux-image-….deb", "build ~/linux" */
	char *commit, *title, *compiler;
	bool config, system_map; /* kept beside it */
	int64_t added;
};

/* conf/controller.cfg */
struct conf_controller {
	char *address; /* "host:port" that boxes are told */
	char *user;
	char *boot;	/* the TFTP/HTTP root, default HOME/boot */
	char *boot_url; /* http://… for iPXE when given, else TFTP */
	char *boot_group;
};

/*
 * Each loads and checks one file (path under dirfd), at most 256 KiB. On
 * failure *r (may be NULL) holds every problem found and *e the first one as
 * "FILE:LINE: KEY: …", of kind ERR_INPUT (ERR_SYS with .sys when it cannot be
 * read). The struct is then zeroed. *r is filled anew; free it either way.
 */
int conf_host_load(int dirfd, const char *path, struct conf_host *h,
		   struct conf_report *r, struct err *e) MUST_CHECK;
int conf_job_load(int dirfd, const char *path, struct conf_job *j,
		  struct conf_report *r, struct err *e) MUST_CHECK;
int conf_experiment_load(int dirfd, const char *path,
			 struct conf_experiment *x, struct conf_report *r,
			 struct err *e) MUST_CHECK;
/*
 * The builds of x->kernels.v[i], itself first; that one alone when x names no
 * others.
 */
int conf_experiment_builds(const struct conf_experiment *x, size_t i,
			   struct strlist *out, struct err *e) MUST_CHECK;
/* What "iterations" says of that job; 0: nothing. */
#define CONF_ITERATIONS_MAX 9999
int conf_experiment_iterations(const struct conf_experiment *x,
			       const char *job);
int conf_kernel_load(int dirfd, const char *path, struct conf_kernel *k,
		     struct conf_report *r, struct err *e) MUST_CHECK;
int conf_controller_load(int dirfd, const char *path,
			 struct conf_controller *c, struct conf_report *r,
			 struct err *e) MUST_CHECK;

void conf_host_free(struct conf_host *h);
void conf_job_free(struct conf_job *j);
void conf_experiment_free(struct conf_experiment *x);
void conf_kernel_free(struct conf_kernel *k);
void conf_controller_free(struct conf_controller *c);

/* The text form that the loaders read back to an equal struct. */
int conf_experiment_write(const struct conf_experiment *x, struct buf *out,
			  struct err *e) MUST_CHECK;
int conf_kernel_write(const struct conf_kernel *k, struct buf *out,
		      struct err *e) MUST_CHECK;
int conf_host_write(const struct conf_host *h, struct buf *out, struct err *e)
	MUST_CHECK;
int conf_job_write(const struct conf_job *j, struct buf *out, struct err *e)
	MUST_CHECK;

/* The kind by what stands in the file (testcase, box, kind, …). */
int conf_guess_kind(int dirfd, const char *path, enum conf_kind *kind,
		    struct err *e) MUST_CHECK;
/* conf/KEYS.md, generated from the schema table. */
int conf_keys_markdown(struct buf *out, struct err *e) MUST_CHECK;

/* The job's tuning laid over the host's; *out owns copies. */
int conf_tune_merge(const struct conf_tune *host, const struct conf_tune *job,
		    struct conf_tune *out, struct err *e) MUST_CHECK;
void conf_tune_free(struct conf_tune *t);

/*
 * A parameter as the box runs it: "50%" becomes a count of the online CPUs
 * (never 0), everything else stays as written.
 */
int conf_param_resolve(const struct conf_param *p, unsigned int online,
		       struct buf *out, struct err *e) MUST_CHECK;
/*
 * "100%-thread-lock1-performance": the values of job.path in order, then the
 * governor when one is set. Characters outside [A-Za-z0-9%._=+:,-] become '_'.
 * Longer than CONF_PATH_MAX, or altered: cut and ended by "-" and 12 hex
 * digits of the SHA-256 of the unaltered text, so that two jobs never share.
 * "defaults" when there is nothing to say.
 */
#define CONF_PATH_MAX 120
int conf_params_path(const struct conf_job *j, const char *governor,
		     struct buf *out, struct err *e) MUST_CHECK;
/*
 * The SHA-256 of the job as written, without what changes nothing on the box
 * (description, primary) or only how often it is done (iterations, run_limit):
 * two runs of one name and two ids did not measure the same. Comments and the
 * order of keys do not count.
 */
int conf_job_id(const struct conf_job *j, char out[SHA256_HEX], struct err *e)
	MUST_CHECK;

/* Names of boxes, jobs, kernels, experiments, bundles: [A-Za-z0-9][A-Za-z0-9._+-]*, up to 64 */
bool conf_name_ok(const char *s);

#endif
