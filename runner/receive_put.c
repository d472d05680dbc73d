// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The verbs "have" and "put". One thread reads, hashes and writes; a second
 * decodes and walks the tar (verify.c), so that on two cores verification
 * costs little time. `ok` comes only when the stream was one whole result of
 * this box and lease, and file and folder are on disk.
 *
 * A part survives everything but a verdict: it is the sender's saved work.
 */
#include "receive_put.h"
#include "io.h"
#include "ring.h"
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FLUSH_EVERY = 8 << 20, /* bytes after which writing back is started */
	PIPE_BYTES = 1 << 20,  /* what an ordinary user may have in one pipe */
	GATHER_MS = 2,	       /* within a stream; a piece is some ms of it */
};

/* ---- the second thread --------------------------------------------------- */

struct verifier {
	struct ring *ring;
	const char *name;
	pthread_t thread;
	struct result result; /* when rc is 0 */
	struct err e;
	int rc;
};

static void *verify(void *arg)
{
	static const struct verify_limits limits = VERIFY_LIMITS_DEFAULT;
	struct verifier *v = arg;

	v->rc = verify_stream(ring_take, v->ring, &limits, v->name, &v->result,
			      &v->e);
	ring_give_up(v->ring);
	return NULL;
}

/* ---- the first ----------------------------------------------------------- */

/* Whether more is there: 1 yes, 0 not yet (wait_ms passed), -1 never. */
static int readable(int fd, int wait_ms, struct err *e)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int rc;

	do
		rc = poll(&p, 1, wait_ms);
	while (rc < 0 && errno == EINTR);
	return rc < 0 ? err_sys(e, "poll") : rc > 0;
}

/*
 * Fills a piece as long as bytes keep coming, after waiting for the first:
 * sshd hands over 32 KiB or less at a time, and a wake-up of the other thread
 * for each would cost more than the hash. 0: end of stream.
 */
