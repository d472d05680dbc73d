// SPDX-License-Identifier: GPL-3.0-or-later
#include "dial.h"
#include "io.h"
#include "tap.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static char host[DIAL_HOST];
static uint16_t port;
static struct err e;

static void test_split(void)
{
	static const char *const bad[] = { "",	     "host",   "host:",
					   ":22",    "host:0", "host:65536",
					   "host:x", "::1:22", "[]:22",
					   "host: 22" };
	char text[400];

	ok(!dial_split("ctl.example:2222", host, &port, &e), "a name");
	is_str(host, "ctl.example", "its host");
	is_int(port, 2222, "its port");
	ok(!dial_split("[2001:db8::1]:22", host, &port, &e), "IPv6");
	is_str(host, "2001:db8::1", "without brackets");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(dial_split(bad[i], host, &port, &e) && e.kind == ERR_INPUT,
		   "\"%s\" is refused: %s", bad[i], e.msg);
	memset(text, 'a', sizeof(text));
	strcpy(text + 300, ":22");
	ok(dial_split(text, host, &port, &e), "a host that is too long");
}

static void test_tcp(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	int64_t soon = io_monotonic_ns() + 10000000000;
	int l = socket(AF_INET, SOCK_STREAM, 0), fd = -1;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(l, (struct sockaddr *)&a, len) || listen(l, 1) ||
	    getsockname(l, (struct sockaddr *)&a, &len))
		exit(1);
	port = ntohs(a.sin_port);
	ok(!dial_tcp("127.0.0.1", port, soon, &fd, &e), "by address");
	io_close(&fd);
	ok(!dial_tcp("localhost", port, soon, &fd, &e), "by /etc/hosts: %s",
	   fd < 0 ? e.msg : "");
	io_close(&fd);
	ok(dial_tcp("127.0.0.1", port, 0, &fd, &e) && e.kind == ERR_TIMEOUT,
	   "not after the deadline");
	close(l);
	ok(dial_tcp("127.0.0.1", port, soon, &fd, &e) && e.kind == ERR_SYS,
	   "nobody listens: %s", e.msg);
}

int main(void)
{
	test_split();
	test_tcp();
	return done_testing();
}
