// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Builds a bundle: reads what it is made of, lets initramfs/stage-bundle lay
 * it out, packs the tree.
 */
#include "bundlemake.h"

#include "bootdir.h"
#include "cfgtree.h"
#include "cpiotree.h"
#include "home.h"
#include "image.h"
#include "io.h"
#include "ipxe.h"
#include "scratch.h"
#include "spawn.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 64 << 10 };

static const struct cfg_limits limits = {
	.bytes = FILE_MAX, .depth = 2, .group = 16, .list = 256
};

/* What each key's elements are for stage-bundle. */
static const struct {
	const char *key, *word;
	bool list;
} keys[] = {
	{ "packages", "package", true },
	{ "programs", "program", true },
	{ "files", "file", true },
	{ "from", "from", false },
	{ "without", "without", true },
	{ "description", NULL, false },
};

/* ---- the file ----------------------------------------------------------------- */

static int take_word(const char *file, size_t k, const struct cfg_node *n,
		     struct buf *list, struct err *e)
{
	const char *slash = strrchr(file, '/');

	if (n->type != CFG_STRING || strpbrk(n->s, "\r\n"))
		return err_set(e, ERR_INPUT, "%s:%u: %s: expected a string",
			       file, n->line, keys[k].key);
	if (!keys[k].word)
		return 0;
	buf_printf(list, "%s ", keys[k].word);
	if (!strcmp(keys[k].key, "from") && *n->s != '/' && slash)
		buf_add(list, file, (size_t)(slash - file) + 1);
	buf_printf(list, "%s\n", n->s);
	return buf_ok(list, e);
}

static int take_setting(const char *file, const struct cfg_node *n,
			struct buf *list, struct err *e)
{
	const size_t nkeys = sizeof(keys) / sizeof(*keys);
	size_t k = 0;

	while (k < nkeys && strcmp(keys[k].key, n->name) != 0)
		k++;
	if (k == nkeys)
		return err_set(e, ERR_INPUT,
			       "%s:%u: %s: no such key (packages, programs, "
			       "files, from, without, description)",
			       file, n->line, n->name);
	if (!keys[k].list)
		return take_word(file, k, n, list, e);
	if (n->type != CFG_LIST)
		return err_set(e, ERR_INPUT, "%s:%u: %s: expected a list",
			       file, n->line, n->name);
	for (size_t i = 0; i < n->n; i++)
		if (take_word(file, k, &n->child[i], list, e))
			return -1;
	return 0;
}

/* The file as lines for stage-bundle. */
static int read_file(const char *file, struct buf *list, struct err *e)
{
	struct conf_problem bad = { .line = 0 };
	struct cfg_node root = { .n = 0 };
	struct buf text = { 0 };
	int rc = io_read_file(AT_FDCWD, file, &text, FILE_MAX, e);

	if (!rc && cfgtree_parse(buf_str(&text), text.len, &limits, &root,
				 &bad))
		rc = err_set(e, ERR_INPUT, "%s:%u: %s", file, bad.line,
			     bad.msg);
	for (size_t i = 0; i < root.n && !rc; i++)
		rc = take_setting(file, &root.child[i], list, e);
	cfgtree_free(&root);
	buf_free(&text);
	return rc;
}

/* ---- making it ------------------------------------------------------------------ */

struct work {
	const struct home *home;
	const struct bundlemake *b;
	char *dir; /* absolute */
	struct buf list, packages;
};

