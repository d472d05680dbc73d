// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Drives the courier for tests/cli/courier.t.
 *
 *   courier CONTROLLER USER KEY KNOWN_HOSTS      lines on stdin:
 *       call WORDS...     prints "answer WORDS..." or "error KIND TEXT"
 *       get FILE WORDS... the same, data into FILE
 *       kmsg RECORD       as if read from /dev/kmsg
 *   courier CONTROLLER USER KEY KNOWN_HOSTS NAME FILE      a growing file:
 *       piece             appends 1 MiB that a pseudo-random generator made
 *       whole, spoilt     ends it
 */
#include "courier.h"
#include "io.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEADLINE_MS 30000 /* or COURIER_MS of the environment */
#define MOST	    (64U << 20)

static char piece[1 << 20];

static int64_t deadline_ms(void)
{
	const char *s = getenv("COURIER_MS");

	return s ? atoll(s) : DEADLINE_MS;
}

static bool next_line(char *line, size_t size)
{
	if (!fgets(line, (int)size, stdin))
		return false;
	line[strcspn(line, "\n")] = '\0';
	return true;
}

static int say_error(const struct err *e)
{
	printf("error %s %s\n", err_kind_name(e->kind), e->msg);
	fflush(stdout);
	return 1;
}

static int call(struct courier *c, const char *words, int fd)
{
	struct proto_words w;
	struct err e = ERR_INIT;

	if (courier_call(c, words, fd, MOST, deadline_ms(), &w, &e))
		return say_error(&e);
	printf("answer");
	for (int i = 0; i < w.n; i++)
		printf(" %s", w.v[i]);
	putchar('\n');
	fflush(stdout);
	return 0;
}

static void get(struct courier *c, char *args)
{
	char *words = strchr(args, ' ');
	int fd;

	*words++ = '\0';
	fd = open(args, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	call(c, words, fd);
	close(fd);
}

static int calls(struct courier *c, int kmsg)
{
	char line[4096];

	while (next_line(line, sizeof(line)))
		if (!strncmp(line, "call ", 5))
			call(c, line + 5, -1);
		else if (!strncmp(line, "get ", 4))
			get(c, line + 4);
		else if (!strncmp(line, "kmsg ", 5) &&
			 send(kmsg, line + 5, strlen(line + 5), 0) < 0)
			perror("kmsg");
	return 0;
}

/* In a child: packs, as pack_start()'s does. */
static void feed(const char *file, int grow)
{
	int fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);
	char line[64];

	prctl(PR_SET_NAME, "feeder");
	while (next_line(line, sizeof(line))) {
		if (!strcmp(line, "piece")) {
			for (size_t i = 0; i < sizeof(piece); i++)
				piece[i] = (char)random();
			if (io_write_all(fd, piece, sizeof(piece), NULL))
				_exit(1);
		}
		if (!strcmp(line, "spoilt"))
			_exit(0);
		if (write(grow, *line == 'p' ? "g" : "E", 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static int put(struct courier *c, const char *name, const char *file)
{
	int fd = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char sha256[SHA256_HEX];
	struct err e = ERR_INIT;
	int pair[2], rc;
	pid_t pid;

	if (fd < 0 || pipe2(pair, O_CLOEXEC))
		return 1;
	pid = fork();
	if (!pid) {
		close(pair[0]);
		feed(file, pair[1]);
	}
	close(pair[1]);
	rc = courier_put(c, name, fd, pair[0], deadline_ms(), sha256, &e);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (rc)
		return say_error(&e);
	printf("stored %s\n", sha256);
	return 0;
}

int main(int argc, char **argv)
{
	struct courier_conf conf = { .boot_id = "BOOT", .kmsg_fd = -1 };
	struct courier *c;
	struct err e = ERR_INIT;
	int kmsg[2], rc;

	prctl(PR_SET_NAME, "driver");
	/* one record a read, as /dev/kmsg */
	if (argc < 5 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, kmsg))
		return 2;
	conf.controller = argv[1];
	conf.user = argv[2];
	conf.key_file = argv[3];
	conf.known_hosts_file = argv[4];
	conf.kmsg_fd = argc == 5 ? kmsg[0] : -1;
	if (courier_start(&c, &conf, &e))
		return say_error(&e);
	rc = argc == 7 ? put(c, argv[5], argv[6]) : calls(c, kmsg[1]);
	courier_stop(c);
	return rc;
}
