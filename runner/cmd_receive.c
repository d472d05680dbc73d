// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig receive: the forced command of a box's key. Takes the words from
 * SSH_ORIGINAL_COMMAND, or from the command line when a person tries a verb,
 * and writes one answer line.
 */
#include "authkeys.h"
#include "cmd.h"
#include "home.h"
#include "io.h"
#include "num.h"
#include "receive.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_S = 120 }; /* a link that is down longer comes back anew */

static int help(void)
{
	puts("usage: ironrig receive [--patience SECONDS] [--key TAIL] BOX [VERB [WORD...]]"
	     "\n\n"
	     "The command of a box's key: sshd runs it with the verb in\n"
	     "SSH_ORIGINAL_COMMAND. Given on the command line, the verb is\n"
	     "run as if BOX had asked.\n\n"
	     "  hello BOOT_ID VERSION KERNEL [MODE]\n"
	     "  next BOOT_ID [DONE_LEASE]\n"
	     "  get NAME             answer, then the file's bytes\n"
	     "  have FILE\n"
	     "  put FILE OFFSET      the file's bytes on standard input\n"
	     "  state PHASE [LEASE [TEXT]]\n"
	     "  log BOOT_ID          text on standard input\n\n"
	     "  --patience SECONDS   how long a put may make no progress (120)\n"
	     "  --key TAIL           the end of the key that asks: refused when\n"
	     "                       the box has another one by now"
	     "\n\nExit status 1 when the answer is an error.");
	return EXIT_SUCCESS;
}

/* Bytes that an answer line may not hold come from file names at most. */
static void say_error(const struct err *e)
{
	struct err ignored;
	struct buf b = { 0 };

	buf_printf(&b, PROTO_TAG "error %s %s\n", err_kind_name(e->kind),
		   e->msg);
	if (b.data && io_write_all(1, b.data, b.len, &ignored))
		errno = 0; /* nobody listens any more */
	buf_free(&b);
}

static int words_from(int argc, char **argv, struct proto_words *w,
		      struct err *e)
{
	const char *given = getenv("SSH_ORIGINAL_COMMAND");
	struct buf b = { 0 };
	int rc;

	if (argc == 0)
		return proto_split(given ? given : "", w, e);
	for (int i = 0; i < argc; i++)
		buf_printf(&b, "%s%s", i ? " " : "", argv[i]);
	rc = buf_ok(&b, e);
	if (!rc)
		rc = proto_split(buf_str(&b), w, e);
	buf_free(&b);
	return rc;
}

static int serve(const char *opt, const char *box, const char *key,
		 int patience_s, int argc, char **argv, struct err *e)
{
	struct buf answer = { 0 }, line = { 0 };
	struct proto_words w;
	struct home h;
	int rc;

	if (words_from(argc, argv, &w, e) || home_open(opt, &h, e))
		return -1;
	rc = key ? authkeys_current(&h, box, key, e) : 0;
	if (!rc)
		rc = receive_run(&h, box, &w, patience_s, &answer, e);
	if (!rc && answer.len) {
		buf_printf(&line, PROTO_TAG "%s\n", answer.data);
		rc = buf_ok(&line, e);
		if (!rc)
			rc = io_write_all(1, line.data, line.len, e);
	}
	buf_free(&answer);
	buf_free(&line);
	home_close(&h);
	return rc;
}

int cmd_receive(const char *home, int argc, char **argv)
{
	int64_t patience_s = PATIENCE_S;
	const char *key = NULL;
	struct err e = ERR_INIT;
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
			return help();
		if (!strcmp(argv[i], "--key") && i + 1 < argc) {
			key = argv[++i];
			continue;
		}
		if (strcmp(argv[i], "--patience") != 0 || i + 1 >= argc)
			return cmd_usage("receive", "what is \"%s\"?", argv[i]);
		if (num_i64(argv[++i], 1, 86400, &patience_s, &e))
			return cmd_usage("receive", "--patience: %s", e.msg);
	}
	if (i >= argc)
		return cmd_usage("receive", "which box?");
	/* a peer that is gone shows in write(2) */
	signal(SIGPIPE, SIG_IGN);
	if (serve(home, argv[i], key, (int)patience_s, argc - i - 1, argv + i + 1,
		  &e)) {
		say_error(&e);
		return CMD_FAILED;
	}
	return EXIT_SUCCESS;
}
