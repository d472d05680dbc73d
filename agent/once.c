// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * --once: one job on any booted Linux, as an ordinary program. Restores what it
 * tuned, also when it is told to stop; the packed result stays in the folder
 * that --out names. The order of things in a run is job.c's.
 */
#include "applet.h"
#include "courier.h"
#include "io.h"
#include "job.h"
#include "pack.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEY	    "/etc/ironrig/key"
#define KNOWN_HOSTS "/etc/ironrig/known_hosts"

static volatile sig_atomic_t stop;

struct once {
	const char *config, *job, *out, *root, *lease;
	const char *key, *known_hosts;
	bool ship, quiet;
	struct conf_host host;
	struct conf_job work;
	char out_dir[PATH_MAX]; /* absolute */
	char id[LEASE_LEN + 1];
};

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

/* A second signal changes nothing: the restoring must not be cut short. */
static void catch_signals(void)
{
	struct sigaction a = { .sa_handler = on_signal };

	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	sigaction(SIGHUP, &a, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int usage(void)
{
	fputs("usage: ironrig-agent --once --config HOST.cfg --job JOB.cfg "
	      "--out DIR [OPTION...]\n"
	      "  --root DIR          machine's /sys, /proc and /dev below DIR\n"
	      "  --lease ID          32 hex digits; by default random\n"
	      "  --ship              send the result to the controller\n"
	      "  --key FILE          box's key, " KEY "\n"
	      "  --known-hosts FILE  controller's key, " KNOWN_HOSTS "\n"
	      "  --quiet             print only the result's file\n",
	      stderr);
	return 2;
}

static int options(int argc, char **argv, struct once *o)
{
	static const struct option opt[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "job", required_argument, NULL, 'j' },
		{ "out", required_argument, NULL, 'o' },
		{ "root", required_argument, NULL, 'r' },
		{ "lease", required_argument, NULL, 'l' },
		{ "key", required_argument, NULL, 'k' },
		{ "known-hosts", required_argument, NULL, 'n' },
		{ "ship", no_argument, NULL, 's' },
		{ "quiet", no_argument, NULL, 'q' },
		{ NULL, 0, NULL, 0 },
	};
	const char **text;
	int c;

	while ((c = getopt_long(argc, argv, "", opt, NULL)) != -1) {
		switch (c) {
		case 'c':
			text = &o->config;
			break;
		case 'j':
			text = &o->job;
			break;
		case 'o':
			text = &o->out;
			break;
		case 'r':
			text = &o->root;
			break;
		case 'l':
			text = &o->lease;
			break;
		case 'k':
			text = &o->key;
			break;
		case 'n':
			text = &o->known_hosts;
			break;
		case 's':
			o->ship = true;
			continue;
		case 'q':
			o->quiet = true;
			continue;
		default:
			return -1;
		}
		*text = optarg;
	}
	return optind == argc && o->config && o->job && o->out ? 0 : -1;
}

static int prepare(struct once *o, struct err *e)
{
	struct conf_report report = { 0 };

	int rc = conf_host_load(AT_FDCWD, o->config, &o->host, &report, e);

	if (!rc) {
		conf_report_free(&report);
		rc = conf_job_load(AT_FDCWD, o->job, &o->work, &report, e);
	}
	if (rc)
		conf_report_print(&report, stderr);
	conf_report_free(&report);
	if (rc)
		return -1;
	if (o->lease && !lease_ok(o->lease))
		return err_set(e, ERR_INPUT, "\"%.64s\" is not a lease",
			       o->lease);
	if (o->lease)
		memcpy(o->id, o->lease, sizeof(o->id));
	else if (lease_new(o->id, e))
		return -1;
	if (io_mkdir_p(AT_FDCWD, o->out, 0755, e))
		return -1;
	if (!realpath(o->out, o->out_dir))
		return err_sys(e, "%s", o->out);
	return 0;
}

static void say_phase(void *arg, const char *phase, int64_t deadline_ms)
{
	const struct once *o = arg;

	(void)deadline_ms;
	if (!o->quiet)
		fprintf(stderr, "ironrig-agent: %s\n", phase);
}

/* Room behind the folder for the names made here. */
static int path(const struct once *o, const char *prefix, const char *name,
		char out[PATH_MAX], struct err *e)
{
	if (snprintf(out, PATH_MAX, "%s/%s%s", o->out_dir, prefix, name) >=
	    PATH_MAX)
		return err_set(e, ERR_LIMIT, "%s: path too long", o->out);
	return 0;
}

static int measure(struct once *o, struct result *r, struct err *e)
{
	char work[PATH_MAX];
	struct job_request rq = {
		.host = &o->host,
		.job = &o->work,
		.root = open(o->root ? o->root : "/",
			     O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.work_dir = work,
		.out_dir = o->out_dir,
		.lease = o->id,
		.boot_mode = "running",
		.on_phase = say_phase,
		.arg = o,
		.stop = &stop,
	};
	int rc;

	if (rq.root < 0)
		return err_sys(e, "%s", o->root ? o->root : "/");
	if (path(o, ".work-", o->id, work, e)) {
		close(rq.root);
		return -1;
	}
	rc = job_run(&rq, r, e);
	close(rq.root);
	if (io_remove_tree(AT_FDCWD, work, rc ? NULL : e) && !rc)
		rc = -1;
	return rc;
}

static int send(struct once *o, const char *name, const char *file, int *grow,
		struct err *e)
{
	const struct courier_conf conf = {
		.controller = o->host.controller,
		.user = o->host.user,
		.key_file = o->key,
		.known_hosts_file = o->known_hosts,
		.boot_id = "-",
		.kmsg_fd = -1,
	};
	char sha256[SHA256_HEX];
	struct courier *c;
	int fd = open(file, O_RDONLY | O_CLOEXEC), rc = -1;

	if (fd < 0)
		return err_sys(e, "%s", file);
	if (!courier_start(&c, &conf, e)) {
		rc = courier_put(c, name, fd, *grow,
				 (int64_t)o->host.ship_deadline_s * 1000,
				 sha256, e);
		courier_stop(c);
	}
	close(fd);
	return rc;
}

static int deliver(struct once *o, struct err *e)
{
	char tree[PATH_MAX], file[PATH_MAX];
	struct buf name = { 0 };
	struct err why = ERR_INIT;
	int grow, rc, sent = 0;
	pid_t pid;

	if (result_file_name(o->host.box, o->id, &name, e) ||
	    path(o, "", o->id, tree, e) ||
	    path(o, "", buf_str(&name), file, e) ||
	    pack_start(tree, file, &pid, &grow, e)) {
		buf_free(&name);
		return -1;
	}
	if (o->ship)
		sent = send(o, buf_str(&name), file, &grow, &why);
	rc = pack_wait(pid, &grow, e);
	if (!rc)
		rc = io_remove_tree(AT_FDCWD, tree, e);
	if (!rc)
		puts(file);
	if (!rc && sent) {
		*e = why;
		rc = err_prefix(e, "%s is not shipped", file);
	}
	buf_free(&name);
	return rc;
}

int once_main(int argc, char **argv)
{
	struct once o = { .key = KEY, .known_hosts = KNOWN_HOSTS };
	struct result r = { 0 };
	struct err e = ERR_INIT;
	int rc = EXIT_FAILURE;

	if (options(argc, argv, &o))
		return usage();
	catch_signals();
	if (prepare(&o, &e) || measure(&o, &r, &e) || deliver(&o, &e))
		fprintf(stderr, "ironrig-agent: box %s: job %s: %s\n",
			o.host.box ? o.host.box : o.config,
			o.work.name ? o.work.name : o.job, e.msg);
	else if (r.outcome == OUTCOME_OK)
		rc = EXIT_SUCCESS;
	if (r.reason)
		fprintf(stderr, "ironrig-agent: box %s: job %s: %s: %s\n",
			o.host.box, o.work.name, outcome_name(r.outcome),
			r.reason);
	result_free(&r);
	conf_job_free(&o.work);
	conf_host_free(&o.host);
	return rc;
}
