// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The result's files. A workload may fill memory to the last page: a reserve
 * file keeps room for result.cfg and agent.log, and the log's own memory is
 * there before the workload starts.
 */
#include "jobrun.h"
#include "io.h"
#include "pathmatch.h"
#include "plain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOG_MAX	     (256 << 10)
#define RESERVE	     ".reserve"
#define RESERVE_SIZE (2 << 20) /* agent.log, result.cfg (1 MiB at most) */
#define KEEP_BYTES   (64 << 20)
#define KEEP_FILES   1000
/* Files and folders of all iterations; the controller takes 100,000 in all. */
#define KEEP_MEMBERS 50000

int jobout_open(struct run *run, struct err *e)
{
	const struct job_request *rq = run->rq;
	int base, fd;

	if (!buf_room(&run->log, LOG_MAX))
		return err_set(e, ERR_LIMIT, "out of memory");
	memset(run->log.data, 0, LOG_MAX);
	if (io_mkdir_p(AT_FDCWD, rq->out_dir, 0755, e) ||
	    io_mkdir_p(AT_FDCWD, rq->work_dir, 0755, e))
		return -1;
	base = open(rq->out_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (base < 0)
		return err_sys(e, "%s", rq->out_dir);
	if (mkdirat(base, rq->lease, 0755) < 0)
		err_sys(e, "%s/%s", rq->out_dir, rq->lease);
	else
		run->out = openat(base, rq->lease,
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(base);
	if (run->out < 0)
		return -1;
	if (io_mkdir_p(run->out, "iter", 0755, e) ||
	    io_mkdir_p(run->out, "meta", 0755, e))
		return -1;
	fd = openat(run->out, RESERVE, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, RESERVE);
	run->reserved = true;
	if (posix_fallocate(fd, 0, RESERVE_SIZE))
		jobout_log(run, "no memory for a reserve of %d bytes",
			   RESERVE_SIZE);
	close(fd);
	return 0;
}

/* ---- agent.log ---- */

static void log_text(struct run *run, const char *text, size_t len)
{
	int64_t ms = io_monotonic_ns() / 1000000;

	if (run->log.len + len + 64 > LOG_MAX)
		return; /* nothing of a run says this much */
	buf_printf(&run->log, "[%6lld.%03lld] ", (long long)(ms / 1000),
		   (long long)(ms % 1000));
	buf_add(&run->log, text, len);
	buf_puts(&run->log, "\n");
}

void jobout_log(struct run *run, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	log_text(run, line, strlen(line));
}

void jobout_log_lines(struct run *run, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		log_text(run, text, len);
		text += len + (text[len] == '\n');
	}
}

void jobout_end(struct run *run, enum outcome o, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	for (char *p = line; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	jobout_log(run, "%s: %s", outcome_name(o), line);
	if (run->r->outcome != OUTCOME_OK)
		return;
	run->r->outcome = o;
	run->r->reason = strdup(line);
}

/* ---- files ---- */

void jobout_file(struct run *run, const char *path, const struct buf *text)
{
	struct err e = ERR_INIT;

	if (io_replace_file(run->out, path, buf_str(text), text->len, 0644, &e))
		jobout_log(run, "%s", e.msg);
}

void jobout_last_line(struct run *run, const char *path, char *line,
		      size_t size)
{
	char tail[512];
	int fd = openat(run->out, path, O_RDONLY | O_CLOEXEC);
	off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	ssize_t n = 0;
	char *at;

	*line = '\0';
	if (end > 0)
		n = pread(fd, tail, sizeof(tail) - 1,
			  end > (off_t)sizeof(tail) - 1
				  ? end - (off_t)sizeof(tail) + 1
				  : 0);
	io_close(&fd);
	while (n > 0 && (tail[n - 1] == '\n' || tail[n - 1] == ' '))
		n--;
	if (n <= 0)
		return;
	tail[n] = '\0';
	at = strrchr(tail, '\n');
	snprintf(line, size, "%s", at ? at + 1 : tail);
}

/* Up to left bytes of one regular file; what it took. */
static uint64_t copy(struct run *run, int work, const char *path,
		     const char *to, uint64_t left)
{
	char dest[PATH_MAX], piece[65536];
	struct err e = ERR_INIT;
	struct stat st;
	uint64_t done = 0;
	ssize_t n = 0;
	int out = -1,
	    in = openat(work, path,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (in < 0 || fstat(in, &st) < 0 || !S_ISREG(st.st_mode))
		goto out;
	if (snprintf(dest, sizeof(dest), "%s/%s", to, path) >=
	    (int)sizeof(dest))
		goto out;
	*strrchr(dest, '/') = '\0';
	if (io_mkdir_p(run->out, dest, 0755, &e))
		goto out;
	dest[strlen(dest)] = '/';
	out = openat(run->out, dest,
		     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		     0644);
	if (out < 0) {
		jobout_log(run, "keep %s: %s", path, strerrordesc_np(errno));
		goto out;
	}
	while (done < left && (n = read(in, piece, sizeof(piece))) > 0) {
		if (io_write_all(out, piece, (size_t)n, &e)) {
			jobout_log(run, "keep %s: %s", path, e.msg);
			break;
		}
		done += (uint64_t)n;
	}
	if (done >= left)
		jobout_log(run, "keep %s: cut, over %d bytes in all", path,
			   KEEP_BYTES);
out:
	io_close(&in);
	io_close(&out);
	return done;
}

/* Members that path makes in the tar, with its folders; 0: none may be. */
static unsigned int members(const char *path)
{
	unsigned int n = 0;

	for (const char *p = path;; p++) {
		size_t len = strcspn(p, "/");

		if (len == 2 && p[0] == '.' && p[1] == '.')
			return 0; /* stays inside of the work folder */
		n++;
		p += len;
		if (!*p)
			return n;
	}
}

/* One path that keep matches. *left is in bytes, of this iteration. */
static void keep(struct run *run, int work, const char *path, const char *to,
		 uint64_t *left)
{
	unsigned int n = members(path);
	uint64_t took;

	if (!n)
		return;
	/* one such name, and the controller takes nothing of the result */
	if (!plain_is(path)) {
		char *name = strdup(path);

		if (name)
			plain_make(name, '?');
		jobout_log(run, "keep %s: a name that no result can hold",
			   name ? name : "");
		free(name);
		return;
	}
	if (run->kept > KEEP_MEMBERS)
		return;
	run->kept += n;
	if (run->kept > KEEP_MEMBERS) {
		jobout_log(run, "keep %s: over %d files in all", path,
			   KEEP_MEMBERS);
		return;
	}
	took = copy(run, work, path, to, *left);
	*left -= took < *left ? took : *left;
}

void jobout_keep(struct run *run, const char *to)
{
	struct strlist paths = { 0 };
	struct err e = ERR_INIT;
	uint64_t left = KEEP_BYTES;
	int work;

	if (!run->job->keep.n)
		return;
	work = open(run->rq->work_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; work >= 0 && i < run->job->keep.n; i++)
		if (pathmatch(work, run->job->keep.v[i], KEEP_FILES, &paths,
			      &e))
			jobout_log(run, "keep: %s", e.msg);
	for (size_t i = 0; left && i < paths.n; i++)
		keep(run, work, paths.v[i], to, &left);
	strlist_free(&paths);
	io_close(&work);
}

int jobout_finish(struct run *run, struct err *e)
{
	struct buf text = { 0 };
	int rc;

	if (run->reserved)
		unlinkat(run->out, RESERVE, 0);
	run->reserved = false;
	rc = result_write(run->r, &text, e);
	if (!rc)
		rc = io_replace_file(run->out, "result.cfg", buf_str(&text),
				     text.len, 0644, e);
	buf_free(&text);
	if (rc)
		return rc;
	jobout_file(run, "agent.log", &run->log);
	return 0;
}
