// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The result of a run whose box never came back with one: a small tarball
 * like any other, so that it is counted, shown and compared like any other.
 */
#include "receive.h"
#include "io.h"
#include "lz4stream.h"
#include "tar.h"
#include "version.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { JOB_FILE_MAX = 1 << 20, LEVEL = 3 };

static int into_buf(void *arg, const void *p, size_t n, struct err *e)
{
	buf_add(arg, p, n);
	return buf_ok(arg, e);
}

static int into_lz4(void *arg, const void *p, size_t n, struct err *e)
{
	return lz4_writer_add(arg, p, n, e);
}

static int pack(const struct buf *cfg, const struct buf *job, int64_t mtime_s,
		struct buf *out, struct err *e)
{
	struct lz4_writer *w = lz4_writer_new(LEVEL, into_buf, out, e);
	struct tar_writer t = { .sink = into_lz4,
				.arg = w,
				.mtime_s = mtime_s };
	int rc;

	if (!w)
		return -1;
	rc = tar_add(&t, "result.cfg", buf_str(cfg), cfg->len, e);
	if (!rc && job->len)
		rc = tar_add(&t, "job.cfg", buf_str(job), job->len, e);
	if (!rc)
		rc = tar_end(&t, e);
	if (!rc)
		rc = lz4_writer_end(w, e);
	lz4_writer_free(w);
	return rc;
}

/* The configuration's name, so that it stands beside the runs that came. */
static int describe_job(const struct receive *r, const char *job,
			struct result *t, struct buf *testcase,
			struct buf *params, struct buf *text, struct err *e)
{
	struct conf_tune tune;
	struct conf_job j;
	char path[128];
	int rc;

	snprintf(path, sizeof(path), "conf/jobs/%s.cfg", job);
	if (io_read_file(r->home->fd, path, text, JOB_FILE_MAX, e) ||
	    conf_job_load(r->home->fd, path, &j, NULL, e))
		return -1;
	rc = conf_tune_merge(&r->host.tune, &j.tune, &tune, e);
	if (!rc) {
		rc = conf_params_path(&j, tune.governor, params, e);
		conf_tune_free(&tune);
	}
	if (j.testcase)
		buf_puts(testcase, j.testcase);
	conf_job_free(&j);
	t->testcase = testcase->data;
	t->params_path = params->data;
	return rc;
}

static void fill(struct result *t, const struct receive *r,
		 struct lease_event *run, char *name, char *reason)
{
	const char *id = strchr(run->kernel, ':');

	lease_kernel_name(run->kernel, name);
	*t = (struct result){
		.box = r->host.box,
		.group = r->host.group,
		.job = run->job,
		.kernel = strcmp(name, "-") ? name : NULL, /* unknown */
		.kernel_id = id ? run->kernel + (id + 1 - run->kernel) : NULL,
		.boot_id = run->boot_id,
		.lease = run->lease,
		.experiment = run->experiment,
		.block = run->block,
		.position = run->position,
		.attempt = run->attempt,
		/* results are compared within one way of booting only */
		.boot_mode = *run->mode && *run->mode != '-' ? run->mode : NULL,
		.start_s = run->time_s,
		.end_s = time(NULL),
		.outcome = OUTCOME_LOST,
		.reason = reason,
	};
}

/*
 * What io_replace_file() left here when its process was killed. Under the
 * lease log's lock nobody else replaces files in incoming/BOX.
 */
static void tidy(int incoming)
{
	int fd = openat(incoming, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d) {
		io_close(&fd);
		return;
	}
	for (const struct dirent *de; (de = readdir(d));)
		if (*de->d_name == '.' && strstr(de->d_name, ".tar.lz4.new."))
			unlinkat(fd, de->d_name, 0);
	closedir(d);
}

int receive_lost(const struct receive *r, const struct lease_event *run,
		 const char *reason, struct err *e)
{
	struct buf cfg = { 0 }, job = { 0 }, file = { 0 }, packed = { 0 };
	struct buf testcase = { 0 }, params = { 0 };
	struct lease_event copy = *run;
	char name[LEASE_NAME], why[256], version[] = IRONRIG_VERSION;
	struct err ignored;
	struct result t;
	int rc;

	snprintf(why, sizeof(why), "%s", reason);
	fill(&t, r, &copy, name, why);
	t.agent = version;
	/* the job may have been renamed since: still a lost run */
	if (describe_job(r, run->job, &t, &testcase, &params, &job, &ignored))
		buf_reset(&job);
	rc = result_write(&t, &cfg, e);
	if (!rc)
		rc = pack(&cfg, &job, t.end_s, &packed, e);
	if (!rc)
		rc = result_file_name(r->host.box, run->lease, &file, e);
	tidy(r->incoming);
	if (!rc)
		rc = io_replace_file(r->incoming, buf_str(&file), packed.data,
				     packed.len, 0600, e);
	buf_free(&cfg);
	buf_free(&job);
	buf_free(&file);
	buf_free(&packed);
	buf_free(&testcase);
	buf_free(&params);
	return rc ? err_prefix(e, "lost run %s", run->lease) : 0;
}
