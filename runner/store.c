// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Reading one result, from its tarball or an unpacked folder, into stats, in a
 * confined process, and putting them into the index. Which results there are
 * is left to collect and fsck.
 */
#include "storepass.h"
#include "archive.h"
#include "confine.h"
#include "io.h"
#include "verify.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 20, DEPTH_MAX = 8 };

struct store_reader {
	struct confine *c;
};

static void reading_free(struct store_reading *s)
{
	gather_free(s->g);
	if (s->have_job)
		conf_job_free(&s->job);
	result_free(&s->r);
	buf_free(&s->notes);
}

void store_read_free(struct store_read *s)
{
	result_free(&s->r);
	strlist_free(&s->primary);
	free(s->stat);
	free(s->value);
	buf_free(&s->said);
	memset(s, 0, sizeof(*s));
}

/* job.cfg from memory; one that does not load is a note, not an error. */
static int take_job(struct store_reading *s, const struct buf *text,
		    struct err *e)
{
	struct err why = ERR_INIT;
	char path[64];
	int fd;

	if (!text->len)
		return 0;
	fd = memfd_create("job.cfg", MFD_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "memfd_create");
	if (io_write_all(fd, text->data, text->len, e)) {
		close(fd);
		return -1;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (conf_job_load(AT_FDCWD, path, &s->job, NULL, &why))
		buf_printf(&s->notes, "job.cfg: %s\n", why.msg);
	else
		s->have_job = true;
	close(fd);
	return buf_ok(&s->notes, e);
}

static int start(struct store_reading *s, const struct buf *job,
		 const struct stat_extractor *only, struct err *e)
{
	if (take_job(s, job, e))
		return -1;
	return gather_new(&s->r, s->have_job ? &s->job : NULL, only, &s->g, e);
}

static int finish(struct store_reading *s, struct err *e)
{
	if (gather_end(s->g, e))
		return -1;
	buf_puts(&s->notes, gather_notes(s->g));
	return buf_ok(&s->notes, e);
}

/* ---- from a tarball ---------------------------------------------------------- */

static int feed_member(struct gather *g, struct archive_reader *a,
		       const struct archive_member *m, struct err *e)
{
	int wanted = m->dir ? 0 : gather_member(g, m->name, e);
	const void *p;
	ssize_t n;

	if (wanted <= 0)
		return wanted;
	while ((n = archive_data(a, &p, e)) > 0)
		if (gather_data(g, p, (size_t)n, e))
			return -1;
	return n < 0 ? -1 : gather_member_end(g, e);
}

static int second_pass(int fd, struct gather *g, const char *name,
		       const struct verify_limits *l, struct err *e)
{
	struct verify_file f = { .fd = fd };
	struct archive_reader *a;
	struct archive_member m;
	int rc;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_sys(e, "%s", name);
	if (archive_open(verify_file_source, &f, l, &a, e))
		return -1;
	while ((rc = archive_next(a, &m, e)) > 0)
		if (feed_member(g, a, &m, e)) {
			rc = -1;
			break;
		}
	archive_close(a);
	return rc ? err_prefix(e, "%s", name) : 0;
}

static int read_file(int fd, const char *name, const void *only,
		     struct buf *out, struct err *e)
{
	const struct verify_limits limits = VERIFY_LIMITS_DEFAULT;
	struct store_reading s = { .have_job = false };
	struct buf job = { 0 };
	int rc = verify_fd(fd, &limits, name, &s.r, &job, e);

	if (!rc)
		rc = start(&s, &job, only, e);
	if (!rc)
		rc = second_pass(fd, s.g, name, &limits, e);
	if (!rc)
		rc = finish(&s, e);
	if (!rc)
		rc = storepass_out(&s, out, e);
	buf_free(&job);
	reading_free(&s);
	return rc;
}

int store_reader_new(const struct stat_extractor *only,
		     struct store_reader **out, struct err *e)
{
	struct store_reader *r = calloc(1, sizeof(*r));

	*out = r;
	if (!r)
		return err_set(e, ERR_LIMIT, "out of memory");
	return confine_start(read_file, only, -1, &r->c, e);
}

void store_reader_free(struct store_reader *r)
{
	if (r)
		confine_stop(r->c);
	free(r);
}

static int named(const char *name, struct err *e)
{
	if (!strncmp(e->msg, name, strlen(name)))
		return -1;
	return err_prefix(e, "%s", name);
}

int store_read(struct store_reader *r, int fd, const char *name,
	       struct store_read *s, struct err *e)
{
	struct stat st;

	memset(s, 0, sizeof(*s));
	if (fstat(fd, &st) < 0)
		return err_sys(e, "%s", name);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_FORMAT, "%s: not a regular file", name);
	s->bytes = (uint64_t)st.st_size;
	if (confine_ask(r->c, fd, name, &s->said, e) ||
	    storepass_in(s, name, e))
		return named(name, e);
	return 0;
}

/* ---- from a folder ----------------------------------------------------------- */

static int feed_fd(struct gather *g, int fd, struct err *e)
{
	char piece[65536];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read");
		if (gather_data(g, piece, (size_t)n, e))
			return -1;
	}
	return gather_member_end(g, e);
}

