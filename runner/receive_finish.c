// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The end of a `put`: quota before it, identity, durability and quarantine
 * after it. The stream itself is receive_put.c's.
 */
#include "receive_put.h"
#include "io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void receive_put_part(const char *file, char *out, size_t size)
{
	snprintf(out, size, ".%s.part", file);
}

/* ---- quota --------------------------------------------------------------- */

static int usage(int dirfd, const char *but, uint64_t *bytes, int *files,
		 struct err *e)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d) {
		err_sys(e, "quota");
		io_close(&fd);
		return -1;
	}
	for (const struct dirent *de; (de = readdir(d));) {
		struct stat st;

		if (!strcmp(de->d_name, but) ||
		    fstatat(fd, de->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		*bytes += (uint64_t)st.st_size;
		*files += st.st_size > 0; /* the lock is empty */
	}
	closedir(d);
	return 0;
}

int receive_put_room(struct put *p, struct err *e)
{
	const struct receive *r = p->r;
	uint64_t bytes = 0;
	int files = 0;

	if (usage(r->incoming, p->name, &bytes, &files, e) ||
	    usage(r->quarantine, "", &bytes, &files, e))
		return -1;
	if (bytes >= r->host.quota.bytes || files >= r->host.quota.files)
		return err_set(e, ERR_LIMIT,
			       "quota: box %s has %llu bytes in %d files "
			       "waiting or in quarantine, limit %llu in %d",
			       r->host.box, (unsigned long long)bytes, files,
			       (unsigned long long)r->host.quota.bytes,
			       r->host.quota.files);
	p->room = r->host.quota.bytes - bytes;
	return 0;
}

/* ---- identity ------------------------------------------------------------ */

static bool same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b);
}

static int mismatch(struct err *e, const char *what, const char *got,
		    const char *wanted)
{
	return err_set(e, ERR_CONFLICT,
		       "result.cfg: %s is \"%.80s\", should be \"%.80s\"", what,
		       got ? got : "", wanted);
}

static int check_run(const struct result *t, const struct lease_event *run,
		     struct err *e)
{
	char kernel[LEASE_NAME];

	if (!same(t->boot_id, run->boot_id))
		return mismatch(e, "boot_id", t->boot_id, run->boot_id);
	if (!same(t->experiment, run->experiment))
		return mismatch(e, "experiment", t->experiment,
				run->experiment);
	if (!same(t->job, run->job))
		return mismatch(e, "job", t->job, run->job);
	if (t->block != run->block || t->position != run->position)
		return err_set(e, ERR_CONFLICT,
			       "result.cfg: block %d position %d, should be "
			       "%d and %d",
			       t->block, t->position, run->block,
			       run->position);
	if (!strcmp(run->kernel, "-"))
		return 0;
	lease_kernel_name(run->kernel, kernel);
	if (!same(t->kernel, kernel))
		return mismatch(e, "kernel", t->kernel, kernel);
	if (strlen(kernel) < strlen(run->kernel) &&
	    !same(t->kernel_id, run->kernel + strlen(kernel) + 1))
		return mismatch(e, "kernel_id", t->kernel_id,
				run->kernel + strlen(kernel) + 1);
	return 0;
}

/* A lease of no plan is that of a run that somebody started on the box. */
static int identity(const struct put *p, const struct result *t,
		    const struct lease_log *log, struct err *e)
{
	const struct lease_event *run = lease_run(log, p->lease);

	if (!same(t->box, p->r->host.box))
		return mismatch(e, "box", t->box, p->r->host.box);
	if (!same(t->lease, p->lease))
		return mismatch(e, "lease", t->lease, p->lease);
	if (run)
		return check_run(t, run, e);
	if (!same(t->experiment, "") && !same(t->experiment, "-"))
		return err_set(e, ERR_CONFLICT,
			       "result.cfg: experiment \"%.64s\" never gave "
			       "out this lease",
			       t->experiment);
	return 0;
}

/* ---- the end ------------------------------------------------------------- */

int receive_put_refuse(struct put *p, struct err *e)
{
	struct err why = ERR_INIT;

	if (receive_quarantine(p->r, p->name, p->file, e->msg, &why))
		err_prefix(e, "not even in quarantine (%.80s)", why.msg);
	return -1;
}

/* 1: this very result is here already; 0: it is not; -1: another one is. */
static int repeated(struct put *p, struct err *e)
{
	char sha256[SHA256_HEX];
	uint64_t size;
	int rc = receive_done(p->r, p->file, &size, sha256, e);

	if (rc <= 0)
		return rc;
	if (!strcmp(sha256, p->sha256)) {
		unlinkat(p->r->incoming, p->name, 0);
		return 1;
	}
	err_set(e, ERR_CONFLICT, "another result of this lease is here: "
				 "SHA-256 %.16s..., this one's is %.16s...",
		sha256, p->sha256);
	return receive_put_refuse(p, e);
}

/*
 * The end is logged before the rename: a file without it would count as good
 * whatever is in it, an end without its file counts as nothing.
 */
static int accept(struct put *p, const struct result *t, struct lease_log *log,
		  struct err *e)
{
	const struct receive *r = p->r;

	/* the kernel reports it once and drops the pages: send them again */
	if (fsync(p->part) < 0) {
		err_sys(e, "fsync");
		unlinkat(r->incoming, p->name, 0);
		return -1;
	}
	if (receive_end(log, p->lease, outcome_name(t->outcome), t->stable, e))
		return -1;
	if (renameat2(r->incoming, p->name, r->incoming, p->file,
		      RENAME_NOREPLACE) < 0)
		return err_sys(e, "rename");
	return io_fsync_parent(r->incoming, p->file, e);
}

int receive_put_finish(struct put *p, const struct result *result,
		       struct buf *answer, struct err *e)
{
	struct lease_log log;
	int rc;

	if (lease_log_open(p->r->store, &log, e))
		return -1;
	rc = identity(p, result, &log, e);
	if (rc) {
		receive_put_refuse(p, e);
	} else {
		rc = repeated(p, e);
		if (!rc)
			rc = accept(p, result, &log, e);
	}
	lease_log_close(&log);
	if (rc < 0)
		return -1;
	receive_note(p->r, "result", p->lease, outcome_name(result->outcome));
	buf_printf(answer, "ok %llu %s", (unsigned long long)p->size,
		   p->sha256);
	return 0;
}
