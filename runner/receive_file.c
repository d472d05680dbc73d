// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What the verbs share about files: names, what is finished, quarantine, and
 * the box's state file.
 */
#include "receive.h"
#include "io.h"
#include "sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	STATE_MAX = 256 << 10, /* bytes; then state.old takes them */
	AGAIN_MAX = 1000,      /* quarantined files of one name */
};

int receive_file(const struct receive *r, const char *file,
		 char lease[LEASE_LEN + 1], struct err *e)
{
	size_t box = strlen(r->host.box), n = strlen(file);

	if (n == box + 1 + LEASE_LEN + strlen(".tar.lz4") &&
	    !strncmp(file, r->host.box, box) && file[box] == '.' &&
	    !strcmp(file + box + 1 + LEASE_LEN, ".tar.lz4")) {
		memcpy(lease, file + box + 1, LEASE_LEN);
		lease[LEASE_LEN] = '\0';
		if (lease_ok(lease))
			return 0;
	}
	return err_set(e, ERR_INPUT, "\"%.100s\" is not %s.LEASE.tar.lz4",
		       file, r->host.box);
}

/* Regular files only: a planted link must not be hashed for the box. */
static int look(int dirfd, const char *file, uint64_t *size,
		char sha256[SHA256_HEX], struct err *e)
{
	struct stat st;

	if (fstatat(dirfd, file, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", file);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_CONFLICT, "%s is no file", file);
	*size = (uint64_t)st.st_size;
	if (sha256_file(dirfd, file, sha256, e))
		/* collect moved it between the two calls */
		return e->kind == ERR_SYS && e->sys == ENOENT ? 0 : -1;
	/* whoever renamed it may have died before this */
	return fsync(dirfd) < 0 ? err_sys(e, "fsync") : 1;
}

int receive_done(const struct receive *r, const char *file, uint64_t *size,
		 char sha256[SHA256_HEX], struct err *e)
{
	int rc = look(r->incoming, file, size, sha256, e);

	return rc ? rc : look(r->store, file, size, sha256, e);
}

void receive_note(const struct receive *r, const char *phase,
		  const char *lease, const char *text)
{
	struct buf b = { 0 };
	struct err ignored;
	struct stat st;
	int fd;

	if (!fstatat(r->store, "state", &st, AT_SYMLINK_NOFOLLOW) &&
	    st.st_size > STATE_MAX)
		renameat(r->store, "state", r->store, "state.old");
	fd = io_open_own(r->store, "state", O_WRONLY | O_APPEND | O_CREAT,
			 0600, &ignored);
	if (fd < 0)
		return;
	buf_printf(&b, "%lld %s %s %.512s\n", (long long)time(NULL), phase,
		   lease && *lease ? lease : "-", text && *text ? text : "-");
	/* one write: two verbs at once leave two lines */
	if (b.data && io_write_all(fd, b.data, b.len, &ignored))
		errno = 0;
	buf_free(&b);
	close(fd);
}

static int write_reason(const struct receive *r, const char *name,
			const char *reason, struct err *e)
{
	struct buf b = { 0 };
	char *file;
	int rc;

	if (asprintf(&file, "%s.reason", name) < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	buf_printf(&b, "%s\n", reason);
	rc = buf_ok(&b, e);
	if (!rc)
		rc = io_replace_file(r->quarantine, file, b.data, b.len, 0600,
				     e);
	buf_free(&b);
	free(file);
	return rc;
}

/*
 * The reason first: one without its file says little, a file without its
 * reason less. *name is not taken yet, or by a reason alone.
 */
static int move_there(const struct receive *r, const char *from,
		      const char *name, const char *reason, struct err *e)
{
	if (write_reason(r, name, reason, e))
		return -1;
	if (renameat2(r->incoming, from, r->quarantine, name,
		      RENAME_NOREPLACE) < 0)
		return err_sys(e, "quarantine %s", name);
	return io_fsync_parent(r->quarantine, name, e) ||
	       io_fsync_parent(r->incoming, from, e) ? -1 : 0;
}

int receive_quarantine(const struct receive *r, const char *from,
		       const char *as, const char *reason, struct err *e)
{
	char name[256];

	if (faccessat(r->incoming, from, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", from);
	for (int i = 1; i < AGAIN_MAX; i++) {
		if (i == 1)
			snprintf(name, sizeof(name), "%s", as);
		else
			snprintf(name, sizeof(name), "%s.%d", as, i);
		if (!faccessat(r->quarantine, name, F_OK, AT_SYMLINK_NOFOLLOW))
			continue;
		if (errno != ENOENT)
			return err_sys(e, "quarantine %s", name);
		if (!move_there(r, from, name, reason, e))
			return 0;
		if (e->sys != EEXIST) /* collect was faster */
			return -1;
	}
	return err_set(e, ERR_LIMIT, "quarantine is full of %s", as);
}

int receive_end(struct lease_log *l, const char *lease, const char *how,
		bool stable, struct err *e)
{
	struct lease_event ev = { .kind = LEASE_END,
				  .stable = stable,
				  .time_s = time(NULL) };

	snprintf(ev.lease, sizeof(ev.lease), "%s", lease);
	snprintf(ev.how, sizeof(ev.how), "%s", how);
	return lease_log_add(l, &ev, e);
}
