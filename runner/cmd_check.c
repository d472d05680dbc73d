// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig check: are these configuration files right? Prints every problem
 * with file, line and key. What the keys are stands in agent/lib.
 */
#include "cmd.h"
#include "conf.h"
#include "labcheck.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: ironrig check [-k KIND] FILE...\n"
	"       ironrig check --keys\n"
	"       ironrig [--home DIR] check --lab\n\n"
	"Checks host, job, experiment, kernel and controller files. Each\n"
	"problem is a line on standard error:\n"
	"    FILE:LINE: KEY: what is wrong, what was expected\n\n"
	"  -k, --kind KIND  host, job, experiment, kernel or controller\n"
	"                   (by default found from the keys)\n"
	"      --keys       print every key with type, default and meaning\n"
	"      --lab        will boxes be let in here: the account's shell,\n"
	"                   folders, keys, sshd's settings\n"
	"  -h, --help       this text\n\n"
	"Exit status: 0 all right, 1 problems found, 2 usage.\n";

static const char *const kind_name[] = {
	[CONF_HOST] = "host",
	[CONF_JOB] = "job",
	[CONF_EXPERIMENT] = "experiment",
	[CONF_KERNEL] = "kernel",
	[CONF_CONTROLLER] = "controller",
};

static int parse_kind(const char *s)
{
	for (int i = 0; i <= CONF_CONTROLLER; i++)
		if (!strcmp(s, kind_name[i]))
			return i;
	return -1;
}

static int load(enum conf_kind kind, const char *file, struct conf_report *r)
{
	struct conf_experiment x;
	struct conf_controller c;
	struct conf_kernel k;
	struct conf_host h;
	struct conf_job j;
	int rc = -1;

	switch (kind) {
	case CONF_HOST:
		rc = conf_host_load(AT_FDCWD, file, &h, r, NULL);
		conf_host_free(&h);
		break;
	case CONF_JOB:
		rc = conf_job_load(AT_FDCWD, file, &j, r, NULL);
		conf_job_free(&j);
		break;
	case CONF_EXPERIMENT:
		rc = conf_experiment_load(AT_FDCWD, file, &x, r, NULL);
		conf_experiment_free(&x);
		break;
	case CONF_KERNEL:
		rc = conf_kernel_load(AT_FDCWD, file, &k, r, NULL);
		conf_kernel_free(&k);
		break;
	case CONF_CONTROLLER:
		rc = conf_controller_load(AT_FDCWD, file, &c, r, NULL);
		conf_controller_free(&c);
		break;
	}
	return rc;
}

static bool check_file(int forced, const char *file)
{
	enum conf_kind kind = (enum conf_kind)forced;
	struct conf_report r = { 0 };
	struct err e = ERR_INIT;
	int rc;

	if (forced < 0 && conf_guess_kind(AT_FDCWD, file, &kind, &e)) {
		fprintf(stderr, "%s\n", e.msg);
		return false;
	}
	rc = load(kind, file, &r);
	conf_report_print(&r, stderr);
	conf_report_free(&r);
	return !rc;
}

static int print_keys(void)
{
	struct err e = ERR_INIT;
	struct buf b = { 0 };
	int rc = conf_keys_markdown(&b, &e);

	if (!rc)
		fputs(buf_str(&b), stdout);
	buf_free(&b);
	if (!rc && fflush(stdout) == EOF)
		rc = err_sys(&e, "standard output");
	return rc ? cmd_fail("check", &e) : EXIT_SUCCESS;
}

static int print_lab(const char *home)
{
	static const char *const level[] = {
		[LAB_GOOD] = "ok  ",
		[LAB_NOTE] = "note",
		[LAB_BAD] = "BAD ",
	};
	struct lab_report r;
	struct err e = ERR_INIT;
	struct home h;
	int bad;

	if (home_open(home, &h, &e))
		return cmd_fail("check", &e);
	if (labcheck_run(&h, &r, &e)) {
		home_close(&h);
		return cmd_fail("check", &e);
	}
	for (size_t i = 0; i < r.n; i++) {
		printf("%s  %s\n", level[r.v[i].level], r.v[i].what);
		if (r.v[i].todo[0])
			printf("      -> %s\n", r.v[i].todo);
	}
	bad = r.bad;
	labcheck_free(&r);
	home_close(&h);
	return bad ? CMD_FAILED : EXIT_SUCCESS;
}

int cmd_check(const char *home, int argc, char **argv)
{
	static const struct option option[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "keys", no_argument, NULL, 'K' },
		{ "kind", required_argument, NULL, 'k' },
		{ "lab", no_argument, NULL, 'L' },
		{ NULL, 0, NULL, 0 },
	};
	int kind = -1, c;
	bool good = true;

	while ((c = getopt_long(argc, argv, "hk:", option, NULL)) != -1) {
		switch (c) {
		case 'h':
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		case 'K':
			return print_keys();
		case 'L':
			return print_lab(home);
		case 'k':
			kind = parse_kind(optarg);
			if (kind < 0)
				return cmd_usage("check", "no kind \"%s\"",
						 optarg);
			break;
		default:
			return cmd_usage("check", "wrong option");
		}
	}
	if (optind == argc)
		return cmd_usage("check", "no file given");
	for (int i = optind; i < argc; i++)
		good &= check_file(kind, argv[i]);
	return good ? EXIT_SUCCESS : CMD_FAILED;
}
