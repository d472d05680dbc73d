// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Whether a stream is a result: walks it to its end and keeps result.cfg.
 * What may be in a tar is archive.c's business, what in result.cfg result.c's.
 */
#include "verify.h"
#include "archive.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	RESULT_MAX = 1 << 20, /* what result_parse() takes */
	JOB_MAX = 1 << 20,
};

ssize_t verify_file_source(void *arg, const void **p, struct err *e)
{
	struct verify_file *f = arg;
	ssize_t n;

	do
		n = read(f->fd, f->piece, sizeof(f->piece));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_sys(e, "read");
	*p = f->piece;
	return n;
}

static int first_member(struct archive_reader *a, const char *name,
			struct result *r, struct err *e)
{
	struct archive_member m;
	struct buf text = { 0 };
	int rc = archive_next(a, &m, e);

	if (rc < 0)
		return -1;
	if (!rc || m.dir || strcmp(m.name, "result.cfg") != 0)
		return err_set(e, ERR_FORMAT,
			       "result.cfg is not the first member");
	rc = archive_slurp(a, &text, RESULT_MAX, e);
	if (!rc && strlen(buf_str(&text)) != text.len)
		rc = err_set(e, ERR_FORMAT, "result.cfg holds a zero byte");
	if (!rc)
		rc = result_parse(buf_str(&text), name, r, e);
	buf_free(&text);
	return rc;
}

static int walk(struct archive_reader *a, struct buf *job, struct err *e)
{
	struct archive_member m;
	const void *p;
	ssize_t n;
	int rc;

	while ((rc = archive_next(a, &m, e)) > 0) {
		if (m.dir)
			continue;
		if (job && !strcmp(m.name, "job.cfg")) {
			if (archive_slurp(a, job, JOB_MAX, e))
				return -1;
			continue;
		}
		/* a member that is cut shows only when its data is read */
		while ((n = archive_data(a, &p, e)) > 0)
			;
		if (n < 0)
			return -1;
	}
	return rc;
}

static int verify(verify_source *src, void *arg,
		  const struct verify_limits *l, const char *name,
		  struct result *r, struct buf *job, struct err *e)
{
	struct archive_reader *a;
	int rc;

	memset(r, 0, sizeof(*r));
	if (archive_open(src, arg, l, &a, e))
		return err_prefix(e, "%s", name);
	rc = first_member(a, name, r, e);
	if (!rc)
		rc = walk(a, job, e);
	archive_close(a);
	if (!rc)
		return 0;
	result_free(r);
	memset(r, 0, sizeof(*r));
	if (strncmp(e->msg, name, strlen(name)) != 0)
		err_prefix(e, "%s", name);
	return -1;
}

int verify_stream(verify_source *src, void *arg,
		  const struct verify_limits *l, const char *name,
		  struct result *r, struct err *e)
{
	return verify(src, arg, l, name, r, NULL, e);
}

int verify_fd(int fd, const struct verify_limits *l, const char *name,
	      struct result *r, struct buf *job, struct err *e)
{
	struct verify_file f = { .fd = fd };

	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_sys(e, "%s", name);
	return verify(verify_file_source, &f, l, name, r, job, e);
}
