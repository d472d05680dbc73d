// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The lease log of a box: parsing, locking, appending. What follows from the
 * events is plan.c's business.
 */
#include "lease.h"
#include "io.h"
#include "num.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum {
	WORDS_MAX = 10,
	LINE_LEN_MAX = 1024,
	LOCK_WAIT_MS = 30000, /* holders write a few lines, never data */
	LOCK_POLL_MS = 10,
};
#define LOG_MAX (256U << 20) /* bytes: over a million leases */

static const char file_name[] = "leases";

/* ---- parsing ------------------------------------------------------------- */

static int words_of(char *line, char **w)
{
	int n = 0;

	for (char *p = line; n < WORDS_MAX; n++) {
		w[n] = p;
		p = strchr(p, ' ');
		if (!p)
			return n + 1;
		*p++ = '\0';
	}
	return -1;
}

static bool copy(char *to, size_t size, const char *from)
{
	size_t n = strlen(from);

	if (!n || n >= size)
		return false;
	memcpy(to, from, n + 1);
	return true;
}

static bool number(const char *s, int *out)
{
	int64_t v;

	if (num_i64(s, 0, 1000000000, &v, NULL))
		return false;
	*out = (int)v;
	return true;
}

static bool seconds(const char *s, int64_t *out)
{
	return !num_i64(s, 0, INT64_MAX, out, NULL);
}

#define COPY(field, word) copy(ev->field, sizeof(ev->field), word)

static bool parse_boot(struct lease_event *ev, char **w)
{
	return COPY(boot_id, w[1]) && COPY(kernel, w[2]) && COPY(mode, w[3]) &&
	       seconds(w[4], &ev->time_s);
}

/* EXPERIMENT BLOCK POSITION KERNEL JOB ATTEMPT BOOT_ID */
static bool parse_slot(struct lease_event *ev, char **w)
{
	return COPY(experiment, w[0]) && number(w[1], &ev->block) &&
	       number(w[2], &ev->position) && COPY(kernel, w[3]) &&
	       COPY(job, w[4]) && number(w[5], &ev->attempt) &&
	       COPY(boot_id, w[6]);
}

static bool parse_want(struct lease_event *ev, char **w)
{
	return parse_slot(ev, w + 1) && COPY(mode, w[8]) &&
	       seconds(w[9], &ev->time_s);
}

static bool parse_run(struct lease_event *ev, char **w)
{
	return COPY(lease, w[1]) && lease_ok(ev->lease) &&
	       parse_slot(ev, w + 2) && seconds(w[9], &ev->time_s);
}

static bool parse_end(struct lease_event *ev, char **w)
{
	ev->stable = !strcmp(w[3], "1");
	return COPY(lease, w[1]) && lease_ok(ev->lease) && COPY(how, w[2]) &&
	       (ev->stable || !strcmp(w[3], "0")) &&
	       seconds(w[4], &ev->time_s);
}

static const struct {
	const char *name;
	int words;
	bool (*parse)(struct lease_event *ev, char **w);
} kind[] = {
	[LEASE_BOOT] = { "boot", 5, parse_boot },
	[LEASE_WANT] = { "want", 10, parse_want },
	[LEASE_RUN] = { "run", 10, parse_run },
	[LEASE_END] = { "end", 5, parse_end },
};

static bool parse_line(const char *p, size_t n, struct lease_event *ev)
{
	char line[LINE_LEN_MAX], *w[WORDS_MAX] = { NULL };
	int words;

	if (n >= sizeof(line) || memchr(p, '\0', n))
		return false;
	memcpy(line, p, n);
	line[n] = '\0';
	words = words_of(line, w);
	*ev = (struct lease_event){ 0 };
	for (size_t k = 0; k < sizeof(kind) / sizeof(kind[0]); k++)
		if (words == kind[k].words && !strcmp(w[0], kind[k].name)) {
			ev->kind = (enum lease_kind)k;
			return kind[k].parse(ev, w);
		}
	return false;
}

/* ---- in memory ----------------------------------------------------------- */

/* FNV-1a */
static size_t bucket(const char *s)
{
	uint32_t h = 2166136261U;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619U;
	return h & (LEASE_BUCKETS - 1);
}

