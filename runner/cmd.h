/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_CMD_H
#define IRONRIG_CMD_H

#include "buf.h"
#include "conf.h"
#include "index.h"

#include <getopt.h>
#include <signal.h>
#include <stdbool.h>

/*
 * One subcommand a file, cmd_NAME.c, and one row a subcommand in main.c.
 * home is what --home or IRONRIG_HOME gave, NULL for the default ~/ironrig;
 * argv[0] is the subcommand's name. Each returns its exit status:
 * EXIT_SUCCESS, CMD_FAILED or CMD_USAGE, or what its manual documents.
 */
enum { CMD_FAILED = 1, CMD_USAGE = 2 };

typedef int cmd_fn(const char *home, int argc, char **argv);

/* "ironrig NAME: message" on stderr; returns CMD_FAILED (ERR_INPUT too). */
int cmd_fail(const char *name, const struct err *e);
/* "try `ironrig NAME -h'" behind a message on stderr; returns CMD_USAGE. */
int cmd_usage(const char *name, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Whether -h or --help is among the words behind the subcommand's name. */
bool cmd_asks_help(int argc, char **argv);

/* The options of a subcommand, for getopt_long(3); long ones only. */
struct cmd_syntax {
	const char *name; /* of the subcommand */
	const struct option *row; /* one of them "help", with 'h' */
	int (*help)(void); /* prints it and returns the exit status */
	/* val is a row's, the word optarg; ERR_INPUT */
	int (*take)(void *arg, int val, struct err *e);
};

/*
 * Takes all options of argv; the words are moved behind optind. -1: go on;
 * else the exit status of a command that is done (help, or wrong options).
 */
int cmd_parse(const struct cmd_syntax *s, int argc, char **argv, void *arg);

/* A word behind a subcommand: argv[0] is it, argc counts from it. */
struct cmd_verb {
	const char *name;
	int argc; /* what it must be; 0: the function's own business */
	int (*run)(const struct home *h, int argc, char **argv);
};

/*
 * Opens the home and runs the verb that argv[1] names, out of a table that ends
 * with a NULL name; -h alone or behind it prints the usage. expected is what
 * to say of another word.
 */
int cmd_verbs(const char *name, const struct cmd_verb *v, const char *usage,
	      const char *expected, const char *home, int argc, char **argv);

/* "firmware" or "kexec", the values of --boot; ERR_INPUT. */
int cmd_boot(const char *text, enum boot_mode *boot, struct err *e) MUST_CHECK;

/* Which runs: rows of a table of options, and where their values go. */
#define CMD_FILTERS                                                            \
	{ "box", required_argument, NULL, CMD_BOX },                           \
		{ "job", required_argument, NULL, CMD_JOB },                   \
		{ "kernel", required_argument, NULL, CMD_KERNEL },             \
		{ "since", required_argument, NULL, CMD_SINCE },               \
		{ "until", required_argument, NULL, CMD_UNTIL },               \
	{                                                                      \
		"experiment", required_argument, NULL, CMD_EXPERIMENT          \
	}
enum {
	CMD_BOX = 1024,
	CMD_JOB,
	CMD_KERNEL,
	CMD_EXPERIMENT,
	CMD_SINCE,
	CMD_UNTIL,
};
/* What they do, for a help text. */
extern const char cmd_filters_help[];
/* 1: optarg is taken, 0: val is none of these; ERR_INPUT. */
int cmd_filter(int val, struct index_query *q, struct err *e) MUST_CHECK;

/* All of out to standard output, behind what stdio holds; frees it. */
int cmd_print(struct buf *out, struct err *e) MUST_CHECK;

/* A line at once, also into a pipe; arg is ignored. */
void cmd_say(void *arg, const char *line);

/*
 * The signal that asks the command to end, 0 before; SIGINT and SIGTERM set
 * it from cmd_stop_by_signals() on, and interrupt what waits.
 */
extern volatile sig_atomic_t cmd_stop;
void cmd_stop_by_signals(void);

/* one declaration a subcommand */
cmd_fn cmd_ab;
cmd_fn cmd_bisect;
cmd_fn cmd_check;
cmd_fn cmd_collect;
cmd_fn cmd_compare;
cmd_fn cmd_export;
cmd_fn cmd_extract;
cmd_fn cmd_fsck;
cmd_fn cmd_import;
cmd_fn cmd_init;
cmd_fn cmd_ls;
cmd_fn cmd_show;
cmd_fn cmd_image;
cmd_fn cmd_kernel;
cmd_fn cmd_enroll;
cmd_fn cmd_queue;
cmd_fn cmd_power;
cmd_fn cmd_receive;
cmd_fn cmd_report;
cmd_fn cmd_serve;
cmd_fn cmd_tend;
cmd_fn cmd_status;
cmd_fn cmd_tail;

#endif
