// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The courier as its callers see it: starts the child, hands requests and
 * descriptors over, starts it again when it dies in the middle of one, and
 * kills it when it outlives a deadline. The child's work is courier_child.c's.
 */
#include "courier_msg.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The child knows the deadline too; beyond this it hangs. */
#define GRACE_NS 5000000000LL

/* For the last kernel messages. */
#define STOP_NS 3000000000LL

/* Before a dead child is started again; grows with each death of a call. */
#define RESTART_MS 100

struct courier {
	struct courier_conf conf; /* strings owned */
	char *text[5];
	pid_t pid; /* 0: none */
	int sock;
};

/* A request under way. */
struct trip {
	struct courier *c;
	struct courier_request rq;
	struct courier_reply rp;
	int fd;	     /* passed along, -1: none */
	int grow_fd; /* -1: none, or heard to its end */
	bool grew;   /* not told to the child yet */
	enum courier_ask news;
	int64_t until_ns;
};

/* ---- the child's life ---- */

static void bury(struct courier *c)
{
	io_close(&c->sock);
	if (c->pid <= 0)
		return;
	kill(c->pid, SIGKILL);
	/* ECHILD: a caller that reaps everything was faster. */
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
}

static _Noreturn void in_child(struct courier *c, int sock, pid_t parent)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "courier");
	if (getppid() != parent)
		_exit(1);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* The caller's other descriptors are none of the child's. */
	sock = fcntl(sock, F_DUPFD, 16);
	if (c->conf.kmsg_fd >= 0)
		c->conf.kmsg_fd = dup2(fcntl(c->conf.kmsg_fd, F_DUPFD, 16), 4);
	sock = dup2(sock, 3);
	close_range(c->conf.kmsg_fd >= 0 ? 5 : 4, ~0U, 0);
	courier_child(&c->conf, sock);
}

static int spawn(struct courier *c, struct err *e)
{
	pid_t parent = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_sys(e, "courier: socketpair");
	fflush(NULL);
	c->pid = fork();
	if (!c->pid)
		in_child(c, pair[1], parent);
	close(pair[1]);
	c->sock = pair[0];
	if (c->pid > 0)
		return 0;
	err_sys(e, "courier: fork");
	c->pid = 0;
	io_close(&c->sock);
	return -1;
}

int courier_start(struct courier **out, const struct courier_conf *conf,
		  struct err *e)
{
	struct courier *c = calloc(1, sizeof(*c));
	const char *from[] = { conf->controller, conf->user, conf->key_file,
			       conf->known_hosts_file, conf->boot_id };

	*out = NULL;
	if (!c)
		return err_set(e, ERR_LIMIT, "courier: out of memory");
	c->sock = -1;
	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++)
		if (!(c->text[i] = strdup(from[i] ? from[i] : ""))) {
			courier_stop(c);
			return err_set(e, ERR_LIMIT, "courier: out of memory");
		}
	c->conf = (struct courier_conf){ c->text[0], c->text[1], c->text[2],
					 c->text[3], c->text[4],
					 conf->kmsg_fd };
	if (spawn(c, e)) {
		courier_stop(c);
		return -1;
	}
	*out = c;
	return 0;
}

void courier_stop(struct courier *c)
{
	int64_t until = io_monotonic_ns() + STOP_NS;
	struct timespec tick = { 0, 10000000 };

	if (!c)
		return;
	/* Closing is the word; it may have kernel messages left to send. */
	io_close(&c->sock);
	while (c->pid > 0 && io_monotonic_ns() < until) {
		if (waitpid(c->pid, NULL, WNOHANG))
			c->pid = 0;
		else
			nanosleep(&tick, NULL);
	}
	bury(c);
	for (size_t i = 0; i < sizeof(c->text) / sizeof(c->text[0]); i++)
		free(c->text[i]);
	free(c);
}

/* ---- a request ---- */

