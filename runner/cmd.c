// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What subcommands share: messages, options, output, and the wish to end.
 */
#include "cmd.h"
#include "io.h"
#include "when.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int cmd_fail(const char *name, const struct err *e)
{
	fprintf(stderr, "ironrig %s: %s\n", name, e->msg);
	return CMD_FAILED;
}

int cmd_usage(const char *name, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "ironrig %s: ", name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\ntry `ironrig %s -h'\n", name);
	return CMD_USAGE;
}

bool cmd_asks_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
			return true;
	return false;
}

int cmd_parse(const struct cmd_syntax *s, int argc, char **argv, void *arg)
{
	struct err e = ERR_INIT;
	int val;

	optind = 0; /* one command may run another */
	while ((val = getopt_long(argc, argv, "h", s->row, NULL)) != -1) {
		if (val == 'h')
			return s->help();
		if (val == '?')
			return cmd_usage(s->name, "no such option");
		if (s->take(arg, val, &e))
			return cmd_usage(s->name, "%s", e.msg);
	}
	return -1;
}

static const struct cmd_verb *find_verb(const struct cmd_verb *v, int argc,
					char **argv)
{
	for (; argc > 0 && v->name; v++)
		if (!strcmp(argv[0], v->name) && (!v->argc || v->argc == argc))
			return v;
	return NULL;
}

int cmd_verbs(const char *name, const struct cmd_verb *v, const char *usage,
	      const char *expected, const char *home, int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct home h;
	int rc;

	if ((argc > 1 && cmd_asks_help(2, argv)) ||
	    (argc > 2 && !strcmp(argv[2], "-h"))) {
		fputs(usage, stdout);
		return EXIT_SUCCESS;
	}
	if (home_open(home, &h, &e))
		return cmd_fail(name, &e);
	v = find_verb(v, argc - 1, argv + 1);
	rc = v ? v->run(&h, argc - 1, argv + 1)
	       : cmd_usage(name, "%s", expected);
	home_close(&h);
	return rc;
}

int cmd_boot(const char *text, enum boot_mode *boot, struct err *e)
{
	*boot = !strcmp(text, "kexec") ? BOOT_KEXEC : BOOT_FIRMWARE;
	if (*boot == BOOT_KEXEC || !strcmp(text, "firmware"))
		return 0;
	return err_set(e, ERR_INPUT, "--boot %.40s: firmware or kexec", text);
}

const char cmd_filters_help[] =
	"  --box B, --job J, --kernel K, --experiment X\n"
	"              of these; a name may be a glob: \"v6.*\"\n"
	"  --since T, --until T\n"
	"              started then; 2026-12-01, \"2026-12-01 17:44\" (UTC),\n"
	"              or 90m, 12h, 2d, 3w ago\n";

int cmd_filter(int val, struct index_query *q, struct err *e)
{
	switch (val) {
	case CMD_BOX:
		q->box = optarg;
		return 1;
	case CMD_JOB:
		q->job = optarg;
		return 1;
	case CMD_KERNEL:
		q->kernel = optarg;
		return 1;
	case CMD_EXPERIMENT:
		q->experiment = optarg;
		return 1;
	case CMD_SINCE:
		return when_parse(optarg, time(NULL), &q->since_s, e) ? -1 : 1;
	case CMD_UNTIL:
		return when_parse(optarg, time(NULL), &q->until_s, e) ? -1 : 1;
	default:
		return 0;
	}
}

int cmd_print(struct buf *out, struct err *e)
{
	int rc = buf_ok(out, e);

	if (!rc && fflush(stdout))
		rc = err_sys(e, "stdout");
	if (!rc)
		rc = io_write_all(STDOUT_FILENO, buf_str(out), out->len, e);
	buf_free(out);
	return rc;
}

void cmd_say(void *arg, const char *line)
{
	(void)arg;
	puts(line);
	fflush(stdout);
}

volatile sig_atomic_t cmd_stop;

static void on_signal(int sig)
{
	cmd_stop = sig;
}

void cmd_stop_by_signals(void)
{
	/* no SA_RESTART: what waits has to look at cmd_stop */
	const struct sigaction act = { .sa_handler = on_signal };

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
}
