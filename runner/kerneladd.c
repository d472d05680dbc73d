// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Registers a kernel: reads the image, stages and packs its modules, computes
 * the id, and puts all into the registry by one rename. Where the files come
 * from is kernelsrc.c's, which modules are taken modset.c's.
 */
#include "kerneladd.h"

#include "bzimage.h"
#include "cpiotree.h"
#include "home.h"
#include "io.h"
#include "ipxe.h"
#include "kconfig.h"
#include "kernel.h"
#include "kernelbuild.h"
#include "kernelmap.h"
#include "kernelsrc.h"
#include "modset.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { IMAGE_MAX = 256 << 20, CONFIG_MAX = 4 << 20,
       MEMBER_MAX = 1 << 30 };

/* One addition under way: folders src, tree and out below kernels/.new-X. */
struct work {
	const struct home *home;
	const struct kerneladd *a;
	struct kerneladd_said *said;
	char dir[SCRATCH_NAME]; /* below the home */
	int mark;		/* it is in use */
	char *src, *tree;	/* absolute */
	int out;		/* becomes kernels/NAME */
	struct kernelsrc from;
	struct buf image, config, modules, map;
};

/* What is not known is NULL, not "". */
static int dup_to(char **to, const char *s, struct err *e)
{
	bool known = s && *s;

	free(*to);
	*to = known ? strdup(s) : NULL;
	return known && !*to ? err_set(e, ERR_LIMIT, "out of memory") : 0;
}

static void work_free(struct work *w)
{
	struct err ignored;

	io_close(&w->out);
	if (*w->dir && io_remove_tree(w->home->fd, w->dir, &ignored))
		fprintf(stderr, "ironrig kernel: left behind: %s/%s\n",
			w->home->path, w->dir);
	io_close(&w->mark);
	free(w->src);
	free(w->tree);
	kernelsrc_free(&w->from);
	buf_free(&w->image);
	buf_free(&w->config);
	buf_free(&w->modules);
	buf_free(&w->map);
}

static int work_open(struct work *w, struct err *e)
{
	char path[SCRATCH_NAME + 8];
	static const char *const sub[] = { "src", "tree", "out" };

	w->mark = scratch_make(w->home->fd, "kernels", w->dir, e);
	if (w->mark < 0)
		return -1;
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", w->dir, sub[i]);
		if (io_mkdir_p(w->home->fd, path, 0750, e))
			return -1;
	}
	w->out = openat(w->home->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->out < 0)
		return err_sys(e, "%s", path);
	if (asprintf(&w->src, "%s/%s/src", w->home->path, w->dir) < 0 ||
	    asprintf(&w->tree, "%s/%s/tree", w->home->path, w->dir) < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	return 0;
}

/* ---- the parts --------------------------------------------------------------- */

static int hash(const struct buf *b, char out[SHA256_HEX], struct err *e)
{
	struct sha256 *s = sha256_new();

	if (!s)
		return err_set(e, ERR_LIMIT, "out of memory");
	sha256_add(s, b->data, b->len);
	sha256_hex(s, out);
	sha256_free(s);
	return 0;
}

/* Release, version, build-id from the image; its hash. */
static int read_image(struct work *w, struct err *e)
{
	struct conf_kernel *k = &w->said->k;
	char hex[SHA256_HEX] = "";
	struct bzimage z;

	if (io_read_file(AT_FDCWD, w->from.image, &w->image, IMAGE_MAX, e))
		return -1;
	if (bzimage_read(w->image.data, w->image.len, &z, e))
		return err_prefix(e, "%s", w->from.image);
	if (hash(&w->image, hex, e) || dup_to(&k->release, z.release, e) ||
	    dup_to(&k->version, z.version, e) ||
	    dup_to(&k->build_id, z.build_id, e) ||
	    dup_to(&k->image_sha256, hex, e))
		return -1;
	return 0;
}

static int read_config(struct work *w, struct err *e)
{
	struct conf_kernel *k = &w->said->k;
	char text[200];
	size_t n;

	if (!w->from.config)
		return 0;
	if (io_read_file(AT_FDCWD, w->from.config, &w->config, CONFIG_MAX, e))
		return -1;
	if (w->a->like) /* it was checked when that one came */
		return 0;
	if (kconfig_check(w->config.data, &w->said->need, &w->said->want, e))
		return -1;
	kconfig_get(w->config.data, w->a->gzip ? "RD_GZIP" : "RD_LZ4", text,
		    sizeof(text));
	if (strcmp(text, "y") != 0 &&
	    strlist_add(&w->said->need,
			w->a->gzip ? "CONFIG_RD_GZIP=y (unpacks the image)" :
				     "CONFIG_RD_LZ4=y (unpacks the image; or "
				     "--gzip)",
			e))
		return -1;
	kconfig_get(w->config.data, "CC_VERSION_TEXT", text, sizeof(text));
	n = strlen(text);
	if (n > 2 && text[0] == '"') {
		text[n - 1] = '\0';
		return dup_to(&k->compiler, text + 1, e);
	}
	return 0;
}

