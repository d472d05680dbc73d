// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The agent's entry: finds which of its parts is meant, and calls it.
 */
#include "applet.h"
#include "io.h"
#include "version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	applet_fn *run;
	const char *what;
} applet[] = {
	{ "--once", once_main, "run one job on this booted Linux" },
	{ "init", init_main, "be PID 1 of a box" },
	{ "udhcpc-script", dhcp_main, "set what a DHCP lease says" },
	{ "wait-tcp", waittcp_main, "wait until a port takes connections" },
	{ "kexec-load", kexecload_main, "load a kernel for kexec" },
	{ "shutdown", shutdown_main, "the end, started by systemd-shutdown" },
	{ "scale", scale_main, "run a scaling workload" },
	{ "ship", ship_main, "speak one verb of the run protocol" },
	{ NULL, NULL, NULL },
};

static int help(FILE *to)
{
	fputs("usage: ironrig-agent ENTRY [ARGUMENT...]\n\n", to);
	for (size_t i = 0; applet[i].name; i++)
		fprintf(to, "  %-10s %s\n", applet[i].name, applet[i].what);
	return to == stdout ? EXIT_SUCCESS : 2;
}

static applet_fn *find(const char *name)
{
	for (size_t i = 0; applet[i].name; i++)
		if (!strcmp(name, applet[i].name))
			return applet[i].run;
	return NULL;
}

/* What was printed has to have arrived before it can have succeeded. */
static int finish(int status)
{
	bool lost = ferror(stdout);

	errno = 0;
	if (!fflush(stdout) && !lost)
		return status;
	fprintf(stderr, "ironrig-agent: stdout: %s\n",
		errno ? strerror(errno) : "not all could be written");
	return status == EXIT_SUCCESS ? EXIT_FAILURE : status;
}

static int named(int argc, char **argv)
{
	applet_fn *run;

	if (argc < 2)
		return help(stderr);
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))
		return help(stdout);
	if (!strcmp(argv[1], "--version")) {
		puts("ironrig-agent " IRONRIG_VERSION);
		return EXIT_SUCCESS;
	}
	run = find(argv[1]);
	if (run)
		return run(argc - 1, argv + 1);
	fprintf(stderr, "ironrig-agent: no entry \"%s\"\n", argv[1]);
	return help(stderr);
}

/*
 * The kernel runs PID 1 as /init or by rdinit=, and hands it whatever words of
 * the command line it did not understand. In a container, PID 1 is what a
 * person asked for by the program's own name: no init that reboots. The PID 1
 * of a distribution that ends becomes our "shutdown".
 */
static bool is_init(int argc, char **argv, const char *base)
{
	if (getpid() != 1 || !strcmp(base, "shutdown"))
		return false;
	return argc < 2 || strcmp(base, "ironrig-agent") != 0 ||
	       (*argv[1] != '-' && !find(argv[1]));
}

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *base = slash ? slash + 1 : argc ? argv[0] : "";
	applet_fn *run = NULL;

	if (is_init(argc, argv, base))
		run = find("init");
	else
		io_hold_std(); /* the kernel's PID 1 has no /dev yet */
	if (!run && slash) /* a link: udhcpc's script has no arguments */
		run = find(base);
	return finish(run ? run(argc, argv) : named(argc, argv));
}
