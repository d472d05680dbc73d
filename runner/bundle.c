// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Which bundles a box needs. Building one is bundlemake.c's.
 */
#include "bundle.h"

#include "home.h"
#include "io.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static int add_job(const struct home *home, const char *name,
		   struct strlist *out, struct err *e)
{
	struct conf_job job = { 0 };
	struct err ignored;
	char path[128];
	int rc = 0;

	snprintf(path, sizeof(path), "conf/jobs/%s.cfg", name);
	if (conf_job_load(home->fd, path, &job, NULL, &ignored))
		return 0;
	for (size_t i = 0; i < job.bundles.n && !rc; i++)
		if (!strlist_has(out, job.bundles.v[i]))
			rc = strlist_add(out, job.bundles.v[i], e);
	conf_job_free(&job);
	return rc;
}

static int add_experiment(const struct home *home, int dirfd, const char *file,
			  const char *box, struct strlist *out, struct err *e)
{
	struct conf_experiment x = { 0 };
	struct err ignored;
	int rc = 0;

	if (conf_experiment_load(dirfd, file, &x, NULL, &ignored))
		return 0;
	if (!x.stopped && strlist_has(&x.boxes, box))
		for (size_t i = 0; i < x.jobs.n && !rc; i++)
			rc = add_job(home, x.jobs.v[i], out, e);
	conf_experiment_free(&x);
	return rc;
}

int bundle_of_box(const struct home *home, const char *box,
		  struct strlist *out, struct err *e)
{
	int rc = 0, fd = openat(home->fd, "conf/experiments",
				O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	if (!dir) {
		io_close(&fd);
		return err_sys(e, "conf/experiments");
	}
	while (!rc && (d = readdir(dir))) {
		const char *dot = strrchr(d->d_name, '.');

		if (*d->d_name != '.' && dot && !strcmp(dot, ".cfg"))
			rc = add_experiment(home, fd, d->d_name, box, out, e);
	}
	closedir(dir);
	strlist_sort(out);
	return rc;
}