/* The member "modules"; one without modules has its manifest alone. */
static int pack_modules(struct work *w, struct err *e)
{
	struct strlist want = { 0 };
	struct modset m = { .base = w->from.base,
			    .release = w->said->k.release,
			    .firmware = w->a->firmware,
			    .all = w->a->all_modules,
			    .want = &want };
	struct cpio *c = cpio_new("modules", e);
	struct cpio_made made;
	int fd = -1, rc = c ? 0 : -1;

	if (!rc && w->from.base) {
		rc = modset_want(&w->a->extra, &want, e);
		if (!rc)
			rc = modset_stage(&m, w->tree, e);
	}
	if (!rc) {
		fd = open(w->tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		rc = fd < 0 ? err_sys(e, "%s", w->tree) :
			      cpiotree_add(c, "", fd, e);
		io_close(&fd);
	}
	if (!rc)
		rc = cpio_pack(c, w->a->gzip ? CPIO_GZIP : CPIO_LZ4,
			       &w->modules, &made, e);
	if (!rc)
		rc = dup_to(&w->said->k.modules_sha256, made.manifest_sha256,
			    e);
	w->said->modules = m.count;
	w->said->absent = m.absent;
	w->said->firmware = m.missing;
	strlist_free(&want);
	cpio_free(c);
	return rc;
}

/* Image, modules and files of a registered kernel, taken over. */
static int take_like(struct work *w, struct err *e)
{
	struct conf_kernel other = { 0 }, *k = &w->said->k;
	struct buf path = { 0 }, tail = { 0 };
	char hex[SHA256_HEX];
	int rc = kernel_load(w->home, w->a->like, &other, e);

	if (rc)
		return -1;
	buf_printf(&path, "%s/kernels/%s/", w->home->path, w->a->like);
	if (asprintf(&w->from.image, "%svmlinuz", buf_str(&path)) < 0 ||
	    (other.config &&
	     asprintf(&w->from.config, "%sconfig", buf_str(&path)) < 0) ||
	    (other.system_map &&
	     asprintf(&w->from.system_map, "%sSystem.map",
		      buf_str(&path)) < 0))
		rc = err_set(e, ERR_LIMIT, "out of memory");
	buf_puts(&path, "modules.cpio");
	if (!rc)
		rc = buf_ok(&path, e);
	if (!rc)
		rc = io_read_file(AT_FDCWD, path.data, &w->modules,
				  MEMBER_MAX, e);
	/* behind the modules stands the other's "kernel": as it was made */
	if (!rc)
		rc = kernel_member(&other, &tail, hex, e);
	if (!rc && (tail.len > w->modules.len ||
		    memcmp(w->modules.data + w->modules.len - tail.len,
			   tail.data, tail.len) != 0))
		rc = err_set(e, ERR_FORMAT, "%s: does not end as its "
					    "kernel.cfg says",
			     path.data);
	if (!rc)
		w->modules.len -= tail.len;
	if (!rc && !w->a->append)
		rc = dup_to(&k->append, other.append, e);
	if (rc || dup_to(&k->modules_sha256, other.modules_sha256, e) ||
	    dup_to(&k->commit, other.commit, e) ||
	    dup_to(&k->title, other.title, e) ||
	    dup_to(&k->compiler, other.compiler, e) ||
	    dup_to(&w->from.origin, other.origin, e))
		rc = -1;
	buf_free(&path);
	buf_free(&tail);
	conf_kernel_free(&other);
	return rc;
}

static int get_source(struct work *w, struct err *e)
{
	const struct kerneladd *a = w->a;
	int rc;

	if (a->like)
		return take_like(w, e);
	if (a->deb)
		rc = kernelsrc_deb(a->deb, w->src, &w->from, e);
	else if (a->build)
		rc = kernelsrc_build(a->build, w->src, &w->from, e);
	else
		rc = kernelsrc_files(a->vmlinuz, a->modules, a->config,
				     &w->from, e);
	if (!rc)
		rc = dup_to(&w->said->k.commit, w->from.commit, e);
	return rc ? rc : dup_to(&w->said->k.title, w->from.title, e);
}

static int identify(struct work *w, struct err *e)
{
	struct conf_kernel *k = &w->said->k;
	char id[SHA256_HEX] = "";

	if (w->a->append && dup_to(&k->append, w->a->append, e))
		return -1;
	if (kernel_id(k->image_sha256, k->modules_sha256, k->append, id, e) ||
	    dup_to(&k->id, id, e) || dup_to(&k->name, w->a->name, e) ||
	    dup_to(&k->origin, w->from.origin, e))
		return -1;
	k->config = w->from.config;
	k->system_map = w->map.len;
	k->added = (int64_t)time(NULL);
	return 0;
}

/* ---- into the registry --------------------------------------------------------- */

/* 1: the same kernel is there already; -1 with ERR_CONFLICT: another. */
static int is_there(struct work *w, struct err *e)
{
	struct conf_kernel old = { 0 };
	const char *id = w->said->k.id;
	char gone[KERNEL_PATH];
	int rc = kernel_load(w->home, w->a->name, &old, e);
	bool here = !rc, same;

	kernel_gone_path(w->a->name, gone);
	if (rc && e->kind != ERR_NOTFOUND)
		return -1;
	if (rc && faccessat(w->home->fd, gone, F_OK, 0))
		return 0;
	if (rc && conf_kernel_load(w->home->fd, gone, &old, NULL, e))
		return -1;
	same = old.id && id && !strcmp(old.id, id);
	if (!same)
		err_set(e, ERR_CONFLICT,
			"the name %s %s another kernel (id %.12s, this one "
			"%.12s); results carry it: take a new name",
			w->a->name, here ? "is" : "was", old.id, id);
	conf_kernel_free(&old);
	return same ? here : -1;
}

static int put(struct work *w, const char *name, const struct buf *b,
	       struct err *e)
{
	return io_replace_file(w->out, name, buf_str(b), b->len, 0640, e);
}

static int write_out(struct work *w, struct err *e)
{
	struct buf cfg = { 0 };
	char hex[SHA256_HEX];
	int rc;

	rc = kernel_member(&w->said->k, &w->modules, hex, e);
	w->said->modules_bytes = w->modules.len;
	if (!rc)
		rc = put(w, "vmlinuz", &w->image, e);
	if (!rc)
		rc = put(w, "modules.cpio", &w->modules, e);
	if (!rc && w->from.config)
		rc = put(w, "config", &w->config, e);
	if (!rc && w->map.len)
		rc = put(w, "System.map", &w->map, e);
	if (!rc)
		rc = conf_kernel_write(&w->said->k, &cfg, e);
	if (!rc)
		rc = put(w, "kernel.cfg", &cfg, e);
	buf_free(&cfg);
	return rc;
}

static int install(struct work *w, struct err *e)
{
	char from[KERNEL_PATH + 8], to[KERNEL_PATH];

	snprintf(from, sizeof(from), "%s/out", w->dir);
	snprintf(to, sizeof(to), "kernels/%s", w->a->name);
	if (w->a->build_of &&
	    (kernelbuild_check(w->home, &w->said->k, w->a->build_of, e) ||
	     dup_to(&w->said->k.build_of, w->a->build_of, e)))
		return -1;
	if (write_out(w, e))
		return -1;
	if (renameat(w->home->fd, from, w->home->fd, to))
		return err_sys(e, "%s", to);
	if (io_fsync_parent(w->home->fd, to, e))
		return -1;
	kernel_gone_path(w->a->name, to);
	if (unlinkat(w->home->fd, to, 0) && errno != ENOENT)
		return err_sys(e, "%s", to);
	return 0;
}

/* What may be told of one that is there. */
static int add_to(struct work *w, struct err *e)
{
	const struct kerneladd *a = w->a;

	if (a->build_of &&
	    kernelbuild_keep(w->home, a->name, a->build_of, e))
		return -1;
	return a->system_map ?
		       kernelmap_keep(w->home, a->name, &w->map, e) :
		       0;
}

static int run(struct work *w, struct err *e)
{
	int there;

	if (work_open(w, e) || get_source(w, e) || read_image(w, e) ||
	    read_config(w, e) ||
	    kernelmap_read(w->a->system_map, w->from.system_map,
			   w->said->k.release, &w->map, e))
		return -1;
	if (w->said->need.n && !w->a->force)
		return err_set(e, ERR_UNSUPPORTED, "it lacks what a box needs "
						   "(--force adds it anyway)");
	if ((!w->a->like && pack_modules(w, e)) || identify(w, e))
		return -1;
	there = is_there(w, e);
	if (there < 0)
		return -1;
	w->said->unchanged = there;
	w->said->modules_bytes = w->modules.len;
	return there ? add_to(w, e) : install(w, e);
}

int kerneladd_run(const struct home *home, const struct kerneladd *a,
		  struct kerneladd_said *said, struct err *e)
{
	struct work w = {
		.home = home, .a = a, .said = said, .out = -1, .mark = -1
	};
	int rc;

	*said = (struct kerneladd_said){ .unchanged = false };
	if (!conf_name_ok(a->name))
		return err_set(e, ERR_INPUT,
			       "\"%s\": a name has letters, digits and ._+-, "
			       "up to 64",
			       a->name);
	if (ipxe_check_words("--append", a->append, e))
		return -1;
	rc = run(&w, e);
	work_free(&w);
	return rc ? err_prefix(e, "kernel %s", a->name) : 0;
}

void kerneladd_said_free(struct kerneladd_said *said)
{
	conf_kernel_free(&said->k);
	strlist_free(&said->absent);
	strlist_free(&said->firmware);
	strlist_free(&said->need);
	strlist_free(&said->want);
}
