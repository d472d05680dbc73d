// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A TCP proxy for tests: forwards loopback connections, and can hold bytes
 * back for a while, cut a connection in the middle, and count.
 *
 *   proxy LISTEN_PORT TARGET_PORT [delay=MS] [cut=BYTES[,TIMES]]
 *
 * delay is each way. cut resets both sides of a connection once BYTES have
 * been forwarded to the target, for the first TIMES connections (1). Each
 * connection's end is one line on stdout: "conn N UP DOWN", bytes forwarded.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNS	   16
#define CHUNK	   65536
#define QUEUED_MAX (16U << 20) /* of one direction, while it is held back */

struct chunk {
	struct chunk *next;
	int64_t due_ms;
	size_t at, len;
	char data[CHUNK];
};

struct flow { /* one direction */
	int from, to;
	struct chunk *first, **last;
	size_t queued;
	uint64_t total;
	bool ended; /* from has said all */
};

struct conn {
	int number; /* 0: free */
	struct flow up, down;
	uint64_t cut; /* 0: never */
};

static struct conn conns[CONNS];
static int64_t delay_ms;
static uint64_t cut_bytes;
static int cut_times = 1;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static struct sockaddr_in loopback(const char *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET };

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	a.sin_port = htons((uint16_t)atoi(port));
	return a;
}

static void flow_clear(struct flow *f)
{
	while (f->first) {
		struct chunk *c = f->first;

		f->first = c->next;
		free(c);
	}
}

static void end_conn(struct conn *c, bool reset)
{
	struct linger now = { .l_onoff = 1, .l_linger = 0 };

	if (reset) {
		setsockopt(c->up.from, SOL_SOCKET, SO_LINGER, &now,
			   sizeof(now));
		setsockopt(c->up.to, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	}
	close(c->up.from);
	close(c->up.to);
	printf("conn %d %llu %llu\n", c->number,
	       (unsigned long long)c->up.total,
	       (unsigned long long)c->down.total);
	fflush(stdout);
	flow_clear(&c->up);
	flow_clear(&c->down);
	memset(c, 0, sizeof(*c));
}

static void flow_init(struct flow *f, int from, int to)
{
	f->from = from;
	f->to = to;
	f->last = &f->first;
}

static void accept_conn(int listener, const struct sockaddr_in *target)
{
	static int number;
	int in = accept(listener, NULL, NULL), out, on = 1;
	struct conn *c = conns;

	if (in < 0)
		return;
	while (c < conns + CONNS && c->number)
		c++;
	out = socket(AF_INET, SOCK_STREAM, 0);
	if (c == conns + CONNS || out < 0 ||
	    connect(out, (const struct sockaddr *)target, sizeof(*target))) {
		close(in);
		if (out >= 0)
			close(out);
		return;
	}
	setsockopt(in, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(out, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	flow_init(&c->up, in, out);
	flow_init(&c->down, out, in);
	c->number = ++number;
	c->cut = number <= cut_times ? cut_bytes : 0;
}

/* False: the connection is over. */
static bool flow_read(struct flow *f)
{
	struct chunk *c = malloc(sizeof(*c));
	ssize_t n;

	if (!c)
		die("malloc");
	n = recv(f->from, c->data, CHUNK, MSG_DONTWAIT);
	if (n <= 0) {
		free(c);
		f->ended = f->ended || !n;
		return n >= 0 || errno == EAGAIN;
	}
	c->len = (size_t)n;
	c->at = 0;
	c->due_ms = now_ms() + delay_ms;
	c->next = NULL;
	*f->last = c;
	f->last = &c->next;
	f->queued += c->len;
	return true;
}

static bool flow_write(struct flow *f, uint64_t cut)
{
	while (f->first && f->first->due_ms <= now_ms()) {
		struct chunk *c = f->first;
		size_t want = c->len - c->at;
		ssize_t n;

		if (cut && want > cut - f->total)
			want = (size_t)(cut - f->total);
		n = send(f->to, c->data + c->at, want,
			 MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0)
			return errno == EAGAIN;
		c->at += (size_t)n;
		f->total += (uint64_t)n;
		f->queued -= (size_t)n;
		if (cut && f->total >= cut)
			return false;
		if (c->at < c->len)
			return true;
		f->first = c->next;
		if (!f->first)
			f->last = &f->first;
		free(c);
	}
	if (f->ended && !f->first) {
		shutdown(f->to, SHUT_WR);
		f->ended = false;
		f->from = -1; /* no longer polled */
	}
	return true;
}

static void ask(struct pollfd *from, struct pollfd *to, const struct flow *f,
		int *wait_ms)
{
	from->events |= f->from >= 0 && !f->ended && f->queued < QUEUED_MAX ?
				POLLIN : 0;
	if (!f->first)
		return;
	if (f->first->due_ms <= now_ms())
		to->events |= POLLOUT;
	else if (*wait_ms < 0 || f->first->due_ms - now_ms() < *wait_ms)
		*wait_ms = (int)(f->first->due_ms - now_ms());
}

static void serve(struct conn *c, const struct pollfd *p)
{
	int in = c->up.from, out = c->down.from;
	bool good = true;

	if (p[0].revents & (POLLIN | POLLHUP | POLLERR) && in >= 0 &&
	    !c->up.ended)
		good = flow_read(&c->up);
	if (good && p[1].revents & (POLLIN | POLLHUP | POLLERR) && out >= 0 &&
	    !c->down.ended)
		good = flow_read(&c->down);
	if (!good || !flow_write(&c->up, c->cut) || !flow_write(&c->down, 0)) {
		c->up.from = c->down.to;
		end_conn(c, true);
	} else if (c->up.from < 0 && c->down.from < 0) {
		c->up.from = c->down.to;
		end_conn(c, false);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in here, target;
	struct pollfd p[1 + 2 * CONNS];
	int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	if (argc < 3)
		return 2;
	for (int i = 3; i < argc; i++)
		if (!strncmp(argv[i], "delay=", 6))
			delay_ms = atoi(argv[i] + 6);
		else if (!strncmp(argv[i], "cut=", 4)) {
			cut_bytes = strtoull(argv[i] + 4, NULL, 10);
			if (strchr(argv[i], ','))
				cut_times = atoi(strchr(argv[i], ',') + 1);
		} else
			return 2;
	here = loopback(argv[1]);
	target = loopback(argv[2]);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, (struct sockaddr *)&here, sizeof(here)) ||
	    listen(listener, CONNS))
		die("listen");
	for (;;) {
		int wait_ms = -1;

		memset(p, 0, sizeof(p));
		p[0] = (struct pollfd){ .fd = listener, .events = POLLIN };
		for (int i = 0; i < CONNS; i++) {
			struct conn *c = &conns[i];
			struct pollfd *q = p + 1 + 2 * i;

			q[0].fd = c->number ? c->down.to : -1;
			q[1].fd = c->number ? c->up.to : -1;
			if (!c->number)
				continue;
			ask(&q[0], &q[1], &c->up, &wait_ms);
			ask(&q[1], &q[0], &c->down, &wait_ms);
			if (!q[0].events)
				q[0].fd = -1;
			if (!q[1].events)
				q[1].fd = -1;
		}
		if (poll(p, 1 + 2 * CONNS, wait_ms) < 0 && errno != EINTR)
			die("poll");
		if (p[0].revents)
			accept_conn(listener, &target);
		for (int i = 0; i < CONNS; i++)
			if (conns[i].number)
				serve(&conns[i], p + 1 + 2 * i);
	}
}
