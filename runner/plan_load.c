// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Reading what the plan is made of. It decides nothing; one broken file costs
 * its own experiment and no other.
 */
#include "plan_load.h"
#include "io.h"
#include "kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char folder[] = "conf/experiments";

/* ---- names ------------------------------------------------------------------------- */

/* Calls take for each name in the folder; a missing folder has none. */
static int each_name(int dirfd, const char *path,
		     int (*take)(void *arg, const char *name, struct err *e),
		     void *arg, struct err *e)
{
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	int rc = 0;

	if (!d) {
		rc = errno == ENOENT ? 0 : err_sys(e, "%s", path);
		io_close(&fd);
		return rc;
	}
	for (const struct dirent *de; !rc && (de = readdir(d));)
		rc = take(arg, de->d_name, e);
	closedir(d);
	return rc;
}

struct leases {
	const char *box;
	struct strlist *to;
};

/* BOX.LEASE.tar.lz4, with a suffix where it is in quarantine again. */
static int take_lease(void *arg, const char *name, struct err *e)
{
	const struct leases *l = arg;
	size_t n = strlen(l->box);
	char lease[LEASE_LEN + 1];

	if (strncmp(name, l->box, n) != 0 || name[n] != '.' ||
	    strlen(name + n + 1) < LEASE_LEN)
		return 0;
	memcpy(lease, name + n + 1, LEASE_LEN);
	lease[LEASE_LEN] = '\0';
	if (!lease_ok(lease) ||
	    strncmp(name + n + 1 + LEASE_LEN, ".tar.lz4", 8) != 0)
		return 0;
	return strlist_add(l->to, lease, e);
}

static int take_experiment(void *arg, const char *name, struct err *e)
{
	size_t n = strlen(name);

	if (*name == '.' || n < 5 || strcmp(name + n - 4, ".cfg") != 0)
		return 0;
	return strlist_add(arg, name, e);
}

static int load_files(const struct home *home, const char *box,
		      struct plan_load *p, struct err *e)
{
	static const char *const in[] = { "incoming", "store", "quarantine" };
	char path[128];

	for (size_t i = 0; i < 3; i++) {
		struct leases l = { box, i < 2 ? &p->done : &p->bad };

		snprintf(path, sizeof(path), "%s/%s", in[i], box);
		if (each_name(home->fd, path, take_lease, &l, e))
			return -1;
	}
	strlist_sort(&p->done);
	strlist_sort(&p->bad);
	return 0;
}

/* ---- one experiment --------------------------------------------------------------- */

/* The strings are p->v[i].kernel's, freed with it; NULL: not registered. */
static int load_kernels(const struct home *home, const char *home_kernel,
			struct plan_experiment *v, struct err *e)
{
	const struct strlist *names = &v->x->kernels;
	size_t n = names->n ? names->n : 1;
	char **word = calloc(n, sizeof(*word));

	if (!word)
		return err_set(e, ERR_LIMIT, "out of memory");
	v->kernel = (const char *const *)word;
	v->nkernel = n;
	for (size_t i = 0; i < n; i++) {
		const char *name = names->n ? names->v[i] : home_kernel;
		struct buf text = { 0 };

		if (!name)
			buf_puts(&text, "-");
		else if (kernel_word(home, name, &text, e)) {
			buf_free(&text);
			if (e->kind == ERR_NOTFOUND)
				continue;
			return -1;
		}
		if (buf_ok(&text, e))
			return -1;
		word[i] = text.data;
	}
	return 0;
}

static int load_jobs(const struct home *home, struct plan_experiment *v,
		     struct strlist *bundles, struct err *e)
{
	const struct strlist *names = &v->x->jobs;
	struct plan_job *job = calloc(names->n ? names->n : 1, sizeof(*job));
	char path[128];

	if (!job)
		return err_set(e, ERR_LIMIT, "out of memory");
	v->job = job;
	for (size_t i = 0; i < names->n; i++) {
		struct conf_job j;
		int rc = 0;

		snprintf(path, sizeof(path), "conf/jobs/%s.cfg", names->v[i]);
		if (conf_job_load(home->fd, path, &j, NULL, e))
			return -1;
		job[i].unstable_retries = j.unstable_retries;
		job[i].bundles = j.bundles.n > 0;
		for (size_t k = 0; !rc && k < j.bundles.n; k++)
			if (!strlist_has(bundles, j.bundles.v[k]))
				rc = strlist_add(bundles, j.bundles.v[k], e);
		conf_job_free(&j);
		if (rc)
			return -1;
	}
	return 0;
}

static int load_others(const struct home *home, const char *box,
		       struct plan_experiment *v, struct err *e)
{
	const struct strlist *boxes = &v->x->boxes;
	struct lease_log *log = calloc(boxes->n ? boxes->n : 1, sizeof(*log));
	char path[128];

