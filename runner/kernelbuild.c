// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Several builds of one kernel in the registry: who they are, and what cannot
 * be one. How blocks are dealt out among them is planorder.c's.
 */
#include "kernelbuild.h"

#include "home.h"
#include "io.h"
#include "kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- listing --------------------------------------------------------------- */

static int take_if_of(const struct home *home, const char *path,
		      const char *of, struct strlist *out, struct err *e)
{
	struct conf_kernel k = { 0 };
	int rc = 0;

	if (conf_kernel_load(home->fd, path, &k, NULL, e))
		return -1;
	/* one that came back after its removal is in both places */
	if (k.build_of && !strcmp(k.build_of, of) &&
	    !strlist_has(out, k.name))
		rc = strlist_add(out, k.name, e);
	conf_kernel_free(&k);
	return rc;
}

static int take_gone(const struct home *home, const char *of,
		     struct strlist *out, struct err *e)
{
	int fd = openat(home->fd, "kernels",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int rc = 0;

	if (!dir) {
		io_close(&fd);
		return err_sys(e, "kernels");
	}
	for (const struct dirent *d; !rc && (d = readdir(dir));) {
		char path[KERNEL_PATH + NAME_MAX];

		if (strncmp(d->d_name, KERNEL_GONE, strlen(KERNEL_GONE)) != 0)
			continue;
		snprintf(path, sizeof(path), "kernels/%s", d->d_name);
		rc = take_if_of(home, path, of, out, e);
	}
	closedir(dir);
	return rc;
}

int kernel_builds(const struct home *home, const char *name, bool gone,
		  struct strlist *out, struct err *e)
{
	struct strlist all = { 0 }, found = { 0 };
	struct conf_kernel k = { 0 };
	int rc = gone ? 0 : kernel_load(home, name, &k, e);

	conf_kernel_free(&k);
	if (!rc)
		rc = kernel_list(home, &all, e);
	for (size_t i = 0; !rc && i < all.n; i++) {
		char path[KERNEL_PATH];

		snprintf(path, sizeof(path), "kernels/%.64s/kernel.cfg",
			 all.v[i]);
		rc = take_if_of(home, path, name, &found, e);
	}
	if (!rc && gone)
		rc = take_gone(home, name, &found, e);
	strlist_sort(&found);
	if (!rc)
		rc = strlist_add(out, name, e);
	for (size_t i = 0; !rc && i < found.n; i++)
		rc = strlist_add(out, found.v[i], e);
	strlist_free(&all);
	strlist_free(&found);
	return rc;
}

/* ---- adding ---------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static int conflict(const struct conf_kernel *k, const struct conf_kernel *of,
		    struct err *e)
{
	if (of->build_of)
		return err_set(e, ERR_CONFLICT,
			       "%s is a build of %s itself: --build-of %s",
			       of->name, of->build_of, of->build_of);
	if (k->build_of && !same(k->build_of, of->name))
		return err_set(e, ERR_CONFLICT, "it is a build of %s already",
			       k->build_of);
	if (k->commit && of->commit && !same(k->commit, of->commit))
		return err_set(e, ERR_CONFLICT,
			       "it is of commit %.40s, %s of %.40s", k->commit,
			       of->name, of->commit);
	if (!same(k->append, of->append))
		return err_set(e, ERR_CONFLICT,
			       "its command line is \"%s\", that of %s \"%s\"",
			       k->append ? k->append : "", of->name,
			       of->append ? of->append : "");
	return 0;
}

/* Two names of one image are one layout, measured twice. */
static int image_known(const struct home *home, const struct conf_kernel *k,
		       const char *of, struct err *e)
{
	struct strlist builds = { 0 };
	int rc = kernel_builds(home, of, false, &builds, e);

	for (size_t i = 0; !rc && i < builds.n; i++) {
		struct conf_kernel other = { 0 };

		if (!strcmp(builds.v[i], k->name))
			continue;
		rc = kernel_load(home, builds.v[i], &other, e);
		if (!rc && same(other.image_sha256, k->image_sha256))
			rc = err_set(e, ERR_CONFLICT,
				     "its image is that of %s: no other "
				     "layout",
				     builds.v[i]);
		conf_kernel_free(&other);
	}
	strlist_free(&builds);
	return rc;
}

int kernelbuild_check(const struct home *home, const struct conf_kernel *k,
		      const char *of, struct err *e)
{
	struct strlist own = { 0 };
	struct conf_kernel other = { 0 };
	int rc;

	if (!strcmp(k->name, of))
		return err_set(e, ERR_INPUT, "--build-of names another one");
	rc = kernel_builds(home, k->name, true, &own, e);
	if (!rc && own.n > 1)
		rc = err_set(e, ERR_CONFLICT, "%s is a build of it", own.v[1]);
	strlist_free(&own);
	if (!rc)
		rc = kernel_load(home, of, &other, e);
	if (!rc)
		rc = conflict(k, &other, e);
	conf_kernel_free(&other);
	return rc ? rc : image_known(home, k, of, e);
}

int kernelbuild_keep(const struct home *home, const char *name, const char *of,
		     struct err *e)
{
	struct conf_kernel k = { 0 };
	int rc = kernel_load(home, name, &k, e);

	if (rc)
		return -1;
	rc = kernelbuild_check(home, &k, of, e);
	free(k.build_of);
	k.build_of = strdup(of);
	if (!rc && !k.build_of)
		rc = err_set(e, ERR_LIMIT, "out of memory");
	if (!rc)
		rc = kernel_rewrite(home, name, &k, e);
	conf_kernel_free(&k);
	return rc;
}
