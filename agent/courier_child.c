// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The courier's child: keeps the connection, repeats what failed for reasons
 * that may pass, and sends the kernel's messages when there is nothing else to
 * do. It may block up to a request's deadline. Bringing a file home is
 * courier_put.c's.
 */
#include "courier_job.h"
#include "io.h"
#include "num.h"
#include "secret.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000LL

/* Between two tries to connect, or after a refusal that may pass. */
#define PAUSE_MIN_NS (250 * MS)
#define PAUSE_MAX_NS (10000 * MS)
/* OpenSSH 9.8 and later locks out who fails to authenticate too often. */
#define PAUSE_AUTH_NS (20000 * MS)

/* A connection that takes longer will not come about. */
#define OPEN_NS (30000 * MS)

/* Sending kernel messages never makes a request wait longer than this. */
#define LOG_NS (10000 * MS)

/* Says a thing once, until something else is said. */
static void note(struct courier_child *c, const char *text)
{
	if (!strncmp(c->noted, text, sizeof(c->noted) - 1))
		return;
	snprintf(c->noted, sizeof(c->noted), "%s", text);
	fprintf(stderr, "courier: %s\n", text);
}

static void all_well(struct courier_child *c)
{
	if (*c->noted)
		fputs("courier: all well again\n", stderr);
	*c->noted = '\0';
	c->pause_ns = 0;
}

static void drop(struct courier_child *c)
{
	ship_close(c->ship);
	c->ship = NULL;
}

static void back_off(struct courier_child *c, int64_t at_least_ns)
{
	c->pause_ns *= 2;
	if (c->pause_ns < PAUSE_MIN_NS)
		c->pause_ns = PAUSE_MIN_NS;
	if (c->pause_ns > PAUSE_MAX_NS)
		c->pause_ns = PAUSE_MAX_NS;
	if (c->pause_ns < at_least_ns)
		c->pause_ns = at_least_ns;
	c->next_try_ns = io_monotonic_ns() + c->pause_ns;
}

/* The reason for having needed so long is worth more than what ran last. */
static int out_of_time(const struct courier_child *c, struct err *e)
{
	char last[sizeof(c->noted)];

	snprintf(last, sizeof(last), "%s",
		 *c->noted ? c->noted :
		 e->kind != ERR_NONE ? e->msg : "no time left");
	return err_set(e, ERR_TIMEOUT, "deadline: %s", last);
}

static int sleep_off(struct courier_child *c, int64_t deadline_ns, struct err *e)
{
	int64_t ns = c->next_try_ns - io_monotonic_ns();
	struct timespec ts;

	if (c->next_try_ns >= deadline_ns || io_monotonic_ns() >= deadline_ns)
		return out_of_time(c, e);
	if (ns <= 0)
		return 0;
	ts = (struct timespec){ ns / 1000000000, ns % 1000000000 };
	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
	return 0;
}

/* One try. */
static int connect_once(struct courier_child *c, int64_t deadline_ns, struct err *e)
{
	struct ship_conf conf = { c->conf->controller, c->conf->user,
				  c->conf->key_file,
				  c->conf->known_hosts_file };
	int64_t until = io_monotonic_ns() + OPEN_NS;

	if (!ship_open(&conf, until < deadline_ns ? until : deadline_ns,
		       &c->ship, e)) {
		c->been_there = true;
		return 0;
	}
	back_off(c, e->kind == ERR_PEER || e->kind == ERR_CONFLICT ?
			    PAUSE_AUTH_NS : 0);
	return -1;
}

/*
 * A host key that never was right will be right in another image. One that was
 * right may be again: a result waits for that.
 */
static bool is_final(const struct courier_child *c, const struct err *e)
{
	return e->kind == ERR_INPUT ||
	       (e->kind == ERR_CONFLICT && !c->been_there);
}

static int connected(struct courier_child *c, int64_t deadline_ns, struct err *e)
{
	while (!c->ship) {
		if (sleep_off(c, deadline_ns, e))
			return -1;
		if (connect_once(c, deadline_ns, e)) {
			if (is_final(c, e))
				return -1;
			note(c, e->msg);
		}
	}
	return 0;
}

/* A refusal for reasons that may pass by themselves. */
static bool may_pass(enum err_kind kind)
{
	return kind == ERR_SYS || kind == ERR_LIMIT || kind == ERR_TIMEOUT;
}

int courier_verb(struct courier_job *j, struct verb *v, struct verb_reply *r,
		struct err *e)
{
	struct courier_child *c = j->c;
	char kind[32];