	if (!log)
		return err_set(e, ERR_LIMIT, "out of memory");
	v->others = log;
	for (size_t i = 0; i < boxes->n; i++) {
		int fd, rc;

		if (!strcmp(boxes->v[i], box))
			continue;
		snprintf(path, sizeof(path), "store/%s", boxes->v[i]);
		fd = openat(home->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			continue; /* it never said hello */
		rc = lease_log_read(fd, &log[v->nothers], e);
		close(fd);
		if (rc)
			return err_prefix(e, "box %s", boxes->v[i]);
		v->nothers++;
	}
	return 0;
}

static void free_one(struct plan_experiment *v, struct conf_experiment *x,
		     struct strlist *bundles)
{
	for (size_t i = 0; v->kernel && i < v->nkernel; i++)
		free((void *)(uintptr_t)v->kernel[i]);
	free((void *)(uintptr_t)v->kernel);
	free((void *)(uintptr_t)v->job);
	for (size_t i = 0; i < v->nothers; i++)
		lease_log_close((void *)(uintptr_t)&v->others[i]);
	free((void *)(uintptr_t)v->others);
	strlist_free(bundles);
	conf_experiment_free(x);
	*v = (struct plan_experiment){ 0 };
}

/* 1: p->x[n] and p->v[n] are it; 0: it is not this box's, or broken. */
static int load_one(const struct home *home, const char *box,
		    const char *home_kernel, const char *file,
		    struct plan_load *p, struct err *e)
{
	struct conf_experiment *x = &p->x[p->n];
	struct plan_experiment *v = &p->v[p->n];
	struct strlist *bundles = &p->bundles[p->n];
	struct err why = ERR_INIT;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	if (conf_experiment_load(home->fd, path, x, NULL, &why))
		return strlist_add(&p->problems, why.msg, e);
	if (!strlist_has(&x->boxes, box)) {
		conf_experiment_free(x);
		return 0;
	}
	v->x = x;
	snprintf(path, sizeof(path), "%s/%s" PLAN_DECIDED, folder, x->name);
	v->decided = !faccessat(home->fd, path, F_OK, 0);
	if (!load_kernels(home, home_kernel, v, &why) &&
	    !load_jobs(home, v, bundles, &why) &&
	    !load_others(home, box, v, &why))
		return 1;
	err_prefix(&why, "experiment %s", x->name);
	free_one(v, x, bundles);
	return strlist_add(&p->problems, why.msg, e);
}

/* ---- all of them ------------------------------------------------------------------- */

static int older(const struct conf_experiment *a,
		 const struct conf_experiment *b)
{
	if (a->created != b->created)
		return a->created < b->created ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Insertion sort, because three arrays move together; n is some dozens. */
static void place_last(struct plan_load *p)
{
	for (size_t i = p->n - 1; i > 0; i--) {
		struct conf_experiment x = p->x[i];
		struct plan_experiment v = p->v[i];
		struct strlist b = p->bundles[i];

		if (older(&p->x[i - 1], &x) <= 0)
			break;
		p->x[i] = p->x[i - 1];
		p->v[i] = p->v[i - 1];
		p->bundles[i] = p->bundles[i - 1];
		p->x[i - 1] = x;
		p->v[i - 1] = v;
		p->bundles[i - 1] = b;
		p->v[i].x = &p->x[i];
		p->v[i - 1].x = &p->x[i - 1];
	}
}

static int load_experiments(const struct home *home, const char *box,
			    const char *home_kernel, struct plan_load *p,
			    struct err *e)
{
	struct strlist files = { 0 };
	int rc = each_name(home->fd, folder, take_experiment, &files, e);

	strlist_sort(&files);
	p->x = calloc(files.n + 1, sizeof(*p->x));
	p->v = calloc(files.n + 1, sizeof(*p->v));
	p->bundles = calloc(files.n + 1, sizeof(*p->bundles));
	if (!rc && (!p->x || !p->v || !p->bundles))
		rc = err_set(e, ERR_LIMIT, "out of memory");
	for (size_t i = 0; !rc && i < files.n; i++) {
		rc = load_one(home, box, home_kernel, files.v[i], p, e);
		if (rc > 0) {
			p->n++;
			place_last(p);
			rc = 0;
		}
	}
	strlist_free(&files);
	return rc;
}

int plan_load(const struct home *home, const char *box,
	      const char *home_kernel, struct plan_load *p, struct err *e)
{
	*p = (struct plan_load){ 0 };
	if (load_files(home, box, p, e) ||
	    load_experiments(home, box, home_kernel, p, e)) {
		plan_load_free(p);
		return -1;
	}
	p->in = (struct plan_in){ .done = &p->done,
				  .bad = &p->bad,
				  .v = p->v,
				  .n = p->n };
	return 0;
}

void plan_load_free(struct plan_load *p)
{
	for (size_t i = 0; i < p->n; i++)
		free_one(&p->v[i], &p->x[i], &p->bundles[i]);
	free(p->x);
	free(p->v);
	free(p->bundles);
	strlist_free(&p->done);
	strlist_free(&p->bad);
	strlist_free(&p->problems);
	*p = (struct plan_load){ 0 };
}