static ssize_t fill(struct put *p, char *piece, struct err *e)
{
	size_t len = 0;
	int rc = readable(p->in, p->r->patience_s * 1000, e);

	if (rc < 0)
		return -1;
	if (!rc)
		return err_set(e, ERR_TIMEOUT, "nothing came for %d s",
			       p->r->patience_s);
	while (len < RING_PIECE) {
		ssize_t n = read(p->in, piece + len, RING_PIECE - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read");
		p->ended = n == 0;
		len += (size_t)n;
		if (!n || readable(p->in, GATHER_MS, e) != 1)
			break;
	}
	return (ssize_t)len;
}

/*
 * A sender may be slow, but not for ever: below 1 KiB/s over a window of
 * patience it is a hung or hostile one.
 */
static int keeps_going(struct put *p, size_t n, struct err *e)
{
	int64_t now = io_monotonic_ns(), window = p->r->patience_s;

	p->window_bytes += n;
	if (now - p->window_ns < window * 1000000000)
		return 0;
	if (p->window_bytes < (uint64_t)window << 10)
		return err_set(e, ERR_TIMEOUT,
			       "only %llu bytes came in %d s",
			       (unsigned long long)p->window_bytes,
			       p->r->patience_s);
	p->window_ns = now;
	p->window_bytes = 0;
	return 0;
}

static int store_piece(struct put *p, const char *piece, size_t n,
		       struct err *e)
{
	if (p->size + n > p->room)
		return err_set(e, ERR_LIMIT,
			       "quota: box %s may keep %llu bytes waiting",
			       p->r->host.box,
			       (unsigned long long)p->r->host.quota.bytes);
	for (size_t done = 0; done < n;) {
		ssize_t w = pwrite(p->part, piece + done, n - done,
				   (off_t)(p->size + done));

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return err_sys(e, "write");
		done += (size_t)w;
	}
	p->size += n;
	if (p->size - p->flushed >= FLUSH_EVERY) {
		/* only a hint: fsync comes at the end */
		sync_file_range(p->part, (off_t)p->flushed,
				(off_t)(p->size - p->flushed),
				SYNC_FILE_RANGE_WRITE);
		p->flushed = p->size;
	}
	return 0;
}

/* What came before, for the hash and the verifier, which start anew. */
static int reread(struct put *p, struct ring *ring, struct err *e)
{
	uint64_t at = 0;

	while (at < p->size) {
		char *piece = ring_slot(ring);
		ssize_t n;

		if (!piece)
			return 0;
		do
			n = pread(p->part, piece, RING_PIECE, (off_t)at);
		while (n < 0 && errno == EINTR);
		if (n <= 0) {
			p->unreadable = true;
			return n ? err_sys(e, "read part") :
				   err_set(e, ERR_SYS, "part shrank");
		}
		ring_hand_over(ring, (size_t)n);
		sha256_add(p->sha, piece, (size_t)n);
		at += (uint64_t)n;
	}
	return 0;
}

static int pump(struct put *p, struct ring *ring, struct err *e)
{
	if (reread(p, ring, e))
		return -1;
	p->window_ns = io_monotonic_ns();
	/* sshd stops reading the network when its pipe to us is full */
	fcntl(p->in, F_SETPIPE_SZ, PIPE_BYTES);
	while (!p->ended) {
		char *piece = ring_slot(ring);
		ssize_t n;

		if (!piece) /* the verdict is known already */
			return 0;
		n = fill(p, piece, e);
		if (n < 0 || keeps_going(p, (size_t)n, e))
			return -1;
		if (!n)
			break;
		ring_hand_over(ring, (size_t)n);
		sha256_add(p->sha, piece, (size_t)n);
		if (store_piece(p, piece, (size_t)n, e))
			return -1;
	}
	return 0;
}

/*
 * Runs both threads to their end. 0: *result is that of a whole stream. 1: a
 * verdict in *e: this stream will never be a result. -1: an error of ours or
 * a stream that is not whole; the part may go on.
 */
static int take_stream(struct put *p, struct result *result, struct err *e)
{
	struct verifier v = { .name = p->file };
	int rc;

	v.ring = ring_new(e);
	if (!v.ring)
		return -1;
	errno = pthread_create(&v.thread, NULL, verify, &v);
	if (errno) {
		ring_free(v.ring);
		return err_sys(e, "thread");
	}
	rc = pump(p, v.ring, e);
	ring_end(v.ring);
	pthread_join(v.thread, NULL);
	ring_free(v.ring);
	if (rc) {
		if (!v.rc)
			result_free(&v.result);
		return -1;
	}
	*result = v.result;
	if (!v.rc)
		return 0;
	*e = v.e;
	if (e->kind == ERR_PEER || e->kind == ERR_SYS)
		return -1;
	/* a limit of the format is final, one of this host is not */
	e->kind = ERR_FORMAT;
	return 1;
}

/* ---- opening ------------------------------------------------------------- */

int receive_have(struct receive *r, const char *file, struct buf *answer,
		 struct err *e)
{
	char lease[LEASE_LEN + 1], part[256], sha256[SHA256_HEX];
	uint64_t size;
	struct stat st;
	int rc;

	if (receive_file(r, file, lease, e) ||
	    receive_take_lock(r->incoming, ".lock", &r->put_lock, e))
		return -1;
	rc = receive_done(r, file, &size, sha256, e);
	if (rc < 0)
		return -1;
	receive_put_part(file, part, sizeof(part));
	if (rc)
		buf_printf(answer, "done %llu %s", (unsigned long long)size,
			   sha256);
	else if (!fstatat(r->incoming, part, &st, AT_SYMLINK_NOFOLLOW) &&
		 S_ISREG(st.st_mode) && st.st_size)
		buf_printf(answer, "part %lld", (long long)st.st_size);
	else
		buf_puts(answer, "none");
	return 0;
}

static int open_part(struct put *p, uint64_t offset, struct err *e)
{
	struct stat st;

	p->part = openat(p->r->incoming, p->name,
			 O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			 0600);
	if (p->part < 0 || fstat(p->part, &st) < 0)
		return err_sys(e, "%s", p->name);
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
		return err_set(e, ERR_CONFLICT, "%s is no plain file", p->name);
	if (!offset && st.st_size && ftruncate(p->part, 0) < 0)
		return err_sys(e, "%s", p->name);
	if (offset && offset != (uint64_t)st.st_size)
		return err_set(e, ERR_CONFLICT,
			       "%s: offset %llu, but %lld bytes are here: ask "
			       "`have' first",
			       p->file, (unsigned long long)offset,
			       (long long)st.st_size);
	p->size = p->flushed = offset;
	return 0;
}

static void drop_empty(struct put *p)
{
	if (!p->size)
		unlinkat(p->r->incoming, p->name, 0);
}

/*
 * Two streams that make nothing whole together prove nothing against the
 * sender: after a power cut here a part has its size and zeros for content.
 * Sent from its start once more, it is judged for good.
 */
static int distrust(struct put *p, struct err *e)
{
	if (unlinkat(p->r->incoming, p->name, 0) < 0)
		return err_sys(e, "%s", p->name);
	e->kind = ERR_LIMIT; /* not for good: senders ask again */
	return err_prefix(e, "the part that was here is spoilt, start over");
}

static int run(struct put *p, uint64_t offset, struct buf *answer,
	       struct err *e)
{
	struct result result = { 0 };
	int rc;

	if (receive_put_room(p, e) || open_part(p, offset, e))
		return -1;
	rc = take_stream(p, &result, e);
	if (!rc) {
		sha256_hex(p->sha, p->sha256);
		rc = receive_put_finish(p, &result, answer, e);
		result_free(&result);
		return rc;
	}
	if (rc > 0 && offset)
		return distrust(p, e);
	if (rc > 0)
		return receive_put_refuse(p, e);
	/*
	 * The quota would stay full of a part that can never be finished; nor
	 * can one that cannot be read back.
	 */
	if (e->kind == ERR_LIMIT || p->unreadable)
		unlinkat(p->r->incoming, p->name, 0);
	/* a full disk: what was written whole is kept, the rest cut */
	else if (ftruncate(p->part, (off_t)p->size) < 0)
		return -1;
	drop_empty(p);
	return -1;
}

/* Behind everything that reads other files, in front of the first byte. */
static int confine(const struct receive *r, struct err *e)
{
	const int own[] = { r->incoming, r->store, r->quarantine };
	struct sandbox got;

#ifdef __SANITIZE_ADDRESS__ /* LeakSanitizer looks from another process */
	if (own[0] >= 0)
		return 0;
#endif
	return sandbox_enter(own, sizeof(own) / sizeof(own[0]), true, &got, e);
}

int receive_put(struct receive *r, const char *file, uint64_t offset,
		struct buf *answer, struct err *e)
{
	struct put p = { .r = r, .file = file, .in = 0, .part = -1 };
	int rc;

	if (receive_file(r, file, p.lease, e) ||
	    receive_take_lock(r->incoming, ".lock", &r->put_lock, e))
		return -1;
	receive_put_part(file, p.name, sizeof(p.name));
	p.sha = sha256_new();
	if (!p.sha)
		return err_set(e, ERR_LIMIT, "out of memory");
	rc = confine(r, e);
	if (!rc)
		rc = run(&p, offset, answer, e);
	io_close(&p.part);
	sha256_free(p.sha);
	if (rc && strncmp(e->msg, file, strlen(file)) != 0)
		err_prefix(e, "%s", file);
	return rc;
}