	if (connected(c, j->rq->deadline_ns, e))
		return -1;
	v->deadline_ns = j->rq->deadline_ns;
	if (!verb_run(c->ship, v, r, e)) {
		if (*r->noise && !c->noise_said)
			fputs("courier: the account's shell prints before "
			      "answers (.bashrc?)\n", stderr);
		c->noise_said = c->noise_said || *r->noise;
		return 0;
	}
	if (r->words.n && !may_pass(e->kind)) {
		snprintf(kind, sizeof(kind), "%s", err_kind_name(e->kind));
		e->kind = ERR_PEER;
		return err_prefix(e, "controller refuses: %s", kind);
	}
	if (!r->words.n)
		drop(c);
	if (j->own_fault || j->spoilt)
		return -1;
	if (io_monotonic_ns() >= j->rq->deadline_ns)
		return out_of_time(c, e);
	note(c, e->msg);
	back_off(c, 0);
	return sleep_off(c, j->rq->deadline_ns, e) ? -1 : 1;
}

static void join(const struct proto_words *w, char out[PROTO_LINE])
{
	size_t n = 0;

	*out = '\0';
	for (int i = 0; i < w->n; i++)
		n += (size_t)snprintf(out + n, PROTO_LINE - n, "%s%s",
				      i ? " " : "", w->v[i]);
}

/* ---- call ---- */

/* Not more than was announced, nor than there is room for. */
static int within(const struct courier_job *j, struct err *e)
{
	const struct proto_words *w = &j->reply->words;
	uint64_t size;

	if (w->n != 3 || strcmp(w->v[0], "data") != 0 ||
	    num_u64(w->v[1], UINT64_MAX, &size, NULL))
		return err_set(e, ERR_FORMAT, "%s: unexpected data",
			       j->rq->words);
	if (size > j->rq->most)
		return err_set(e, ERR_LIMIT, "%s: %llu bytes, %llu at most",
			       j->rq->words, (unsigned long long)size,
			       (unsigned long long)j->rq->most);
	if (j->got > size)
		return err_set(e, ERR_FORMAT,
			       "%s: more than the %llu bytes announced",
			       j->rq->words, (unsigned long long)size);
	return 0;
}

static int call_sink(void *arg, const void *p, size_t n, struct err *e)
{
	struct courier_job *j = arg;

	j->got += n;
	if (within(j, e)) {
		j->own_fault = true;
		return -1;
	}
	if (j->sha)
		sha256_add(j->sha, p, n);
	if (j->fd >= 0 && !io_write_all(j->fd, p, n, e))
		return 0;
	j->own_fault = true;
	return j->fd < 0 ? err_set(e, ERR_FORMAT, "unexpected data") : -1;
}

/* An earlier try may have written some of it. */
static int start_over(struct courier_job *j, struct err *e)
{
	sha256_free(j->sha);
	j->sha = sha256_new();
	if (!j->sha)
		return err_set(e, ERR_LIMIT, "out of memory");
	if (j->got && (ftruncate(j->fd, 0) || lseek(j->fd, 0, SEEK_SET))) {
		j->own_fault = true;
		return err_sys(e, "%s: cut in the middle, output cannot start "
			       "again", j->rq->words);
	}
	j->got = 0;
	return 0;
}

/* data SIZE SHA256 */
static int check_data(struct courier_job *j, const struct proto_words *w,
		      struct err *e)
{
	char size[24], hex[SHA256_HEX];

	if (w->n != 3 || strcmp(w->v[0], "data"))
		return 0;
	snprintf(size, sizeof(size), "%llu", (unsigned long long)j->got);
	sha256_hex(j->sha, hex);
	if (!strcmp(w->v[1], size) && !strcmp(w->v[2], hex))
		return 0;
	return err_set(e, ERR_FORMAT,
		       "%s: %s bytes came, not the %s with that SHA-256",
		       j->rq->words, size, w->v[1]);
}

static int call(struct courier_job *j, struct courier_reply *rp, struct err *e)
{
	struct verb v = { .words = j->rq->words, .sink = call_sink, .arg = j,
			  .wait_fd = -1 };
	struct verb_reply r;
	int rc;

	j->reply = &r;
	do {
		rc = start_over(j, e) ? -1 : courier_verb(j, &v, &r, e);
	} while (rc > 0);
	j->reply = NULL;
	if (rc || check_data(j, &r.words, e))
		return -1;
	join(&r.words, rp->words);
	return 0;
}

