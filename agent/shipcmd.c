// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The `ship` entry: one verb of the run protocol by hand, with the agent's own
 * transport. `put FILE` brings a finished tarball home as the agent does, with
 * resume; every other verb is tried once.
 */
#include "applet.h"
#include "conf.h"
#include "courier.h"
#include "io.h"
#include "num.h"
#include "verb.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USAGE = 2 };

static const char usage[] =
	"usage: ironrig-agent ship OPTION... VERB [WORD...]\n"
	"       ironrig-agent ship OPTION... put FILE\n"
	"\n"
	"  --config FILE          a host file: controller and user\n"
	"  --controller HOST:PORT\n"
	"  --user NAME            the account there (ironrig)\n"
	"  --key FILE             ed25519, without passphrase\n"
	"  --known-hosts FILE     holds the controller's ed25519 host key\n"
	"  --deadline SECONDS     (60)\n"
	"\n"
	"stdin goes to `put NAME OFFSET' and `log BOOT_ID'; the answer comes on\n"
	"stdout, before the data of a `get' on stderr.\n";

struct options {
	struct courier_conf conf;
	struct conf_host host;
	int64_t deadline_ms;
};

static int fail(const struct err *e)
{
	fprintf(stderr, "ship: %s\n", e->msg);
	return e->kind == ERR_INPUT ? USAGE : EXIT_FAILURE;
}

static ssize_t from_stdin(void *arg, void *p, size_t n, struct err *e)
{
	ssize_t got = read(STDIN_FILENO, p, n);

	(void)arg;
	return got < 0 ? err_sys(e, "stdin") : got;
}

static int to_stdout(void *arg, const void *p, size_t n, struct err *e)
{
	(void)arg;
	return io_write_all(STDOUT_FILENO, p, n, e);
}

static int one_verb(const struct options *o, const char *words,
		    struct err *e)
{
	struct ship_conf conf = { o->conf.controller, o->conf.user,
				  o->conf.key_file, o->conf.known_hosts_file };
	bool get = !strncmp(words, "get ", 4);
	bool input = !strncmp(words, "put ", 4) || !strncmp(words, "log ", 4);
	struct verb v = { .words = words,
			  .source = input ? from_stdin : NULL,
			  .sink = get ? to_stdout : NULL,
			  .wait_fd = -1 };
	struct verb_reply r;
	struct ship *s;
	int rc;

	v.deadline_ns = io_monotonic_ns() + o->deadline_ms * 1000000;
	if (ship_open(&conf, v.deadline_ns, &s, e))
		return -1;
	rc = verb_run(s, &v, &r, e);
	ship_close(s);
	if (*r.noise)
		fprintf(stderr, "ship: before the answer: %s\n", r.noise);
	if (*r.said)
		fprintf(stderr, "ship: controller says: %s\n", r.said);
	if (rc && r.words.n) {
		e->kind = ERR_PEER;
		err_prefix(e, "controller refuses");
	}
	for (int i = 0; !rc && i < r.words.n; i++)
		fprintf(get ? stderr : stdout, "%s%c", r.words.v[i],
			i + 1 < r.words.n ? ' ' : '\n');
	return rc;
}

static int put_file(const struct options *o, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct courier *c;
	char sha256[SHA256_HEX];
	int rc = -1;

	if (fd < 0)
		return err_sys(e, "%s", path);
	if (!courier_start(&c, &o->conf, e)) {
		rc = courier_put(c, slash ? slash + 1 : path, fd, -1,
				 o->deadline_ms, sha256, e);
		courier_stop(c);
	}
	close(fd);
	if (!rc)
		printf("ok %s\n", sha256);
	return rc;
}

static int words_of(char **argv, int argc, char out[PROTO_LINE], struct err *e)
{
	struct proto_words w;
	size_t n = 0;

	*out = '\0';
	for (int i = 0; i < argc && n < PROTO_LINE; i++)
		n += (size_t)snprintf(out + n, PROTO_LINE - n, "%s%s",
				      i ? " " : "", argv[i]);
	if (n < PROTO_LINE && !proto_split(out, &w, e))
		return 0;
	e->kind = ERR_INPUT;
	return n < PROTO_LINE ? -1 :
				err_set(e, ERR_INPUT, "request too long");
}

static int options(int argc, char **argv, struct options *o, struct err *e)
{
	static const struct option opt[] = {
		{ "config", required_argument, NULL, 'f' },
		{ "controller", required_argument, NULL, 'c' },
		{ "user", required_argument, NULL, 'u' },
		{ "key", required_argument, NULL, 'k' },
		{ "known-hosts", required_argument, NULL, 'n' },
		{ "deadline", required_argument, NULL, 'd' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "+", opt, NULL)) != -1) {
		if (c == 'f') {
			conf_host_free(&o->host);
			if (conf_host_load(AT_FDCWD, optarg, &o->host, NULL, e))
				return -1;
			o->conf.controller = o->host.controller;
			o->conf.user = o->host.user;
		} else if (c == 'c')
			o->conf.controller = optarg;
		else if (c == 'u')
			o->conf.user = optarg;
		else if (c == 'k')
			o->conf.key_file = optarg;
		else if (c == 'n')
			o->conf.known_hosts_file = optarg;
		else if (c != 'd')
			return err_set(e, ERR_INPUT, "see ship -h");
		else if (num_duration(optarg, &o->deadline_ms, e))
			return err_prefix(e, "--deadline");
	}
	if (!o->conf.controller || !o->conf.key_file ||
	    !o->conf.known_hosts_file || optind == argc)
		return err_set(e, ERR_INPUT, "--controller (or --config), "
			       "--key, --known-hosts and a verb are needed");
	return 0;
}

int ship_main(int argc, char **argv)
{
	struct options o = { .conf = { .user = "ironrig", .boot_id = "",
				       .kmsg_fd = -1 },
			     .deadline_ms = 60000 };
	char words[PROTO_LINE];
	struct err e = ERR_INIT;
	int rc;

	if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")))
		return fputs(usage, stdout) < 0;
	rc = options(argc, argv, &o, &e);
	argc -= optind;
	argv += optind;
	if (!rc && argc == 2 && !strcmp(argv[0], "put"))
		rc = put_file(&o, argv[1], &e);
	else if (!rc)
		rc = words_of(argv, argc, words, &e) || one_verb(&o, words, &e);
	conf_host_free(&o.host);
	return rc ? fail(&e) : EXIT_SUCCESS;
}
