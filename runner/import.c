// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A result tarball around an output that was made elsewhere.
 */
#include "import.h"
#include "conf.h"
#include "io.h"
#include "lz4stream.h"
#include "result.h"
#include "tar.h"
#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LZ4_LEVEL = 3, PATH_LEN = 512, BOOT_ID_LEN = 36 };

static int ignore(void *arg, const struct stat_value *v, struct err *e)
{
	(void)arg;
	(void)v;
	(void)e;
	return 0;
}

int import_primary(struct import *im, struct err *e)
{
	char *all, *rest, *word;
	int rc = 0;

	if (im->primary.n || !im->x->primary)
		return 0;
	rest = all = strdup(im->x->primary);
	if (!all)
		return err_set(e, ERR_LIMIT, "out of memory");
	while (!rc && (word = strsep(&rest, " ")))
		rc = strlist_add(&im->primary, word, e);
	free(all);
	return rc;
}

int import_check(const struct import *im, const char *name,
		 const struct buf *b, struct err *e)
{
	struct stat_out out = { .sink = ignore };
	struct stat_feed *f;
	int rc = stat_feed_new(im->x, name, NULL, 0, &out, &f, e);

	if (rc)
		return -1;
	rc = stat_feed_add(f, buf_str(b), b->len, e);
	if (!rc)
		rc = stat_feed_end(f, e);
	stat_feed_free(f);
	return rc;
}

/* A boot of its own for each file: 128 random bits in a boot_id's form. */
static int new_boot_id(char out[BOOT_ID_LEN + 1], struct err *e)
{
	char hex[LEASE_LEN + 1];

	if (lease_new(hex, e))
		return -1;
	snprintf(out, BOOT_ID_LEN + 1, "%.8s-%.4s-%.4s-%.4s-%.12s", hex,
		 hex + 8, hex + 12, hex + 16, hex + 20);
	return 0;
}

static int job_text(const struct import *im, struct buf *out, struct err *e)
{
	struct conf_job job = {
		.name = (char *)im->job,
		.description = (char *)"imported",
		.testcase = (char *)im->x->name,
		.command = (char *)"false", /* cannot be run again from here */
		.iterations = 1,
		.time_limit_ms = 1000,
		.setup_limit_ms = 1000,
		.run_limit_ms = 1000,
		.primary = im->primary,
		.monitor.interval_ms = 1000,
		.limit = { .nofile = 1024, .output = 64 << 20, .pids = 1024 },
		.tune = { .turbo = CONF_KEEP, .nmi_watchdog = CONF_KEEP,
			  .cstate_latency_us = CONF_KEEP,
			  .min_perf_pct = CONF_KEEP, .epb = CONF_KEEP,
			  .smt = CONF_KEEP, .timer_migration = CONF_KEEP,
			  .stat_interval_s = CONF_KEEP,
			  .numa_balancing = CONF_KEEP, .aslr = CONF_KEEP },
	};

	return conf_job_write(&job, out, e);
}

static int result_text(const struct import *im, const char *lease,
		       int64_t mtime_s, struct buf *out, struct err *e)
{
	char boot_id[BOOT_ID_LEN + 1];
	/* no window: nothing is known about when it ran */
	struct result_iter iter = { .number = 1, .cgroup_cpu_us = -1 };
	struct result r = {
		.box = (char *)im->box,
		.group = (char *)(im->group ? im->group : im->box),
		.job = (char *)im->job,
		.testcase = (char *)im->x->name,
		.params_path = (char *)(im->params ? im->params : "imported"),
		.kernel = (char *)im->kernel,
		.lease = (char *)lease,
		.boot_id = boot_id,
		.boot_mode = (char *)"running",
		.agent = (char *)"import " IRONRIG_VERSION,
		.start_s = mtime_s,
		.end_s = mtime_s,
		.outcome = OUTCOME_OK,
		.stable = true,
		.agent_cpu_us = -1,
		.iter = &iter,
		.niter = 1,
	};

	if (new_boot_id(boot_id, e))
		return -1;
	return result_write(&r, out, e);
}

/* ---- the tarball ------------------------------------------------------------- */

static int to_fd(void *arg, const void *p, size_t n, struct err *e)
{
	return io_write_all(*(const int *)arg, p, n, e);
}

static int to_lz4(void *arg, const void *p, size_t n, struct err *e)
{
	return lz4_writer_add(arg, p, n, e);
}

static int pack(int fd, int64_t mtime_s, const struct buf *result,
		const struct buf *job, const struct buf *output,
		struct err *e)
{
	struct lz4_writer *w = lz4_writer_new(LZ4_LEVEL, to_fd, &fd, e);
	struct tar_writer t = { .sink = to_lz4, .arg = w, .mtime_s = mtime_s };
	int rc = -1;

	if (!w)
		return -1;
	if (!tar_add(&t, "result.cfg", buf_str(result), result->len, e) &&
	    !tar_add(&t, "job.cfg", buf_str(job), job->len, e) &&
	    !tar_dir(&t, "iter", e) && !tar_dir(&t, "iter/001", e) &&
	    !tar_add(&t, "iter/001/stdout", buf_str(output), output->len, e) &&
	    !tar_end(&t, e))
		rc = lz4_writer_end(w, e);
	lz4_writer_free(w);
	return rc;
}

/* In incoming/BOX/ under a name that collect does not see, then renamed. */
static int write_file(const struct home *h, const char *box, const char *name,
		      int64_t mtime_s, const struct buf *result,
		      const struct buf *job, const struct buf *output,
		      struct err *e)
{
	char dir[PATH_LEN], part[PATH_LEN], path[PATH_LEN];
	int fd, rc;

	snprintf(dir, sizeof(dir), "incoming/%s", box);
	snprintf(part, sizeof(part), "incoming/%s/.%s.import", box, name);
	snprintf(path, sizeof(path), "incoming/%s/%s", box, name);
	if (io_mkdir_p(h->fd, dir, 0755, e))
		return -1;
	fd = openat(h->fd, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_sys(e, "%s/%s", h->path, part);
	rc = pack(fd, mtime_s, result, job, output, e);
	if (!rc && fsync(fd) < 0)
		rc = err_sys(e, "fsync %s", part);
	if (close(fd) < 0 && !rc)
		rc = err_sys(e, "close %s", part);
	if (!rc && renameat(h->fd, part, h->fd, path) < 0)
		rc = err_sys(e, "%s/%s", h->path, path);
	if (rc)
		unlinkat(h->fd, part, 0);
	return rc ? -1 : io_fsync_parent(h->fd, path, e);
}

int import_file(const struct home *h, const struct import *im,
		const struct buf *b, int64_t mtime_s, struct buf *name,
		struct err *e)
{
	struct buf result = { 0 }, job = { 0 };
	char lease[LEASE_LEN + 1];
	int rc = lease_new(lease, e);

	if (!rc)
		rc = result_file_name(im->box, lease, name, e);
	if (!rc)
		rc = result_text(im, lease, mtime_s, &result, e);
	if (!rc)
		rc = job_text(im, &job, e);
	if (!rc)
		rc = write_file(h, im->box, buf_str(name), mtime_s, &result,
				&job, b, e);
	buf_free(&result);
	buf_free(&job);
	return rc;
}