/* ---- the kernel's messages ---- */

static ssize_t log_source(void *arg, void *p, size_t n, struct err *e)
{
	struct courier_child *c = arg;
	size_t left = c->log_end - c->log_at;

	(void)e;
	n = n < left ? n : left;
	memcpy(p, c->klog.text.data + c->log_at, n);
	c->log_at += n;
	return (ssize_t)n;
}

/* What was not answered `ok` stays and goes with the next try. */
static void send_log(struct courier_child *c)
{
	int64_t deadline = io_monotonic_ns() + LOG_NS;
	struct verb_reply r;
	struct err e = ERR_INIT;
	char words[PROTO_LINE];
	struct verb v = { .words = words, .source = log_source, .arg = c,
			  .wait_fd = -1, .deadline_ns = deadline };

	snprintf(words, sizeof(words), "log %s", c->conf->boot_id);
	if (!c->ship && connect_once(c, deadline, &e)) {
		note(c, e.msg);
		return;
	}
	c->log_at = 0;
	c->log_end = c->klog.text.len;
	if (!verb_run(c->ship, &v, &r, &e)) {
		klog_sent(&c->klog, c->log_end);
		all_well(c);
		return;
	}
	if (!r.words.n)
		drop(c);
	back_off(c, 0);
	note(c, e.msg);
}

/* ---- the loop ---- */

static ssize_t receive(struct courier_child *c, struct courier_request *rq, int *fd)
{
	struct iovec iov = { rq, sizeof(*rq) };
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u;
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			    .msg_control = u.room,
			    .msg_controllen = sizeof(u.room) };
	struct cmsghdr *h;
	ssize_t n = recvmsg(c->sock, &m, MSG_CMSG_CLOEXEC);

	*fd = -1;
	h = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	if (h && h->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(h), sizeof(*fd));
	return n;
}

static void serve(struct courier_child *c)
{
	struct courier_request rq = { .ask = COURIER_CALL };
	struct courier_reply rp = { .err = ERR_INIT };
	struct courier_job j = { .c = c, .rq = &rq };
	ssize_t n = receive(c, &rq, &j.fd);

	if (n < 0 && errno == EINTR)
		return;
	if (n != sizeof(rq)) {
		/* The caller is gone; so is, in a moment, this process. */
		if (c->been_there && c->klog.text.len)
			send_log(c);
		_exit(0);
	}
	/* News of a put that has ended already needs no answer. */
	if (rq.ask == COURIER_CALL)
		rp.rc = call(&j, &rp, &rp.err);
	else if (rq.ask == COURIER_PUT)
		rp.rc = courier_bring(&j, &rp, &rp.err);
	sha256_free(j.sha);
	io_close(&j.fd);
	if (rq.ask != COURIER_CALL && rq.ask != COURIER_PUT)
		return;
	if (!rp.rc)
		all_well(c);
	if (send(c->sock, &rp, sizeof(rp), MSG_NOSIGNAL) != sizeof(rp))
		_exit(0);
	/* A program's lines in the log wait for traffic; the kernel's do not. */
	c->klog.kernel = c->klog.text.len > 0;
}

/* Readable while idle: the end, or a message that the next verb will read. */
static bool still_there(struct courier_child *c)
{
	char byte;
	ssize_t n = recv(ship_fd(c->ship), &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return true;
	drop(c);
	return false;
}

_Noreturn void courier_child(const struct courier_conf *conf, int sock)
{
	struct courier_child c = { .conf = conf, .sock = sock,
			   .klog = { .fd = conf->kmsg_fd } };
	bool watch_ship = true;

	secret_hold();
	for (;;) {
		struct pollfd p[3] = {
			{ .fd = sock, .events = POLLIN },
			{ .fd = c.klog.fd, .events = POLLIN },
			{ .fd = c.ship && watch_ship ? ship_fd(c.ship) : -1,
			  .events = POLLIN },
		};
		bool log = c.been_there && c.klog.kernel;
		int64_t ns = c.next_try_ns - io_monotonic_ns();

		if (log && ns <= 0 && poll(p, 1, 0) <= 0) {
			send_log(&c);
			continue;
		}
		if (poll(p, 3, log ? (int)(ns / MS + 1) : -1) < 0)
			continue;
		if (p[2].revents)
			watch_ship = !still_there(&c);
		if (p[1].revents)
			klog_take(&c.klog);
		if (p[0].revents) {
			serve(&c);
			watch_ship = true;
		}
	}
}