static size_t index_of_run(const struct lease_log *l, const char *lease)
{
	size_t i = l->of_lease[bucket(lease)];

	while (i && strcmp(l->v[i - 1].lease, lease) != 0)
		i = l->v[i - 1].before_lease;
	return i;
}

static void chain(struct lease_log *l, struct lease_event *run)
{
	size_t *experiment = &l->of_experiment[bucket(run->experiment)];
	size_t *lease = &l->of_lease[bucket(run->lease)];

	run->before_experiment = *experiment;
	run->before_lease = *lease;
	*experiment = *lease = l->n;
}

int lease_log_append(struct lease_log *l, const struct lease_event *ev,
		     struct err *e)
{
	struct lease_event *at;

	/* grows at powers of two: n & (n - 1) is 0 just there */
	if ((l->n & (l->n - 1)) == 0) {
		size_t cap = l->n ? l->n * 2 : 1;
		struct lease_event *v = reallocarray(l->v, cap, sizeof(*v));

		if (!v)
			return err_set(e, ERR_LIMIT, "out of memory");
		l->v = v;
	}
	at = &l->v[l->n++];
	*at = *ev;
	at->end = at->before_experiment = at->before_lease = 0;
	if (at->kind == LEASE_RUN) {
		chain(l, at);
	} else if (at->kind == LEASE_END) {
		size_t run = index_of_run(l, at->lease);

		if (run)
			l->v[run - 1].end = l->n;
	}
	return 0;
}

int lease_log_parse(const char *text, size_t n, struct lease_log *l,
		    size_t *used, struct err *e)
{
	struct lease_event ev;
	size_t at = 0;
	int line = 0;

	for (;;) {
		const char *nl = NULL;

		if (at < n)
			nl = memchr(text + at, '\n', n - at);
		if (!nl)
			break;
		line++;
		if (!parse_line(text + at, (size_t)(nl - text) - at, &ev))
			return err_set(e, ERR_FORMAT, "%s:%d: not an event",
				       file_name, line);
		if (lease_log_append(l, &ev, e))
			return -1;
		at = (size_t)(nl - text) + 1;
	}
	if (used)
		*used = at;
	return 0;
}

/* ---- the file ------------------------------------------------------------ */

static int take_lock(int fd, struct err *e)
{
	for (int waited = 0; flock(fd, LOCK_EX | LOCK_NB) < 0;) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_sys(e, "lock %s", file_name);
		if (waited >= LOCK_WAIT_MS)
			return err_set(e, ERR_TIMEOUT,
				       "%s: locked for over %d s", file_name,
				       LOCK_WAIT_MS / 1000);
		usleep(LOCK_POLL_MS * 1000);
		waited += LOCK_POLL_MS;
	}
	return 0;
}

static int load(struct lease_log *l, int fd, bool mend, struct err *e)
{
	struct buf b = { 0 };
	size_t used = 0;
	int rc;

	rc = io_slurp(fd, &b, LOG_MAX, e);
	if (!rc)
		rc = lease_log_parse(buf_str(&b), b.len, l, &used, e);
	if (!rc && mend && used < b.len && ftruncate(fd, (off_t)used) < 0)
		rc = err_sys(e, "cut %s", file_name);
	buf_free(&b);
	return rc;
}

int lease_log_open(int box_fd, struct lease_log *l, struct err *e)
{
	*l = (struct lease_log){ .fd = -1 };
	l->fd = io_open_own(box_fd, file_name, O_RDWR | O_CREAT | O_APPEND,
			    0600, e);
	if (l->fd < 0)
		return -1;
	if (take_lock(l->fd, e) || load(l, l->fd, true, e))
		goto fail;
	/* it may be new: lines that are on disk need a name there, too */
	if (!l->n && fsync(box_fd) < 0) {
		err_sys(e, "fsync of the folder of %s", file_name);
		goto fail;
	}
	return 0;
fail:
	lease_log_close(l);
	return -1;
}