/* MSG_DONTWAIT only matters for news: a full socket means it is awake. */
static ssize_t send_to(struct courier *c, const struct courier_request *rq,
		       int fd, int flags)
{
	struct iovec iov = { (void *)(uintptr_t)rq, sizeof(*rq) };
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u = { .room = { 0 } };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (fd >= 0) {
		struct cmsghdr *h;

		m.msg_control = u.room;
		m.msg_controllen = sizeof(u.room);
		h = CMSG_FIRSTHDR(&m);
		h->cmsg_level = SOL_SOCKET;
		h->cmsg_type = SCM_RIGHTS;
		h->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(h), &fd, sizeof(fd));
	}
	do {
		n = sendmsg(c->sock, &m, flags | MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n;
}

/*
 * Packing is heard here and not in the child, so that the 'E' which a child
 * has read does not die with it.
 */
static void hear_packing(struct trip *t)
{
	char got[256];
	ssize_t n = read(t->grow_fd, got, sizeof(got));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	t->grew = true;
	if (n > 0 && got[n - 1] != 'E')
		return;
	t->news = n > 0 ? COURIER_WHOLE : COURIER_SPOILT;
	t->rq.whole = n > 0;
	t->grow_fd = -1;
}

static void tell_news(struct trip *t)
{
	struct courier_request rq = { .ask = t->news };

	if (send_to(t->c, &rq, -1, MSG_DONTWAIT) == sizeof(rq))
		t->grew = false;
}

/* 1: replied, 0: the child is gone, -1: out of time. */
static int await(struct trip *t, struct err *e)
{
	for (;;) {
		struct pollfd p[2] = {
			{ .fd = t->c->sock, .events = POLLIN },
			{ .fd = t->grow_fd, .events = POLLIN },
		};
		int64_t ns = t->until_ns + GRACE_NS - io_monotonic_ns();

		if (ns <= 0)
			return err_set(e, ERR_TIMEOUT,
				       "courier: no reply in time");
		if (t->grew)
			p[0].events |= POLLOUT;
		if (poll(p, 2, (int)(ns / 1000000 % 3600000 + 1)) < 0 &&
		    errno != EINTR)
			return err_sys(e, "courier: poll");
		if (p[0].revents & (POLLIN | POLLHUP | POLLERR)) {
			ssize_t n = recv(t->c->sock, &t->rp, sizeof(t->rp), 0);

			if (n < 0 && errno == EINTR)
				continue;
			return n == sizeof(t->rp);
		}
		if (p[1].revents)
			hear_packing(t);
		if (t->grew && p[0].revents & POLLOUT)
			tell_news(t);
	}
}

static int travel(struct trip *t, struct err *e)
{
	struct timespec pause = { 0, RESTART_MS * 1000000L };

	for (unsigned int deaths = 0;; deaths++) {
		int rc = 0;

		if (!t->c->pid && spawn(t->c, e))
			return -1;
		if (send_to(t->c, &t->rq, t->fd, 0) == sizeof(t->rq)) {
			t->grew = t->news == COURIER_SPOILT;
			rc = await(t, e);
		}
		if (rc > 0)
			break;
		bury(t->c);
		if (rc < 0)
			return -1;
		if (io_monotonic_ns() + pause.tv_nsec >= t->until_ns)
			return err_set(e, ERR_TIMEOUT,
				       "courier: died %u times", deaths + 1);
		fprintf(stderr, "courier: died in \"%s\", started again\n",
			t->rq.words);
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 500000000)
			pause.tv_nsec *= 2;
	}
	if (t->rp.rc)
		*e = t->rp.err;
	return t->rp.rc;
}

static int set_words(struct courier_request *rq, const char *words,
		     struct err *e)
{
	size_t n = strlen(words);

	if (n >= sizeof(rq->words))
		return err_set(e, ERR_INPUT, "request longer than %d bytes",
			       PROTO_LINE - 1);
	memcpy(rq->words, words, n + 1);
	return 0;
}

int courier_call(struct courier *c, const char *words, int out_fd,
		 uint64_t most, int64_t deadline_ms,
		 struct proto_words *answer, struct err *e)
{
	struct trip t = { .c = c, .fd = out_fd, .grow_fd = -1 };

	answer->n = 0;
	t.until_ns = io_monotonic_ns() + deadline_ms * 1000000;
	t.rq.ask = COURIER_CALL;
	t.rq.most = most;
	t.rq.deadline_ns = t.until_ns;
	if (set_words(&t.rq, words, e) || travel(&t, e))
		return -1;
	return proto_split(t.rp.words, answer, e);
}

int courier_put(struct courier *c, const char *name, int file_fd, int grow_fd,
		int64_t deadline_ms, char sha256[SHA256_HEX], struct err *e)
{
	struct trip t = { .c = c, .fd = file_fd, .grow_fd = grow_fd,
			  .news = COURIER_GREW };

	t.until_ns = io_monotonic_ns() + deadline_ms * 1000000;
	t.rq.ask = COURIER_PUT;
	t.rq.deadline_ns = t.until_ns;
	t.rq.whole = grow_fd < 0;
	if (set_words(&t.rq, name, e) || travel(&t, e))
		return -1;
	memcpy(sha256, t.rp.sha256, SHA256_HEX);
	return 0;
}