static int describe(struct work *w, struct err *e)
{
	char *found = NULL, *path = NULL;
	int rc;

	if (w->b->from) {
		path = realpath(w->b->from, NULL);
		if (!path)
			return err_sys(e, "%s", w->b->from);
		buf_printf(&w->list, "from %s\n", path);
		free(path);
		return buf_ok(&w->list, e);
	}
	if (w->b->file)
		return read_file(w->b->file, &w->list, e);
	if (asprintf(&path, "initramfs/bundles/%s", w->b->name) < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	rc = home_shared(path, &found, e);
	if (rc)
		err_prefix(e, "no bundle of that name comes with ironrig "
			      "(--file or --from make one)");
	if (!rc)
		rc = read_file(found, &w->list, e);
	free(path);
	free(found);
	return rc;
}

/* Runs the script; the downloads stay in bundles/.debs for the next time. */
static int stage(struct work *w, struct err *e)
{
	char *script = NULL, *debs = NULL, *list = NULL;
	int rc = home_shared("initramfs/stage-bundle", &script, e);

	if (!rc && (asprintf(&debs, "%s/bundles/.debs", w->home->path) < 0 ||
		    asprintf(&list, "%s/list", w->dir) < 0))
		rc = err_set(e, ERR_LIMIT, "out of memory");
	if (!rc)
		rc = io_replace_file(AT_FDCWD, list, buf_str(&w->list),
				     w->list.len, 0600, e);
	if (!rc) {
		const char *const argv[] = { script, debs, w->dir, list,
					     NULL };

		rc = spawn_run(argv, e);
	}
	free(script);
	free(debs);
	free(list);
	return rc;
}

static int pack(struct work *w, struct buf *out, struct cpio_made *made,
		struct err *e)
{
	char name[80], note[128];
	struct cpio *c;
	int dir = open(w->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = -1, rc = -1;

	snprintf(name, sizeof(name), "bundle-%s", w->b->name);
	snprintf(note, sizeof(note), IMAGE_BUNDLES_DIR "/%s", w->b->name);
	c = cpio_new(name, e);
	if (dir < 0) {
		err_sys(e, "%s", w->dir);
		goto out;
	}
	fd = openat(dir, "tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		err_sys(e, "%s/tree", w->dir);
		goto out;
	}
	if (!c || io_read_file(dir, "packages", &w->packages, FILE_MAX, e) ||
	    cpiotree_add(c, "", fd, e) ||
	    cpio_file(c, note, 0644, buf_str(&w->packages), w->packages.len,
		      e) ||
	    cpio_pack(c, w->b->gzip ? CPIO_GZIP : CPIO_LZ4, out, made, e))
		goto out;
	rc = 0;
out:
	io_close(&fd);
	io_close(&dir);
	cpio_free(c);
	return rc;
}

static int install(struct work *w, const struct buf *out,
		   const struct cpio_made *made, struct err *e)
{
	char path[128];

	snprintf(path, sizeof(path), "bundles/%s.packages", w->b->name);
	if (io_replace_file(w->home->fd, path, buf_str(&w->packages),
			    w->packages.len, 0640, e))
		return -1;
	snprintf(path, sizeof(path), "bundles/%s.cpio", w->b->name);
	if (io_replace_file(w->home->fd, path, out->data, out->len, 0640, e) ||
	    bootdir_sha_write(w->home->fd, path, made->manifest_sha256, e))
		return -1;
	return ipxe_refresh(w->home, e);
}

int bundlemake_run(const struct home *home, const struct bundlemake *b,
		   struct cpio_made *made, struct err *e)
{
	struct work w = { .home = home, .b = b };
	struct err ignored = ERR_INIT;
	char name[SCRATCH_NAME];
	struct buf out = { 0 };
	int mark, rc = 0;

	if (!conf_name_ok(b->name))
		return err_set(e, ERR_INPUT, "\"%s\" is no bundle's name",
			       b->name);
	mark = scratch_make(home->fd, "bundles", name, e);
	if (mark < 0)
		return err_prefix(e, "bundle %s", b->name);
	if (asprintf(&w.dir, "%s/%s", home->path, name) < 0) {
		io_close(&mark);
		return err_set(e, ERR_LIMIT, "out of memory");
	}
	if (describe(&w, e) || stage(&w, e) || pack(&w, &out, made, e) ||
	    install(&w, &out, made, e))
		rc = -1;
	if (io_remove_tree(AT_FDCWD, w.dir, &ignored) && !rc) {
		*e = ignored;
		rc = -1;
	}
	io_close(&mark);
	free(w.dir);
	buf_free(&w.list);
	buf_free(&w.packages);
	buf_free(&out);
	return rc ? err_prefix(e, "bundle %s", b->name) : 0;
}

/* ---- who brings what -------------------------------------------------------------- */

/* Its "program" lines, less globs and plug-ins. */
static int index_one(const char *dir, const char *name, struct strlist *lines,
		     struct err *e)
{
	static const char word[] = "program ";
	struct buf list = { 0 }, path = { 0 };
	char *save;
	int rc;

	buf_printf(&path, "%s/%s", dir, name);
	rc = buf_ok(&path, e);
	if (!rc)
		rc = read_file(path.data, &list, e);
	for (char *s = rc || !list.len ? NULL : strtok_r(list.data, "\n", &save);
	     s && !rc; s = strtok_r(NULL, "\n", &save)) {
		const char *slash = strrchr(s, '/');
		char line[256];

		if (strncmp(s, word, sizeof(word) - 1) != 0 || !slash ||
		    strpbrk(slash, "*?[") || strstr(slash, ".so"))
			continue;
		snprintf(line, sizeof(line), "%s %s", slash + 1, name);
		rc = strlist_add(lines, line, e);
	}
	buf_free(&list);
	buf_free(&path);
	return rc;
}

int bundlemake_index(struct buf *out, struct err *e)
{
	struct strlist lines = { 0 };
	char *dir = NULL;
	struct dirent *d;
	DIR *list;
	int rc = home_shared("initramfs/bundles", &dir, e);

	if (rc)
		return -1;
	list = opendir(dir);
	if (!list)
		rc = err_sys(e, "%s", dir);
	while (list && !rc && (d = readdir(list)))
		if (conf_name_ok(d->d_name) && !strchr(d->d_name, '.'))
			rc = index_one(dir, d->d_name, &lines, e);
	if (list)
		closedir(list);
	strlist_sort(&lines);
	for (size_t i = 0; i < lines.n; i++)
		buf_printf(out, "%s\n", lines.v[i]);
	strlist_free(&lines);
	free(dir);
	return rc ? rc : buf_ok(out, e);
}