int lease_log_read(int box_fd, struct lease_log *l, struct err *e)
{
	struct err why = ERR_INIT;
	int fd = io_open_own(box_fd, file_name, O_RDONLY, 0, &why);
	int rc;

	*l = (struct lease_log){ .fd = -1 };
	if (fd < 0 && why.sys == ENOENT)
		return 0;
	if (fd < 0) {
		if (e)
			*e = why;
		return -1;
	}
	rc = load(l, fd, false, e);
	close(fd);
	if (rc)
		lease_log_close(l);
	return rc;
}

static void format(const struct lease_event *ev, struct buf *b)
{
	buf_printf(b, "%s ", kind[ev->kind].name);
	if (ev->kind == LEASE_RUN || ev->kind == LEASE_END)
		buf_printf(b, "%s ", ev->lease);
	if (ev->kind == LEASE_WANT || ev->kind == LEASE_RUN)
		buf_printf(b, "%s %d %d %s %s %d ", ev->experiment, ev->block,
			   ev->position, ev->kernel, ev->job, ev->attempt);
	if (ev->kind == LEASE_END)
		buf_printf(b, "%s %d ", ev->how, ev->stable);
	else
		buf_printf(b, "%s ", ev->boot_id);
	if (ev->kind == LEASE_BOOT)
		buf_printf(b, "%s ", ev->kernel);
	if (ev->kind == LEASE_BOOT || ev->kind == LEASE_WANT)
		buf_printf(b, "%s ", ev->mode);
	buf_printf(b, "%lld\n", (long long)ev->time_s);
}

int lease_log_add(struct lease_log *l, const struct lease_event *ev,
		  struct err *e)
{
	off_t end = lseek(l->fd, 0, SEEK_END);
	struct lease_event check;
	struct buf b = { 0 };
	int rc;

	format(ev, &b);
	rc = buf_ok(&b, e);
	/* what cannot be read back would lock the box out for good */
	if (!rc && !parse_line(b.data, b.len - 1, &check))
		rc = err_set(e, ERR_FORMAT, "not an event: %.128s", b.data);
	if (!rc) {
		rc = io_write_all(l->fd, b.data, b.len, e);
		if (!rc && fsync(l->fd) < 0)
			rc = err_sys(e, "fsync");
		/* half a line would swallow the next one */
		if (rc && end >= 0 && ftruncate(l->fd, end) < 0)
			err_prefix(e, "and could not be taken back");
		if (rc)
			err_prefix(e, "%s", file_name);
	}
	buf_free(&b);
	return rc ? rc : lease_log_append(l, ev, e);
}

void lease_log_close(struct lease_log *l)
{
	if (l->fd > 0) /* 0 in a zeroed one; never ours, stdin is open */
		io_close(&l->fd);
	free(l->v);
	*l = (struct lease_log){ .fd = -1 };
}

/* ---- asking -------------------------------------------------------------- */

const struct lease_event *lease_last(const struct lease_log *l,
				     enum lease_kind k)
{
	for (size_t i = l->n; i-- > 0;)
		if (l->v[i].kind == k)
			return &l->v[i];
	return NULL;
}

const struct lease_event *lease_run(const struct lease_log *l,
				    const char *lease)
{
	size_t i = index_of_run(l, lease);

	return i ? &l->v[i - 1] : NULL;
}

const struct lease_event *lease_end(const struct lease_log *l,
				    const char *lease)
{
	const struct lease_event *run = lease_run(l, lease);

	return run && run->end ? &l->v[run->end - 1] : NULL;
}

const struct lease_event *lease_before(const struct lease_log *l,
				       const char *experiment,
				       const struct lease_event *run)
{
	size_t i = run ? run->before_experiment :
			 l->of_experiment[bucket(experiment)];

	while (i && strcmp(l->v[i - 1].experiment, experiment) != 0)
		i = l->v[i - 1].before_experiment;
	return i ? &l->v[i - 1] : NULL;
}

void lease_kernel_name(const char *kernel, char out[LEASE_NAME])
{
	size_t n = strcspn(kernel, ":");

	if (n >= LEASE_NAME)
		n = LEASE_NAME - 1;
	memcpy(out, kernel, n);
	out[n] = '\0';
}
