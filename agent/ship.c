// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * SSH by libssh2: one pinned, authenticated connection and exec channels over
 * it. The session is non-blocking; everything waits in ship_wait(), which
 * knows the deadlines. What is said on a channel is verb.c's business, trying
 * again the courier's.
 */
#include "ship.h"
#include "dial.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <libssh2.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* OpenSSH's own channel window: what a get may have in flight. */
#define WINDOW (2U << 20)

/* fsync of a large result on a slow disk stays below this. */
#define STALL_NS 120000000000LL

struct ship {
	LIBSSH2_SESSION *ssh;
	int fd;
	char host[DIAL_HOST];
	uint16_t port;
	int64_t deadline_ns; /* of what is going on now */
	int64_t progress_ns; /* when it last got on */
};

struct ship_channel {
	struct ship *s;
	LIBSSH2_CHANNEL *ch;
};

/* ---- waiting ---- */

int ship_wait(struct ship *s, int extra_fd, struct err *e)
{
	int dir = libssh2_session_block_directions(s->ssh);
	struct pollfd p[2] = { { .fd = s->fd, .events = POLLIN },
			       { .fd = extra_fd, .events = POLLIN } };
	int64_t now = io_monotonic_ns(), until = s->deadline_ns;
	int n;

	if (dir & LIBSSH2_SESSION_BLOCK_OUTBOUND)
		p[0].events |= POLLOUT;
	if (extra_fd < 0 && s->progress_ns + STALL_NS < until)
		until = s->progress_ns + STALL_NS;
	if (now >= until)
		return err_set(e, ERR_TIMEOUT, until == s->deadline_ns ?
			       "deadline" : "no progress for two minutes");
	n = poll(p, 2, (int)((until - now) / 1000000 + 1));
	if (n < 0 && errno != EINTR)
		return err_sys(e, "poll");
	return 0;
}

/* libssh2's last word, as an error of the connection. */
static int lost(struct ship *s, const char *what, struct err *e)
{
	char *msg = NULL;

	libssh2_session_last_error(s->ssh, &msg, NULL, 0);
	return err_set(e, ERR_SYS, "%s: %s", what,
		       msg && *msg ? msg : "connection lost");
}

/* Repeats a call while it would block. 0, -1 with *e filled. */
#define DO(s, e, what, call)                                       \
	({                                                         \
		int rc_, bad_ = 0;                                 \
		while ((rc_ = (call)) == LIBSSH2_ERROR_EAGAIN)     \
			if ((bad_ = ship_wait(s, -1, e)))        \
				break;                             \
		bad_ ? err_prefix(e, what) : rc_ < 0 ? lost(s, what, e) : 0; \
	})

/* ---- connecting ---- */

/*
 * sshd writes its small messages under Nagle's rule, and a delayed ACK of ours
 * holds each for 40 ms; the kernel leaves quick-ACK mode by itself, so it is
 * asked for at every read (83 ms for connecting and a small put became 42).
 */
