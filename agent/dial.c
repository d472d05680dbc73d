// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A TCP connection to a host by address or name. Names are looked up in
 * /etc/hosts and by the stub resolver directly: getaddrinfo(3) in a static
 * program loads whatever nsswitch.conf(5) of the machine at hand names.
 */
#include "dial.h"
#include "io.h"
#include "num.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <resolv.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ADDRS_MAX 16

/* One address of several may be dead; the next one gets its chance. */
#define CONNECT_NS 10000000000LL

/* Long enough for a spanning tree's reshuffle, short beside a deadline. */
#define USER_TIMEOUT_MS 20000

struct addrs {
	struct sockaddr_storage v[ADDRS_MAX];
	int n;
};

int dial_split(const char *s, char host[DIAL_HOST], uint16_t *port,
	       struct err *e)
{
	const char *colon = strrchr(s, ':');
	size_t n = colon ? (size_t)(colon - s) : 0;
	uint64_t v = 0;

	if (!n)
		return err_set(e, ERR_INPUT, "\"%.100s\" is not HOST:PORT", s);
	if (num_u64(colon + 1, 65535, &v, e) || !v)
		return err_set(e, ERR_INPUT, "\"%.100s\": bad port", s);
	if (*s == '[' && colon[-1] == ']') {
		s++;
		n -= 2;
	} else if (memchr(s, ':', n)) {
		return err_set(e, ERR_INPUT,
			       "\"%.100s\": write [IPv6 address]:PORT", s);
	}
	if (!n || n >= DIAL_HOST)
		return err_set(e, ERR_INPUT, "\"%.100s\": bad host", s);
	memcpy(host, s, n);
	host[n] = '\0';
	*port = (uint16_t)v;
	return 0;
}

static void add(struct addrs *a, int family, const void *ip, uint16_t port)
{
	struct sockaddr_storage *s = &a->v[a->n];
	struct sockaddr_in *v4 = (struct sockaddr_in *)s;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)s;

	if (a->n == ADDRS_MAX)
		return;
	memset(s, 0, sizeof(*s));
	s->ss_family = (sa_family_t)family;
	if (family == AF_INET) {
		v4->sin_port = htons(port);
		memcpy(&v4->sin_addr, ip, sizeof(v4->sin_addr));
	} else {
		v6->sin6_port = htons(port);
		memcpy(&v6->sin6_addr, ip, sizeof(v6->sin6_addr));
	}
	a->n++;
}

static bool numeric(struct addrs *a, const char *host, uint16_t port)
{
	unsigned char ip[16];

	if (inet_pton(AF_INET, host, ip) == 1)
		add(a, AF_INET, ip, port);
	else if (inet_pton(AF_INET6, host, ip) == 1)
		add(a, AF_INET6, ip, port);
	else
		return false;
	return true;
}

/* hosts(5): ADDRESS NAME..., '#' starts a comment. */
static void by_file(struct addrs *a, const char *host, uint16_t port)
{
	struct buf b = { 0 };
	char *line, *lines;

	if (io_read_file(AT_FDCWD, "/etc/hosts", &b, 1 << 20, NULL) || !b.len) {
		buf_free(&b);
		return;
	}
	for (line = strtok_r(b.data, "\n", &lines); line;
	     line = strtok_r(NULL, "\n", &lines)) {
		char *words, *ip, *name;

		line[strcspn(line, "#")] = '\0';
		ip = strtok_r(line, " \t\r", &words);
		while (ip && (name = strtok_r(NULL, " \t\r", &words)))
			if (!strcasecmp(name, host)) {
				numeric(a, ip, port);
				break;
			}
	}
	buf_free(&b);
}

static void by_dns(struct addrs *a, const char *host, uint16_t port)
{
	static const struct {
		ns_type type;
		int family;
		size_t len;
	} kind[] = { { ns_t_a, AF_INET, 4 }, { ns_t_aaaa, AF_INET6, 16 } };
	struct __res_state res = { 0 };
	unsigned char got[4096];

	if (res_ninit(&res))
		return;
	for (size_t k = 0; k < sizeof(kind) / sizeof(kind[0]); k++) {
		int n = res_nsearch(&res, host, ns_c_in, kind[k].type, got,
				    sizeof(got));
		ns_msg msg;
		ns_rr rr;

		if (n < 0 || n > (int)sizeof(got) ||
		    ns_initparse(got, n, &msg))
			continue;
		for (int i = 0; i < ns_msg_count(msg, ns_s_an); i++)
			if (!ns_parserr(&msg, ns_s_an, i, &rr) &&
			    ns_rr_type(rr) == kind[k].type &&
			    ns_rr_rdlen(rr) == kind[k].len)
				add(a, kind[k].family, ns_rr_rdata(rr), port);
	}
	res_nclose(&res);
}

static int connect_one(const struct sockaddr_storage *to, int64_t until_ns,
		       int *out, struct err *e)
{
	socklen_t len = to->ss_family == AF_INET ? sizeof(struct sockaddr_in) :
						   sizeof(struct sockaddr_in6);
	int fd = socket(to->ss_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1, limit = USER_TIMEOUT_MS, sys = 0;
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	if (fd < 0)
		return err_sys(e, "socket");
	if (connect(fd, (const struct sockaddr *)to, len) &&
	    errno != EINPROGRESS)
		goto failed;
	for (;;) {
		int64_t ms = (until_ns - io_monotonic_ns()) / 1000000;
		int n = poll(&p, 1, ms > 0 ? (int)ms : 0);

		if (n > 0)
			break;
		errno = n ? errno : ETIMEDOUT;
		if (!n || errno != EINTR)
			goto failed;
	}
	len = sizeof(sys);
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &sys, &len);
	errno = sys;
	if (sys)
		goto failed;
	/* Speed and patience only: a refusal changes nothing else. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof(limit));
	*out = fd;
	return 0;
failed:
	err_sys(e, "connect");
	close(fd);
	return -1;
}

int dial_tcp(const char *host, uint16_t port, int64_t deadline_ns, int *fd,
	     struct err *e)
{
	struct addrs a = { .n = 0 };

	if (!numeric(&a, host, port))
		by_file(&a, host, port);
	if (!a.n)
		by_dns(&a, host, port);
	if (!a.n)
		return err_set(e, ERR_NOTFOUND, "no address known");
	for (int i = 0; i < a.n; i++) {
		int64_t now = io_monotonic_ns();
		int64_t until = now + CONNECT_NS;

		if (now >= deadline_ns)
			return err_set(e, ERR_TIMEOUT, "connect: deadline");
		if (!connect_one(&a.v[i],
				 until < deadline_ns ? until : deadline_ns, fd,
				 e))
			return 0;
	}
	return -1;
}
