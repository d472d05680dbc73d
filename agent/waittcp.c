// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * wait-tcp HOST:PORT [SECONDS]: returns when the port takes connections, so
 * that a job's set-up waits for its server by connecting, not by sleeping.
 * Numeric addresses and "localhost" only: a static program cannot load the
 * resolver's modules, and a box has no resolver.
 */
#include "applet.h"
#include "io.h"
#include "num.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* between two tries: short beside a server's start, long beside a connect */
#define PAUSE_NS 20000000

static int parse(const char *s, struct sockaddr_storage *to, socklen_t *len,
		 struct err *e)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)to;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;
	const char *colon = strrchr(s, ':');
	char host[64];
	uint64_t port;
	size_t n;

	if (!colon)
		return err_set(e, ERR_INPUT, "\"%.64s\" is not HOST:PORT", s);
	if (num_u64(colon + 1, 65535, &port, e))
		return err_prefix(e, "port");
	n = (size_t)(colon - s);
	if (n > 1 && *s == '[' && colon[-1] == ']') {
		s++;
		n -= 2;
	}
	if (n >= sizeof(host))
		return err_set(e, ERR_INPUT, "\"%.64s\": host too long", s);
	memcpy(host, s, n);
	host[n] = '\0';
	if (!strcmp(host, "localhost"))
		strcpy(host, "127.0.0.1");
	memset(to, 0, sizeof(*to));
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)port);
		*len = sizeof(*v4);
		return 0;
	}
	if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((uint16_t)port);
		*len = sizeof(*v6);
		return 0;
	}
	return err_set(e, ERR_INPUT, "\"%s\" is not a numeric address", host);
}

/* A host that drops packets must not hold connect(2) for minutes. */
static bool try(const struct sockaddr_storage *to, socklen_t len, int *sys)
{
	const struct timeval limit = { .tv_sec = 1 };
	int fd = socket(to->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool good;

	if (fd < 0) {
		*sys = errno;
		return false;
	}
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	good = !connect(fd, (const struct sockaddr *)to, len);
	*sys = errno;
	close(fd);
	return good;
}

int waittcp_main(int argc, char **argv)
{
	struct sockaddr_storage to = { .ss_family = AF_UNSPEC };
	struct err e = ERR_INIT;
	uint64_t seconds = 30;
	socklen_t len = 0;
	int64_t end;
	int sys = 0;

	if (argc < 2 || argc > 3 || argv[1][0] == '-') {
		fputs("usage: ironrig-agent wait-tcp HOST:PORT [SECONDS]\n",
		      stderr);
		return 2;
	}
	if (parse(argv[1], &to, &len, &e) ||
	    (argc == 3 && num_u64(argv[2], 86400, &seconds, &e))) {
		fprintf(stderr, "ironrig-agent wait-tcp: %s\n", e.msg);
		return 2;
	}
	end = io_monotonic_ns() + (int64_t)seconds * 1000000000;
	while (!try(&to, len, &sys)) {
		struct timespec pause = { .tv_nsec = PAUSE_NS };

		if (io_monotonic_ns() >= end) {
			fprintf(stderr,
				"ironrig-agent wait-tcp: %s: %s after %llu s\n",
				argv[1], strerror(sys),
				(unsigned long long)seconds);
			return EXIT_FAILURE;
		}
		nanosleep(&pause, NULL);
	}
	return EXIT_SUCCESS;
}
