// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Turns what a person has (a package, a built tree, files) into the paths
 * that kerneladd.c registers. dpkg-deb, make and git do the work.
 */
#include "kernelsrc.h"

#include "io.h"
#include "spawn.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAID_MAX = 1 << 20, REAL_MAP_MIN = 4096,
       FOLDERS_OPEN = 32 };

/* A made-up string into *to; the old one is freed. */
static int set(char **to, struct err *e, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
static int set(char **to, struct err *e, const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	free(*to);
	*to = s;
	return 0;
}

void kernelsrc_free(struct kernelsrc *s)
{
	free(s->image);
	free(s->base);
	free(s->config);
	free(s->system_map);
	free(s->origin);
	free(s->commit);
	free(s->title);
	*s = (struct kernelsrc){ .image = NULL };
}

static bool exists(const char *path)
{
	return path && access(path, R_OK) == 0;
}

/* Keeps *path only when such a file is there. */
static void drop_absent(char **path)
{
	if (*path && exists(*path))
		return;
	free(*path);
	*path = NULL;
}

/* Debian ships a one-line System.map that says where the real one is. */
static void drop_stub(char **path)
{
	struct stat st;

	if (*path && !stat(*path, &st) && st.st_size >= REAL_MAP_MIN)
		return;
	free(*path);
	*path = NULL;
}

/* dir, dir/usr, or the folder three above dir: what has lib/modules. */
static int find_base(const char *dir, char **base, struct err *e)
{
	static const char *const form[] = { "%s/lib/modules",
					    "%s/usr/lib/modules" };
	struct buf b = { 0 };
	char *path = NULL;

	for (size_t i = 0; i < 2; i++) {
		if (set(&path, e, form[i], dir))
			return -1;
		if (exists(path)) {
			path[strlen(path) - strlen("/lib/modules")] = '\0';
			*base = path;
			return 0;
		}
	}
	free(path);
	buf_printf(&b, "%s/modules.order", dir);
	if (exists(buf_str(&b))) {
		buf_free(&b);
		return set(base, e, "%s/../../..", dir);
	}
	buf_free(&b);
	return err_set(e, ERR_NOTFOUND, "%s: has no lib/modules and no "
					"modules.order",
		       dir);
}

/* boot/vmlinuz-RELEASE in an unpacked package. */
static int find_vmlinuz(const char *root, char **release, struct err *e)
{
	static const char key[] = "vmlinuz-";
	struct buf path = { 0 };
	struct dirent *d;
	DIR *dir;
	int rc = 0;

	buf_printf(&path, "%s/boot", root);
	dir = opendir(buf_str(&path));
	buf_free(&path);
	while (dir && !rc && (d = readdir(dir)))
		if (!strncmp(d->d_name, key, sizeof(key) - 1))
			rc = set(release, e, "%s",
				 d->d_name + sizeof(key) - 1);
	if (dir)
		closedir(dir);
	if (!rc && !*release)
		rc = err_set(e, ERR_FORMAT, "no boot/vmlinuz-* in it: not a "
					    "linux-image package?");
	return rc;
}

/*
 * Nothing that a kernel needs of its package is a link or a special file, and
 * followed, one would bring files of this account into an image.
 */
static int drop_odd(const char *path, const struct stat *st, int what,
		    struct FTW *at)
{
	(void)at;
	if (what == FTW_SL || (what == FTW_F && !S_ISREG(st->st_mode)))
		return unlink(path);
	return what == FTW_DNR || what == FTW_NS ? -1 : 0;
}

static int unpack(const char *deb, const char *work, struct err *e)
{
	const char *const argv[] = { "dpkg-deb", "-x", deb, work, NULL };

	if (spawn_run(argv, e))
		return -1;
	if (nftw(work, drop_odd, FOLDERS_OPEN, FTW_PHYS))
		return err_sys(e, "%s, unpacked", deb);
	return 0;
}

int kernelsrc_deb(const char *deb, const char *work, struct kernelsrc *s,
		  struct err *e)
{
	const char *slash = strrchr(deb, '/');
	char *release = NULL;
	int rc;

	*s = (struct kernelsrc){ .image = NULL };
	if (!exists(deb))
		return err_sys(e, "%s", deb);
	rc = unpack(deb, work, e);
	if (!rc)
		rc = find_vmlinuz(work, &release, e);
	if (!rc)
		rc = set(&s->image, e, "%s/boot/vmlinuz-%s", work, release);
	if (!rc)
		rc = set(&s->config, e, "%s/boot/config-%s", work, release);
	if (!rc)
		rc = set(&s->system_map, e, "%s/boot/System.map-%s", work,
			 release);
	if (!rc)
		rc = set(&s->origin, e, "deb %s", slash ? slash + 1 : deb);
	if (!rc)
		rc = find_base(work, &s->base, e);
	drop_absent(&s->config);
	drop_stub(&s->system_map);
	free(release);
	if (rc)
		kernelsrc_free(s);
	return rc ? err_prefix(e, "%s", deb) : 0;
}

/* One line that git prints; *to stays NULL when it has none to say. */
static int git(const char *tree, const char *const words[3], char **to,
	       struct err *e)
{
	const char *const argv[] = { "git", "-C", tree, words[0], words[1],
				     words[2], NULL };
	struct err none = ERR_INIT;
	struct buf out = { 0 };
	int rc = 0;

	if (!spawn_filter(argv, "", 0, &out, SAID_MAX, &none) && out.len) {
		out.data[strcspn(out.data, "\n")] = '\0';
		rc = set(to, e, "%s", out.data);
	}
	buf_free(&out);
	return rc;
}

static int git_identity(const char *tree, struct kernelsrc *s, struct err *e)
{
	static const char *const head[] = { "rev-parse", "HEAD", NULL };
	static const char *const title[] = { "log", "-1", "--format=%s" };
	static const char *const changed[] = { "status", "--porcelain",
					       "--untracked-files=no" };
	char *dirty = NULL;
	int rc = git(tree, head, &s->commit, e);

	if (!rc && s->commit)
		rc = git(tree, title, &s->title, e);
	if (!rc && s->commit)
		rc = git(tree, changed, &dirty, e);
	if (!rc && dirty && *dirty) {
		char *clean = s->commit;

		s->commit = NULL;
		rc = set(&s->commit, e, "%s-dirty", clean);
		free(clean);
	}
	free(dirty);
	return rc;
}

static int install_modules(const char *tree, const char *work, struct err *e)
{
	char *to = NULL;
	int rc = set(&to, e, "INSTALL_MOD_PATH=%s", work);
	const char *const argv[] = { "make", "-s", "-C", tree,
				     "modules_install", to,
				     "INSTALL_MOD_STRIP=1", "DEPMOD=true",
				     NULL };
	struct buf said = { 0 };

	if (!rc)
		rc = spawn_capture(argv, true, &said, SAID_MAX, e);
	/* make's last line says only that something failed */
	if (rc && said.len)
		err_prefix(e, "%.*s", (int)strcspn(said.data, "\n"),
			   said.data);
	buf_free(&said);
	free(to);
	return rc;
}

int kernelsrc_build(const char *tree, const char *work, struct kernelsrc *s,
		    struct err *e)
{
	char *order = NULL;
	int rc;

	*s = (struct kernelsrc){ .image = NULL };
	rc = set(&s->image, e, "%s/arch/x86/boot/bzImage", tree);
	if (!rc && !exists(s->image))
		rc = err_sys(e, "%s (was `make' run there?)", s->image);
	if (!rc)
		rc = set(&s->config, e, "%s/.config", tree);
	if (!rc)
		rc = set(&s->system_map, e, "%s/System.map", tree);
	if (!rc)
		rc = set(&s->origin, e, "build %s", tree);
	drop_absent(&s->config);
	drop_stub(&s->system_map);
	/* a kernel without modules has no such file */
	if (!rc)
		rc = set(&order, e, "%s/modules.order", tree);
	if (!rc && exists(order)) {
		rc = install_modules(tree, work, e);
		if (!rc)
			rc = find_base(work, &s->base, e);
	}
	if (!rc)
		rc = git_identity(tree, s, e);
	free(order);
	if (rc)
		kernelsrc_free(s);
	return rc;
}

int kernelsrc_files(const char *image, const char *modules,
		    const char *config, struct kernelsrc *s, struct err *e)
{
	const char *const given[] = { image, config };
	char **const to[] = { &s->image, &s->config };
	int rc = 0;

	*s = (struct kernelsrc){ .image = NULL };
	for (size_t i = 0; i < 2 && !rc; i++) {
		if (!given[i])
			continue;
		rc = exists(given[i]) ? set(to[i], e, "%s", given[i]) :
					err_sys(e, "%s", given[i]);
	}
	if (!rc && modules)
		rc = find_base(modules, &s->base, e);
	if (!rc)
		rc = set(&s->origin, e, "file %s", image);
	if (rc)
		kernelsrc_free(s);
	return rc;
}
