// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What a controller may tell a box, under a connection that is made up here:
 * pieces of the input arrive on stdout or stderr, with pauses and cuts between
 * them, for one verb of each kind. Then what the answers `run' and `boot' say.
 */
#include "fuzz.h"
#include "courier_job.h"
#include "kexec.h"
#include "run.h"

#include <sys/socket.h>
#include <time.h>

/* Pauses between tries take no time. */
int nanosleep(const struct timespec *t, struct timespec *left)
{
	(void)t;
	(void)left;
	return 0;
}

#define SINK_MAX 4096

static struct {
	const uint8_t *p;
	size_t left;
	char *piece; /* the rest of what comes now */
	size_t at, len;
	bool error; /* it is stderr */
	bool lost;
	unsigned int waits, opened;
} line;

/* The next piece: its first byte says what it is. */
static void more(void)
{
	const uint8_t *start = line.p;

	if (line.at < line.len || !line.left || line.lost)
		return;
	free(line.piece);
	line.piece = fuzz_piece(&line.p, &line.left);
	line.len = (size_t)(line.p - start);
	if (line.len && line.p[-1] == 0xff)
		line.len--;
	line.at = line.len > 0;
	line.error = line.len && *line.piece == 'e';
	line.lost = line.len && *line.piece == 'x';
}

int ship_open(const struct ship_conf *c, int64_t deadline_ns,
	      struct ship **out, struct err *e)
{
	(void)c;
	(void)deadline_ns;
	*out = (struct ship *)&line;
	return line.opened++ ? err_set(e, ERR_INPUT, "enough") : 0;
}

void ship_close(struct ship *s)
{
	(void)s;
}

int ship_fd(const struct ship *s)
{
	(void)s;
	return -1;
}

void ship_deadline(struct ship *s, int64_t deadline_ns)
{
	(void)s;
	(void)deadline_ns;
}

int ship_wait(struct ship *s, int extra_fd, struct err *e)
{
	(void)s;
	(void)extra_fd;
	return ++line.waits > 64 ? err_set(e, ERR_TIMEOUT, "deadline") : 0;
}

struct ship_channel *ship_exec(struct ship *s, const char *words,
			       struct err *e)
{
	(void)e;
	require(*words && strlen(words) < PROTO_LINE + 64);
	return (struct ship_channel *)s;
}

ssize_t ship_read(struct ship_channel *c, enum ship_stream from, void *p,
		  size_t n, struct err *e)
{
	size_t had;

	(void)c;
	more();
	if (line.lost)
		return err_set(e, ERR_SYS, "read: lost");
	had = line.len - line.at;
	if (line.error != (from == SHIP_STDERR) || !had)
		return 0;
	n = n < had ? n : had;
	memcpy(p, line.piece + line.at, n);
	line.at += n;
	return (ssize_t)n;
}

ssize_t ship_write(struct ship_channel *c, const void *p, size_t n, bool *held,
		   struct err *e)
{
	(void)c;
	(void)p;
	(void)e;
	*held = false;
	return (ssize_t)(n < 100 ? n : 100);
}

int ship_write_end(struct ship_channel *c, struct err *e)
{
	(void)c;
	(void)e;
	return 1;
}

bool ship_ended(struct ship_channel *c)
{
	(void)c;
	more();
	return !line.left && line.at == line.len;
}

int ship_hang_up(struct ship_channel *c, int *exit_status, struct err *e)
{
	(void)c;
	(void)e;
	*exit_status = line.lost;
	return 0;
}

void ship_channel_free(struct ship_channel *c)
{
	(void)c;
}

/* ---- one verb ---- */

static size_t sunk;

static int sink(void *arg, const void *p, size_t n, struct err *e)
{
	(void)arg;
	(void)p;
	sunk += n;
	return sunk > SINK_MAX ? err_set(e, ERR_LIMIT, "too much") : 0;
}

static void check(const struct verb_reply *r)
{
	require(r->words.n >= 0 && r->words.n <= PROTO_WORDS);
	require(strlen(r->said) < sizeof(r->said));
	require(strlen(r->noise) < sizeof(r->noise));
}

static void one(bool data)
{
	struct verb v = { .words = "get host.cfg", .wait_fd = -1,
			  .sink = data ? sink : NULL };
	char kernel[PROTO_LINE];
	struct verb_reply r;
	struct err e = ERR_INIT;
	struct lease l;

	sunk = 0;
	if (verb_run((struct ship *)&line, &v, &r, &e)) {
		require(e.kind && *e.msg);
	} else {
		require(r.words.n > 0 && !r.exit_status);
		if (!run_parse(&r.words, &l, kernel, NULL))
			require(strlen(l.id) == 32 && *l.job &&
				!strchr(l.job, '/') && l.attempt >= 0);
	}
	check(&r);
}

/* A file of 300 bytes brought home: `ok' only for these very bytes. */
static void bring(void)
{
	struct courier_request rq = { .ask = COURIER_PUT, .whole = true,
				      .deadline_ns = INT64_MAX,
				      .words = "b.tar.lz4" };
	struct courier_reply rp = { .err = ERR_INIT };
	struct courier_child c = { .conf = &(struct courier_conf){ .user = "" } };
	struct courier_job j = { .c = &c, .rq = &rq };
	char text[300] = "result";
	int pair[2];

	require(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
	c.sock = pair[0];
	c.ship = (struct ship *)&line;
	fuzz_file("file", text, sizeof(text));
	j.fd = openat(fuzz_root(), "file", O_RDONLY);
	if (!courier_bring(&j, &rp, &rp.err))
		require(strlen(rp.sha256) == SHA256_HEX - 1);
	else
		require(rp.err.kind && *rp.err.msg);
	sha256_free(j.sha);
	close(j.fd);
	close(pair[0]);
	close(pair[1]);
}

static void cmdline(const uint8_t *p, size_t n)
{
	char *text = fuzz_piece(&p, &n), *more_text = fuzz_piece(&p, &n);
	struct buf out = { 0 };
	char file[192];

	if (!kexec_cmdline(text, more_text, "6.1", &out, NULL))
		require(out.len <= IMAGE_CMDLINE_MAX &&
			!memchr(out.data, '\n', out.len) ==
				!strchr(more_text, '\n'));
	if (!kexec_member_file(text, "k", file, NULL))
		require(strlen(file) < sizeof(file));
	buf_free(&out);
	free(text);
	free(more_text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size || size > 65536)
		return 0;
	memset(&line, 0, sizeof(line));
	line.p = data + 1;
	line.left = size - 1;
	if (*data % 4 == 3)
		cmdline(line.p, line.left);
	else if (*data % 4 == 2)
		bring();
	else
		one(*data % 4);
	free(line.piece);
	return 0;
}
