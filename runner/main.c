// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The controller's command line: finds --home and the subcommand, and calls
 * it. What a subcommand does stands in cmd_NAME.c.
 */
#include "cmd.h"
#include "io.h"
#include "version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	cmd_fn *run;
	const char *what;
} command[] = {
	/* in the order in which a new user meets them */
	{ "init", cmd_init, "make a controller's home" },
	{ "image", cmd_image, "build the parts that a box boots" },
	{ "kernel", cmd_kernel, "register kernels" },
	{ "check", cmd_check, "check configuration files" },
	{ "ab", cmd_ab, "compare kernels in interleaved boots" },
	{ "collect", cmd_collect, "take arrived results into the store" },
	{ "ls", cmd_ls, "list results" },
	{ "show", cmd_show, "what one result says" },
	{ "compare", cmd_compare, "what changed between kernels" },
	{ "report", cmd_report, "the same as a mail, with the evidence" },
	{ "import", cmd_import, "other people's outputs as results" },
	{ "export", cmd_export, "values for R, pandas, benchstat" },
	{ "fsck", cmd_fsck, "check the store, make its index again" },
	{ "bisect", cmd_bisect, "one step of `git bisect run'" },
	{ "power", cmd_power, "switch a box off and on" },
	{ "tend", cmd_tend, "power-cycle boxes past their deadline" },
	{ "extract", cmd_extract, "stats from the output of a tool" },
	{ "enroll", cmd_enroll, "make a box known" },
	{ "queue", cmd_queue, "ask a box for runs of jobs" },
	{ "serve", cmd_serve, "run a private sshd for the boxes" },
	{ "status", cmd_status, "what every box is doing" },
	{ "tail", cmd_tail, "follow a box's console" },
	{ "receive", cmd_receive, "what sshd runs for a box" },
	{ NULL, NULL, NULL },
};

static int help(FILE *to)
{
	fputs("usage: ironrig [--home DIR] COMMAND [ARGUMENT...]\n\n", to);
	for (size_t i = 0; command[i].name; i++)
		fprintf(to, "  %-9s %s\n", command[i].name, command[i].what);
	fputs("\n`ironrig COMMAND -h' tells more, ironrig(1) all.\n", to);
	return to == stdout ? EXIT_SUCCESS : CMD_USAGE;
}

/* Takes "--home DIR" or "--home=DIR" at argv[i] out; the words it took. */
static int take_home(int argc, char **argv, int i, const char **home)
{
	if (!strncmp(argv[i], "--home=", 7)) {
		*home = argv[i] + 7;
		return 1;
	}
	if (strcmp(argv[i], "--home") != 0 || i + 1 >= argc)
		return 0;
	*home = argv[i + 1];
	return 2;
}

/* What a command printed has to have arrived before it can have succeeded. */
static int finish(int status)
{
	bool lost = ferror(stdout);

	errno = 0;
	if (!fflush(stdout) && !lost)
		return status;
	fprintf(stderr, "ironrig: stdout: %s\n",
		errno ? strerror(errno) : "not all could be written");
	return status == EXIT_SUCCESS ? CMD_FAILED : status;
}

static int run(const char *home, int argc, char **argv)
{
	if (argc < 2)
		return help(stderr);
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") ||
	    !strcmp(argv[1], "help"))
		return help(stdout);
	if (!strcmp(argv[1], "--version")) {
		puts("ironrig " IRONRIG_VERSION);
		return EXIT_SUCCESS;
	}
	for (size_t i = 0; command[i].name; i++)
		if (!strcmp(argv[1], command[i].name))
			return command[i].run(home, argc - 1, argv + 1);
	fprintf(stderr, "ironrig: no command \"%s\"\n", argv[1]);
	return help(stderr);
}

int main(int argc, char **argv)
{
	const char *home = getenv("IRONRIG_HOME");
	int n = 1;

	io_hold_std();
	for (int i = 1; i < argc;) {
		int took = take_home(argc, argv, i, &home);

		if (!took)
			argv[n++] = argv[i++];
		i += took;
	}
	argv[n] = NULL;
	return finish(run(home, n, argv));
}