static int feed_file(struct gather *g, int dirfd, const char *base,
		     const char *path, struct err *e)
{
	int wanted = gather_member(g, path, e), fd, rc;

	if (wanted <= 0)
		return wanted;
	fd = openat(dirfd, base, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return err_sys(e, "%s", path);
	rc = feed_fd(g, fd, e);
	close(fd);
	return rc ? err_prefix(e, "%s", path) : 0;
}

static int walk(struct gather *g, int dirfd, const char *prefix, int depth,
		struct err *e);

static int walk_entry(struct gather *g, int dirfd, const char *prefix,
		      const char *name, int depth, struct err *e)
{
	struct buf path = { 0 };
	struct stat st;
	int rc = 0, fd;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(e, "%s%s", prefix, name);
	buf_printf(&path, "%s%s", prefix, name);
	if (S_ISREG(st.st_mode))
		rc = feed_file(g, dirfd, name, buf_str(&path), e);
	if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX) {
		buf_puts(&path, "/");
		fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
			    O_CLOEXEC);
		rc = fd < 0 ? err_sys(e, "%s", buf_str(&path)) :
			      walk(g, fd, buf_str(&path), depth + 1, e);
	}
	buf_free(&path);
	return rc;
}

/* Closes dirfd. */
static int walk(struct gather *g, int dirfd, const char *prefix, int depth,
		struct err *e)
{
	DIR *d = fdopendir(dirfd);
	struct dirent *de;
	int rc = 0;

	if (!d) {
		close(dirfd);
		return err_sys(e, "%s", prefix);
	}
	while (!rc && (de = readdir(d)))
		if (strcmp(de->d_name, ".") != 0 &&
		    strcmp(de->d_name, "..") != 0)
			rc = walk_entry(g, dirfd, prefix, de->d_name, depth,
					e);
	closedir(d);
	return rc;
}

static int read_texts(int dirfd, const char *name, struct store_reading *s,
		      struct buf *job, struct err *e)
{
	struct buf text = { 0 };
	struct err none = ERR_INIT;
	int rc = io_read_file(dirfd, "result.cfg", &text, TEXT_MAX, e);

	if (!rc)
		rc = result_parse(buf_str(&text), name, &s->r, e);
	buf_free(&text);
	if (!rc && io_read_file(dirfd, "job.cfg", job, TEXT_MAX, &none) &&
	    none.sys != ENOENT) {
		*e = none;
		rc = -1;
	}
	return rc;
}

static int read_folder(int dirfd, const char *name, const void *only,
		       struct buf *out, struct err *e)
{
	struct store_reading s = { .have_job = false };
	struct buf job = { 0 };
	int fd, rc = read_texts(dirfd, name, &s, &job, e);

	if (!rc)
		rc = start(&s, &job, only, e);
	if (!rc) {
		fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		rc = fd < 0 ? err_sys(e, "%s", name) :
			      walk(s.g, fd, "", 0, e);
	}
	if (!rc)
		rc = finish(&s, e);
	if (!rc)
		rc = storepass_out(&s, out, e);
	buf_free(&job);
	reading_free(&s);
	return rc;
}

int store_read_dir(int dirfd, const char *name,
		   const struct stat_extractor *only, struct store_read *s,
		   struct err *e)
{
	memset(s, 0, sizeof(*s));
	if (confine_run(read_folder, only, dirfd, true, name, &s->said, e) ||
	    storepass_in(s, name, e))
		return named(name, e);
	return 0;
}

/* ---- into the index ---------------------------------------------------------- */

/* Borrows every string of s. */
static void row_of(const struct store_read *s, const char *file,
		   struct index_run *run)
{
	const struct result *r = &s->r;

	*run = (struct index_run){
		.box = r->box,
		.group = r->group,
		.job = r->job,
		.job_id = r->job_id,
		.testcase = r->testcase,
		.params_path = r->params_path,
		.kernel = r->kernel,
		.kernel_id = r->kernel_id,
		.build_id = r->build_id,
		.release = r->release,
		.boot_id = r->boot_id,
		.lease = r->lease,
		.experiment = r->experiment,
		.boot_mode = r->boot_mode,
		.prev_kernel = r->prev_kernel,
		.cpu_model = r->cpu_model,
		.reason = r->reason,
		.notes = s->notes,
		.file = (char *)file,
		.bytes = (int64_t)s->bytes,
		.block = r->block,
		.position = r->position,
		.attempt = r->attempt,
		.start_s = r->start_s,
		.end_s = r->end_s,
		.outcome = r->outcome,
		.stable = r->stable,
		.iterations = s->completed,
		.planned = s->planned,
		.primary = s->primary,
		.cpus_online = r->cpus_online,
		.memory_kb = (int64_t)r->memory_kb,
	};
}

static int add_all(struct index *x, const struct store_read *s,
		   struct index_run *run, struct err *e)
{
	const struct gather_stat *v = s->stat;

	if (index_add(x, run, e))
		return -1;
	for (size_t i = 0; i < s->nstat; i++) {
		const struct index_stat stat = {
			.name = v[i].name,
			.unit = v[i].unit,
			.better = (enum index_better)v[i].better,
			.per_run = v[i].per_run,
			.value = v[i].value,
			.n = v[i].n,
		};

		if (index_add_stat(x, run->id, &stat, e))
			return -1;
	}
	return 0;
}

_Static_assert((int)INDEX_NONE == (int)STAT_NONE &&
		       (int)INDEX_HIGHER == (int)STAT_HIGHER &&
		       (int)INDEX_LOWER == (int)STAT_LOWER,
	       "the index keeps the extractors' directions");

int store_index(struct index *x, const struct store_read *s, const char *file,
		struct err *e)
{
	struct index_run run;

	row_of(s, file, &run);
	if (index_begin(x, e))
		return -1;
	if (!add_all(x, s, &run, e) && !index_commit(x, e))
		return 0;
	index_rollback(x);
	return -1;
}
