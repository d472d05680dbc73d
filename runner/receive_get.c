// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The verb "get": files that a box may read, by names that stand for them.
 * The host file is written from what was loaded, without the power commands,
 * which may hold a BMC's password and are no business of a box.
 */
#include "receive.h"
#include "receive_point.h"
#include "bootdir.h"
#include "io.h"
#include "runjob.h"
#include "sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static int say(uint64_t size, const char *sha256, struct err *e)
{
	char line[128];
	int n = snprintf(line, sizeof(line), PROTO_TAG "data %llu %s\n",
			 (unsigned long long)size, sha256);

	return io_write_all(1, line, (size_t)n, e);
}

static int send_text(const struct buf *b, struct err *e)
{
	struct sha256 *s = sha256_new();
	char hex[SHA256_HEX];

	if (!s)
		return err_set(e, ERR_LIMIT, "out of memory");
	sha256_add(s, buf_str(b), b->len);
	sha256_hex(s, hex);
	sha256_free(s);
	if (say(b->len, hex, e))
		return -1;
	return io_write_all(1, buf_str(b), b->len, e);
}

static int hash(int fd, char out[SHA256_HEX], struct err *e)
{
	struct sha256 *s = sha256_new();
	char *piece = malloc(256 << 10);
	ssize_t n = -1;

	if (!s || !piece) {
		err_set(e, ERR_LIMIT, "out of memory");
	} else {
		while ((n = read(fd, piece, 256 << 10)))
			if (n > 0)
				sha256_add(s, piece, (size_t)n);
			else if (errno != EINTR)
				break;
		if (n < 0)
			err_sys(e, "read");
		else
			sha256_hex(s, out);
	}
	free(piece);
	sha256_free(s);
	return n < 0 ? -1 : 0;
}

/* Files appear by rename, so the bytes hashed are the bytes sent. */
static int send_fd(int fd, struct err *e)
{
	char hex[SHA256_HEX];
	struct stat st;
	off_t at = 0;

	if (fstat(fd, &st) < 0)
		return err_sys(e, "stat");
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_NOTFOUND, "no file");
	if (hash(fd, hex, e) || say((uint64_t)st.st_size, hex, e))
		return -1;
	while (at < st.st_size) {
		ssize_t n = sendfile(1, fd, &at, 1 << 20);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			/* the peer counts bytes: an answer would be data */
			close(1);
			return n ? err_sys(e, "send")
				 : err_set(e, ERR_CONFLICT, "file shrank");
		}
	}
	return 0;
}

static int send_path(int dirfd, const char *path, struct err *e)
{
	int fd = openat(dirfd, path,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int rc;

	if (fd < 0 && errno == ENOENT)
		return err_set(e, ERR_NOTFOUND, "there is none");
	if (fd < 0)
		return err_sys(e, "open");
	rc = send_fd(fd, e);
	close(fd);
	return rc;
}

static int send_host(const struct receive *r, struct err *e)
{
	struct conf_host h = r->host;
	struct buf b = { 0 };
	int rc;

	h.power.cycle = h.power.off = h.power.on = h.power.console = NULL;
	rc = conf_host_write(&h, &b, e);
	if (!rc)
		rc = send_text(&b, e);
	buf_free(&b);
	return rc;
}

static int send_boot(const struct receive *r, const char *path, struct err *e)
{
	struct bootdir b = { .fd = -1 };
	int rc;

	rc = bootdir_open(r->home, &b, e);
	if (!rc)
		rc = send_path(b.fd, path, e);
	bootdir_close(&b);
	return rc;
}

static int send_cmdline(const struct receive *r, const char *kernel,
			struct err *e)
{
	struct buf b = { 0 };
	int rc = receive_cmdline(r, kernel, &b, e);

	if (!rc)
		rc = send_text(&b, e);
	buf_free(&b);
	return rc;
}

/* As the run that was given out last has it, else as it stands. */
static int send_job(const struct receive *r, const char *name, struct err *e)
{
	const struct lease_event *run;
	struct conf_job j = { 0 };
	struct buf b = { 0 };
	struct lease_log l;
	bool changed = false;
	char path[128];
	int rc;

	if (lease_log_read(r->store, &l, e))
		return -1;
	run = lease_last(&l, LEASE_RUN);
	rc = run && !strcmp(run->job, name)
		     ? runjob_load(r->home, &l, run, &j, &changed, e)
		     : 0;
	if (!rc && changed)
		rc = conf_job_write(&j, &b, e);
	lease_log_close(&l);
	conf_job_free(&j);
	snprintf(path, sizeof(path), "conf/jobs/%s.cfg", name);
	if (!rc)
		rc = changed ? send_text(&b, e)
			     : send_path(r->home->fd, path, e);
	buf_free(&b);
	return rc;
}

/*
 * "PREFIX/NAME/SUFFIX" of what stands in name: NAME into out when it is a
 * name that cannot lead out of its folder.
 */
static bool between(const char *name, const char *prefix, const char *suffix,
		    char out[LEASE_NAME])
{
	size_t n = strlen(name), p = strlen(prefix), s = strlen(suffix);

	if (n <= p + s || n - p - s >= LEASE_NAME ||
	    strncmp(name, prefix, p) != 0 || strcmp(name + n - s, suffix) != 0)
		return false;
	memcpy(out, name + p, n - p - s);
	out[n - p - s] = '\0';
	return conf_name_ok(out);
}

static int send_named(const struct receive *r, const char *name, struct err *e)
{
	static const struct {
		const char *prefix, *suffix, *path;
	} of[] = {
		{ "kernel/", "/kernel.cfg", "kernels/%s/kernel.cfg" },
		{ "kernel/", "/vmlinuz", "kernels/%s/vmlinuz" },
		{ "kernel/", "/modules.cpio", "kernels/%s/modules.cpio" },
		{ "bundle/", ".cpio", "bundles/%s.cpio" },
	};
	char path[256], part[LEASE_NAME];

	if (!strcmp(name, "host.cfg"))
		return send_host(r, e);
	if (!strcmp(name, "base.cpio"))
		return send_boot(r, name, e);
	if (!strcmp(name, "overlay.cpio")) {
		snprintf(path, sizeof(path), "boxes/%s.cpio", r->host.box);
		return send_boot(r, path, e);
	}
	if (between(name, "job/", ".cfg", part))
		return send_job(r, part, e);
	if (between(name, "kernel/", "/cmdline", part))
		return send_cmdline(r, part, e);
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (between(name, of[i].prefix, of[i].suffix, part)) {
			snprintf(path, sizeof(path), of[i].path, part);
			return send_path(r->home->fd, path, e);
		}
	return err_set(e, ERR_INPUT, "no such name");
}

int receive_get(struct receive *r, const char *name, struct err *e)
{
	if (send_named(r, name, e))
		return err_prefix(e, "get %.120s", name);
	return 0;
}
