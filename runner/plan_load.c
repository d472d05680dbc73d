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

/* ---- names --------------------------------------------------------------- */

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
	bool suffixed;
};

/* BOX.LEASE.tar.lz4; suffixed: or with one, as quarantine has them. */
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
	    strncmp(name + n + 1 + LEASE_LEN, ".tar.lz4", 8) != 0 ||
	    (!l->suffixed && name[n + 1 + LEASE_LEN + 8]))
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
		struct leases l = { box, i < 2 ? &p->done : &p->bad, i == 2 };

		snprintf(path, sizeof(path), "%s/%s", in[i], box);
		if (each_name(home->fd, path, take_lease, &l, e))
			return -1;
	}
	strlist_sort(&p->done);
	strlist_sort(&p->bad);
	return 0;
}

/* ---- one experiment ------------------------------------------------------ */

/* Appends "NAME:ID" to o->word, NULL when there is no such kernel. */
static int load_word(const struct home *home, const char *name,
		     struct plan_load_one *o, struct err *e)
{
	struct buf text = { 0 };
	char **word = reallocarray(o->word, o->nword + 1, sizeof(*word));

	if (!word)
		return err_set(e, ERR_LIMIT, "out of memory");
	o->word = word;
	o->word[o->nword++] = NULL;
	if (!name)
		buf_puts(&text, "-");
	else if (kernel_word(home, name, &text, e)) {
		buf_free(&text);
		return e->kind == ERR_NOTFOUND ? 0 : -1;
	}
	o->word[o->nword - 1] = text.data;
	return buf_ok(&text, e);
}

/* Kernel by kernel, all its builds; builds[k].n is set. */
static int load_words(const struct home *home, const char *home_kernel,
		      struct plan_load_one *o, struct err *e)
{
	for (size_t k = 0; k < o->nkernel; k++) {
		struct strlist names = { 0 };
		int rc = 0;

		if (!o->x.kernels.n)
			rc = load_word(home, home_kernel, o, e);
		else
			rc = conf_experiment_builds(&o->x, k, &names, e);
		for (size_t i = 0; !rc && i < names.n; i++)
			rc = load_word(home, names.v[i], o, e);
		o->builds[k].n = names.n ? names.n : 1;
		strlist_free(&names);
		if (rc)
			return -1;
	}
	return 0;
}

static int load_kernels(const struct home *home, const char *home_kernel,
			struct plan_load_one *o, struct err *e)
{
	size_t at = 0;

	o->nkernel = o->x.kernels.n ? o->x.kernels.n : 1;
	o->kernel = calloc(o->nkernel, sizeof(*o->kernel));
	o->builds = calloc(o->nkernel, sizeof(*o->builds));
	if (!o->kernel || !o->builds)
		return err_set(e, ERR_LIMIT, "out of memory");
	if (load_words(home, home_kernel, o, e))
		return -1;
	/* the words stay where they are now */
	for (size_t k = 0; k < o->nkernel; k++) {
		o->kernel[k] = o->word[at];
		o->builds[k].word = (const char *const *)(o->word + at);
		at += o->builds[k].n;
	}
	return 0;
}

static int load_jobs(const struct home *home, struct plan_load_one *o,
		     struct err *e)
{
	const struct strlist *names = &o->x.jobs;
	char path[128];

	o->job = calloc(names->n ? names->n : 1, sizeof(*o->job));
	if (!o->job)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (size_t i = 0; i < names->n; i++) {
		struct plan_job *job = &o->job[i];
		struct conf_job j;
		int rc = 0;

		snprintf(path, sizeof(path), "conf/jobs/%s.cfg", names->v[i]);
		if (conf_job_load(home->fd, path, &j, NULL, e))
			return -1;
		job->unstable_retries = j.unstable_retries;
		job->bundles = j.bundles.n > 0;
		for (size_t k = 0; !rc && k < j.bundles.n; k++)
			if (!strlist_has(&o->bundles, j.bundles.v[k]))
				rc = strlist_add(&o->bundles, j.bundles.v[k],
						 e);
		conf_job_free(&j);
		if (rc)
			return -1;
	}
	return 0;
}

static int load_others(const struct home *home, const char *box,
		       struct plan_load_one *o, struct err *e)
{
	const struct strlist *boxes = &o->x.boxes;
	char path[128];