static LIBSSH2_RECV_FUNC(quick_recv)
{
	int on = 1;
	ssize_t n;

	(void)abstract;
	setsockopt(socket, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
	n = recv(socket, buffer, length, flags);
	return n < 0 ? -errno : n;
}

/* ed25519 is the only kind this libssh2 does well: RSA is SHA-1 only. */
static int set_methods(struct ship *s, struct err *e)
{
	static const struct {
		int method;
		const char *names;
	} want[] = {
		{ LIBSSH2_METHOD_HOSTKEY, "ssh-ed25519" },
		{ LIBSSH2_METHOD_CRYPT_CS, "aes128-ctr" },
		{ LIBSSH2_METHOD_CRYPT_SC, "aes128-ctr" },
		{ LIBSSH2_METHOD_MAC_CS, "hmac-sha2-256" },
		{ LIBSSH2_METHOD_MAC_SC, "hmac-sha2-256" },
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		if (libssh2_session_method_pref(s->ssh, want[i].method,
						want[i].names))
			return lost(s, want[i].names, e);
	return 0;
}

/* "SHA256:base64", as ssh-keygen -l prints it. */
static void fingerprint(struct ship *s, char out[64])
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *hash = libssh2_hostkey_hash(s->ssh,
						LIBSSH2_HOSTKEY_HASH_SHA256);
	size_t n = (size_t)sprintf(out, "SHA256:");
	unsigned int bits = 0, have = 0;

	for (int i = 0; hash && i < 32; i++) {
		bits = (bits << 8 | (unsigned char)hash[i]) & 0xffff;
		for (have += 8; have >= 6; have -= 6)
			out[n++] = digit[bits >> (have - 6) & 63];
	}
	if (have)
		out[n++] = digit[bits << (6 - have) & 63];
	out[n] = '\0';
}

/*
 * Line by line: libssh2_knownhost_readfile() stops at the first line that it
 * does not understand.
 */
static int read_known_hosts(LIBSSH2_KNOWNHOSTS *kh, const char *file,
			    struct err *e)
{
	struct buf b = { 0 };
	char *line, *rest;

	if (io_read_file(AT_FDCWD, file, &b, 1 << 20, e)) {
		buf_free(&b);
		e->kind = ERR_INPUT;
		return -1;
	}
	for (line = b.data ? strtok_r(b.data, "\r\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\r\n", &rest))
		(void)libssh2_knownhost_readline(kh, line, strlen(line),
						 LIBSSH2_KNOWNHOST_FILE_OPENSSH);
	buf_free(&b);
	return 0;
}

static int check_host_key(struct ship *s, const char *file, struct err *e)
{
	LIBSSH2_KNOWNHOSTS *kh = libssh2_knownhost_init(s->ssh);
	size_t len = 0;
	int type = 0, rc;
	const char *key = libssh2_session_hostkey(s->ssh, &len, &type);
	char print[64];

	if (!kh)
		return lost(s, "known_hosts", e);
	if (read_known_hosts(kh, file, e)) {
		libssh2_knownhost_free(kh);
		return err_prefix(e, "known_hosts");
	}
	rc = key && type == LIBSSH2_HOSTKEY_TYPE_ED25519 ?
		     libssh2_knownhost_checkp(kh, s->host, s->port, key, len,
					      LIBSSH2_KNOWNHOST_TYPE_PLAIN |
					      LIBSSH2_KNOWNHOST_KEYENC_RAW |
					      LIBSSH2_KNOWNHOST_KEY_ED25519,
					      NULL) :
		     LIBSSH2_KNOWNHOST_CHECK_FAILURE;
	libssh2_knownhost_free(kh);
	if (rc == LIBSSH2_KNOWNHOST_CHECK_MATCH)
		return 0;
	fingerprint(s, print);
	return err_set(e, ERR_CONFLICT,
		       "host key %s is not the one that %s pins: nothing sent",
		       print, file);
}

static int log_in(struct ship *s, const struct ship_conf *c, struct err *e)
{
	int rc;

	if (access(c->key_file, R_OK)) {
		err_sys(e, "key %s", c->key_file);
		e->kind = ERR_INPUT;
		return -1;
	}
	while ((rc = libssh2_userauth_publickey_fromfile(
			s->ssh, c->user, NULL, c->key_file, NULL)) ==
	       LIBSSH2_ERROR_EAGAIN)
		if (ship_wait(s, -1, e))
			return err_prefix(e, "authentication");
	if (!rc)
		return 0;
	lost(s, "authentication", e);
	if (rc == LIBSSH2_ERROR_FILE || rc == LIBSSH2_ERROR_METHOD_NONE)
		return err_set(e, ERR_INPUT,
			       "key %s: not an ed25519 key without passphrase",
			       c->key_file);
	if (rc == LIBSSH2_ERROR_AUTHENTICATION_FAILED ||
	    rc == LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED)
		return err_set(e, ERR_PEER,
			       "key %s is not accepted for %s (not enrolled?)",
			       c->key_file, c->user);
	return -1;
}

static int shake_hands(struct ship *s, const struct ship_conf *c,
		       struct err *e)
{
	s->ssh = libssh2_session_init();
	if (!s->ssh)
		return err_set(e, ERR_LIMIT, "out of memory");
	libssh2_session_set_blocking(s->ssh, 0);
	libssh2_session_callback_set(s->ssh, LIBSSH2_CALLBACK_RECV,
				     (void *)quick_recv);
	if (set_methods(s, e) ||
	    DO(s, e, "key exchange", libssh2_session_handshake(s->ssh, s->fd)))
		return -1;
	return check_host_key(s, c->known_hosts_file, e) ? -1 :
							   log_in(s, c, e);
}

int ship_open(const struct ship_conf *c, int64_t deadline_ns,
	      struct ship **out, struct err *e)
{
	struct ship *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (!s || libssh2_init(0)) {
		free(s);
		return err_set(e, ERR_LIMIT, "out of memory");
	}
	s->fd = -1;
	s->deadline_ns = deadline_ns;
	s->progress_ns = io_monotonic_ns();
	if (dial_split(c->controller, s->host, &s->port, e) ||
	    dial_tcp(s->host, s->port, deadline_ns, &s->fd, e) ||
	    shake_hands(s, c, e)) {
		ship_close(s);
		return err_prefix(e, "controller %s", c->controller);
	}
	*out = s;
	return 0;
}

void ship_close(struct ship *s)
{
	if (!s)
		return;
	/*
	 * One try to say good-bye; never waits. Freeing would block on open
	 * channels (and then free nothing) while the socket still works.
	 */
	if (s->ssh) {
		libssh2_session_disconnect(s->ssh, "done");
		shutdown(s->fd, SHUT_RDWR);
		libssh2_session_free(s->ssh);
	}
	io_close(&s->fd);
	free(s);
	libssh2_exit();
}

int ship_fd(const struct ship *s)
{
	return s->fd;
}

void ship_deadline(struct ship *s, int64_t deadline_ns)
{
	s->deadline_ns = deadline_ns;
	s->progress_ns = io_monotonic_ns();
}

/* ---- channels ---- */

struct ship_channel *ship_exec(struct ship *s, const char *words,
			       struct err *e)
{
	struct ship_channel *c = calloc(1, sizeof(*c));

	if (!c) {
		err_set(e, ERR_LIMIT, "out of memory");
		return NULL;
	}
	c->s = s;
	while (!(c->ch = libssh2_channel_open_ex(s->ssh, "session", 7, WINDOW,
						 LIBSSH2_CHANNEL_PACKET_DEFAULT,
						 NULL, 0))) {
		if (libssh2_session_last_errno(s->ssh) !=
		    LIBSSH2_ERROR_EAGAIN)
			lost(s, "channel", e);
		else if (!ship_wait(s, -1, e))
			continue;
		ship_channel_free(c);
		return NULL;
	}
	if (DO(s, e, "exec", libssh2_channel_exec(c->ch, words))) {
		ship_channel_free(c);
		return NULL;
	}
	return c;
}

ssize_t ship_read(struct ship_channel *c, enum ship_stream from, void *p,
		  size_t n, struct err *e)
{
	ssize_t got;

	/* who talks without end never makes anybody wait */
	if (io_monotonic_ns() >= c->s->deadline_ns)
		return err_set(e, ERR_TIMEOUT, "deadline");
	got = libssh2_channel_read_ex(
		c->ch, from == SHIP_STDERR ? SSH_EXTENDED_DATA_STDERR : 0, p,
		n);
	if (got == LIBSSH2_ERROR_EAGAIN)
		return 0;
	if (got < 0)
		return lost(c->s, "read", e);
	if (got)
		c->s->progress_ns = io_monotonic_ns();
	return got;
}

ssize_t ship_write(struct ship_channel *c, const void *p, size_t n, bool *held,
		   struct err *e)
{
	ssize_t put = libssh2_channel_write(c->ch, p, n);

	/* Blocked with window left means: half a packet is on the wire. */
	*held = put == LIBSSH2_ERROR_EAGAIN &&
		libssh2_channel_window_write(c->ch);
	if (put == LIBSSH2_ERROR_EAGAIN)
		return 0;
	if (put < 0)
		return lost(c->s, "write", e);
	c->s->progress_ns = io_monotonic_ns();
	return put;
}

int ship_write_end(struct ship_channel *c, struct err *e)
{
	int rc = libssh2_channel_send_eof(c->ch);

	if (rc == LIBSSH2_ERROR_EAGAIN)
		return 0;
	return rc < 0 ? lost(c->s, "end of input", e) : 1;
}

bool ship_ended(struct ship_channel *c)
{
	return libssh2_channel_eof(c->ch) == 1;
}

int ship_hang_up(struct ship_channel *c, int *exit_status, struct err *e)
{
	struct ship *s = c->s;

	if (DO(s, e, "close", libssh2_channel_close(c->ch)) ||
	    DO(s, e, "close", libssh2_channel_wait_closed(c->ch)))
		return -1;
	*exit_status = libssh2_channel_get_exit_status(c->ch);
	return 0;
}

void ship_channel_free(struct ship_channel *c)
{
	if (c && c->ch)
		libssh2_channel_free(c->ch);
	free(c);
}
