// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * glob(3) below a folder descriptor: that one knows only paths from the root
 * or the current folder, and fixtures have a root of their own.
 */
#include "pathmatch.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH 16 /* components of a pattern */

struct matcher {
	int dirfd;
	size_t max;
	struct strlist *out;
	struct err *e;
};

static int add(struct matcher *m, const char *path)
{
	if (m->out->n >= m->max)
		return err_set(m->e, ERR_LIMIT, "more than %zu files match",
			       m->max);
	return strlist_add(m->out, path, m->e);
}

static int names(struct matcher *m, const char *dir, const char *pattern,
		 struct strlist *out)
{
	int fd = openat(m->dirfd, *dir ? dir : ".",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *de;
	int rc = 0;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (!rc && (de = readdir(d)))
		if (!fnmatch(pattern, de->d_name, FNM_PERIOD))
			rc = strlist_add(out, de->d_name, m->e);
	closedir(d);
	return rc;
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static int descend(struct matcher *m, const char *base, const char *pattern,
		   int depth)
{
	char path[PATH_MAX], part[NAME_MAX + 1];
	size_t len = strcspn(pattern, "/"), at = strlen(base);
	const char *rest = pattern + len + (pattern[len] == '/');
	struct strlist found = { 0 };
	int rc = 0;

	if (len > NAME_MAX || depth >= DEPTH)
		return err_set(m->e, ERR_LIMIT, "%.64s: pattern too long",
			       pattern);
	memcpy(part, pattern, len);
	part[len] = '\0';
	if (!strpbrk(part, "*?["))
		rc = strlist_add(&found, part, m->e);
	else
		rc = names(m, base, part, &found);
	if (found.n > 1)
		qsort(found.v, found.n, sizeof(found.v[0]), by_version);
	for (size_t i = 0; !rc && i < found.n; i++) {
		size_t n = strlen(found.v[i]);

		if (at + n + 2 > sizeof(path))
			continue;
		snprintf(path, sizeof(path), "%s%s%s", base, at ? "/" : "",
			 found.v[i]);
		if (*rest)
			rc = descend(m, path, rest, depth + 1);
		else if (!faccessat(m->dirfd, path, F_OK, AT_SYMLINK_NOFOLLOW))
			rc = add(m, path);
	}
	strlist_free(&found);
	return rc;
}

int pathmatch(int dirfd, const char *pattern, size_t max, struct strlist *out,
	      struct err *e)
{
	struct matcher m = { .dirfd = dirfd, .max = max, .out = out, .e = e };

	while (*pattern == '/')
		pattern++;
	return *pattern ? descend(&m, "", pattern, 0) : 0;
}