	o->others = calloc(boxes->n ? boxes->n : 1, sizeof(*o->others));
	if (!o->others)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (size_t i = 0; i < boxes->n; i++) {
		int fd, rc;

		if (!strcmp(boxes->v[i], box))
			continue;
		snprintf(path, sizeof(path), "store/%s", boxes->v[i]);
		fd = openat(home->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			continue; /* it never said hello */
		rc = lease_log_read(fd, &o->others[o->nothers], e);
		close(fd);
		if (rc)
			return err_prefix(e, "box %s", boxes->v[i]);
		o->nothers++;
	}
	return 0;
}

static void free_one(struct plan_load_one *o)
{
	for (size_t i = 0; i < o->nword; i++)
		free(o->word[i]);
	free(o->word);
	free(o->kernel);
	free(o->builds);
	free(o->job);
	for (size_t i = 0; i < o->nothers; i++)
		lease_log_close(&o->others[i]);
	free(o->others);
	strlist_free(&o->bundles);
	conf_experiment_free(&o->x);
	*o = (struct plan_load_one){ 0 };
}

/* 1: *o is it; 0: it is not this box's, or broken (p->problems says so). */
static int load_one(const struct home *home, const char *box,
		    const char *home_kernel, const char *file,
		    struct plan_load *p, struct plan_load_one *o,
		    struct err *e)
{
	struct err why = ERR_INIT;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	if (conf_experiment_load(home->fd, path, &o->x, NULL, &why))
		return strlist_add(&p->problems, why.msg, e);
	if (!strlist_has(&o->x.boxes, box)) {
		conf_experiment_free(&o->x);
		return 0;
	}
	snprintf(path, sizeof(path), "%s/%s" PLAN_LOAD_DECIDED, folder,
		 o->x.name);
	o->decided = !faccessat(home->fd, path, F_OK, 0);
	if (!load_kernels(home, home_kernel, o, &why) &&
	    !load_jobs(home, o, &why) && !load_others(home, box, o, &why))
		return 1;
	err_prefix(&why, "experiment %s", o->x.name);
	free_one(o);
	return strlist_add(&p->problems, why.msg, e);
}

/* ---- all of them --------------------------------------------------------- */

static int older(const void *a, const void *b)
{
	const struct conf_experiment *x = &((const struct plan_load_one *)a)->x;
	const struct conf_experiment *y = &((const struct plan_load_one *)b)->x;

	if (x->created != y->created)
		return x->created < y->created ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* As plan.h wants them; the views point into p->one, which stays put now. */
static void make_views(struct plan_load *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct plan_load_one *o = &p->one[i];

		p->v[i] = (struct plan_experiment){
			.x = &o->x,
			.kernel = o->kernel,
			.nkernel = o->nkernel,
			.builds = o->builds,
			.job = o->job,
			.others = o->others,
			.nothers = o->nothers,
			.decided = o->decided,
		};
	}
}

static int load_experiments(const struct home *home, const char *box,
			    const char *home_kernel,
			    const struct strlist *files, struct plan_load *p,
			    struct err *e)
{
	p->one = calloc(files->n + 1, sizeof(*p->one));
	p->v = calloc(files->n + 1, sizeof(*p->v));
	if (!p->one || !p->v)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (size_t i = 0; i < files->n; i++) {
		int rc = load_one(home, box, home_kernel, files->v[i], p,
				  &p->one[p->n], e);

		if (rc < 0)
			return -1;
		p->n += (size_t)rc;
	}
	qsort(p->one, p->n, sizeof(p->one[0]), older);
	make_views(p);
	return 0;
}

int plan_load(const struct home *home, const char *box,
	      const char *home_kernel, struct plan_load *p, struct err *e)
{
	struct strlist files = { 0 };
	int rc;

	*p = (struct plan_load){ 0 };
	rc = load_files(home, box, p, e);
	if (!rc)
		rc = each_name(home->fd, folder, take_experiment, &files, e);
	strlist_sort(&files); /* problems in the same order every time */
	if (!rc)
		rc = load_experiments(home, box, home_kernel, &files, p, e);
	strlist_free(&files);
	if (rc) {
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
		free_one(&p->one[i]);
	free(p->one);
	free(p->v);
	strlist_free(&p->done);
	strlist_free(&p->bad);
	strlist_free(&p->problems);
	*p = (struct plan_load){ 0 };
}
