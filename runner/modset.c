// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Lays out one kernel's modules for an image: asks depmod(8) what depends on
 * what, copies what was chosen without its compression (the member is
 * compressed as a whole, and busybox's modprobe reads no .ko.zst), and runs
 * depmod again over the copy.
 */
#include "modset.h"

#include "home.h"
#include "image.h"
#include "io.h"
#include "moddep.h"
#include "spawn.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODULE_MAX = 256 << 20, LIST_MAX = 64 << 20 };

int modset_want(const struct strlist *extra, struct strlist *want,
		struct err *e)
{
	struct buf b = { 0 };
	char *path = NULL, *save;
	int rc = -1;

	if (home_shared("initramfs/modules", &path, e) ||
	    io_read_file(AT_FDCWD, path, &b, LIST_MAX, e))
		goto out;
	rc = 0;
	for (char *s = strtok_r(b.data, "\n", &save); s && !rc;
	     s = strtok_r(NULL, "\n", &save))
		if (*s != '#')
			rc = strlist_add(want, s, e);
	for (size_t i = 0; extra && i < extra->n && !rc; i++)
		rc = strlist_add(want, extra->v[i], e);
out:
	buf_free(&b);
	free(path);
	return rc;
}

void modset_free(struct modset *m)
{
	strlist_free(&m->absent);
	strlist_free(&m->missing);
}

/* ---- reading --------------------------------------------------------------- */

/* How a module or firmware file may be compressed, by the end of its name. */
static const struct {
	const char *suffix, *tool;
} packing[] = {
	{ ".xz", "xz" },
	{ ".zst", "zstd" },
	{ ".gz", "gzip" },
};

/* A file, without its compression. */
static int read_plain(int dirfd, const char *path, struct buf *out,
		      struct err *e)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(packing) / sizeof(*packing); i++) {
		const char *const argv[] = { packing[i].tool, "-dc", NULL };
		size_t s = strlen(packing[i].suffix);
		struct buf raw = { 0 };
		int rc;

		if (n <= s || strcmp(path + n - s, packing[i].suffix) != 0)
			continue;
		rc = io_read_file(dirfd, path, &raw, MODULE_MAX, e);
		if (!rc)
			rc = spawn_filter(argv, raw.data, raw.len, out,
					  MODULE_MAX, e);
		buf_free(&raw);
		return rc ? err_prefix(e, "%s", path) : 0;
	}
	return io_read_file(dirfd, path, out, MODULE_MAX, e);
}

static int write_file(int dirfd, const char *path, const struct buf *b,
		      struct err *e)
{
	char *dir = strdup(path);
	int fd, rc;

	if (!dir)
		return err_set(e, ERR_LIMIT, "out of memory");
	*strrchr(dir, '/') = '\0';
	rc = io_mkdir_p(dirfd, dir, 0755, e);
	free(dir);
	if (rc)
		return -1;
	fd = openat(dirfd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		    0644);
	if (fd < 0)
		return err_sys(e, "%s", path);
	rc = io_write_all(fd, b->data, b->len, e);
	close(fd);
	return rc ? err_prefix(e, "%s", path) : 0;
}

/* ---- firmware --------------------------------------------------------------- */

/* DIR/NAME or DIR/NAME.xz, … to lib/firmware/NAME; 1 when there is none. */
static int copy_firmware(int from, int to, const char *name, struct err *e)
{
	const size_t n = sizeof(packing) / sizeof(*packing);
	struct buf path = { 0 }, b = { 0 };
	int rc = 1;

	for (size_t i = 0; i <= n && rc == 1; i++) {
		buf_reset(&path);
		buf_printf(&path, "%s%s", name,
			   i < n ? packing[i].suffix : "");
		if (faccessat(from, buf_str(&path), R_OK, 0))
			continue;
		rc = read_plain(from, path.data, &b, e);
	}
	if (!rc) {
		buf_reset(&path);
		buf_printf(&path, "lib/firmware/%s", name);
		rc = buf_ok(&path, e);
		if (!rc)
			rc = write_file(to, path.data, &b, e);
	}
	buf_free(&path);
	buf_free(&b);
	return rc;
}

/* A module's own list: "firmware=NAME" among the strings of .modinfo. */
static int take_firmware(struct modset *m, const char *module,
			 const struct buf *ko, int from, int to,
			 struct err *e)
{
	static const char key[] = "\0firmware=";
	const size_t klen = sizeof(key) - 1;
	const char *p = buf_str(ko), *end = p + ko->len;

	while ((p = memmem(p, (size_t)(end - p), key, klen))) {
		char line[512];
		int rc = 1;

		p += klen;
		/* the buffer ends in NUL; a path that climbs is no name */
		if (*p == '/' || strstr(p, ".."))
			continue;
		if (from >= 0)
			rc = copy_firmware(from, to, p, e);
		if (rc < 0)
			return -1;
		snprintf(line, sizeof(line), "%s %s", module, p);
		if (rc && !strlist_has(&m->missing, line) &&
		    strlist_add(&m->missing, line, e))
			return -1;
	}
	return 0;
}

static int write_missing(const struct modset *m, int to, struct err *e)
{
	struct buf b = { 0 };
	int rc;

	if (!m->missing.n)
		return 0;
	for (size_t i = 0; i < m->missing.n; i++)
		buf_printf(&b, "%s\n", m->missing.v[i]);
	rc = buf_ok(&b, e);
	if (!rc)
		rc = write_file(to, IMAGE_FIRMWARE_MISSING, &b, e);
	buf_free(&b);
	return rc;
}

/* ---- staging --------------------------------------------------------------- */

struct dirs {
	int from;     /* BASE/lib/modules/RELEASE */
	int to;	      /* the tree being made */
	int firmware; /* -1: none */
	char *modules; /* "lib/modules/RELEASE" */
};

/*
 * depmod over the modules of base: with show it prints what it would write
 * (kmod 30 has no option to write elsewhere, and base is not ours).
 */
static int depmod(const char *base, const char *release, struct buf *show,
		  struct err *e)
{
	/* not on an ordinary user's PATH in Debian */
	const char *tool = access("/sbin/depmod", X_OK) ? "depmod" :
							  "/sbin/depmod";
	const char *const argv[] = { tool, show ? "-nb" : "-b", base, release,
				     NULL };
	struct buf said = { 0 };
	int rc;

	/* it warns of every list that a small kernel does not have */
	if (show)
		return spawn_filter(argv, "", 0, show, LIST_MAX, e);
	rc = spawn_capture(argv, true, &said, LIST_MAX, e);
	if (rc && said.len)
		err_prefix(e, "%.*s", (int)strcspn(said.data, "\n"),
			   said.data);
	buf_free(&said);
	return rc;
}

/* One chosen module; its place keeps its name, less the compression. */
static int stage_module(struct modset *m, const struct dirs *d,
			const struct moddep_module *mod, struct err *e)
{
	struct buf ko = { 0 }, path = { 0 };
	const char *end = strstr(mod->path, ".ko");
	size_t n = end ? (size_t)(end - mod->path) : strlen(mod->path);
	int rc;

	buf_printf(&path, "%s/%.*s.ko", d->modules, (int)n, mod->path);
	rc = buf_ok(&path, e);
	if (!rc)
		rc = read_plain(d->from, mod->path, &ko, e);
	if (!rc)
		rc = write_file(d->to, path.data, &ko, e);
	if (!rc)
		rc = take_firmware(m, mod->name, &ko, d->firmware, d->to, e);
	m->count++;
	buf_free(&ko);
	buf_free(&path);
	return rc;
}

/* What depmod reads besides the modules. */
static int stage_lists(const struct dirs *d, struct err *e)
{
	static const char *const list[] = { "modules.order", "modules.builtin",
					    "modules.builtin.modinfo" };

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		struct buf b = { 0 }, path = { 0 };
		int rc = 0;

		if (!faccessat(d->from, list[i], R_OK, 0)) {
			buf_printf(&path, "%s/%s", d->modules, list[i]);
			rc = buf_ok(&path, e);
			if (!rc)
				rc = io_read_file(d->from, list[i], &b,
						  LIST_MAX, e);
			if (!rc)
				rc = write_file(d->to, path.data, &b, e);
		}
		buf_free(&b);
		buf_free(&path);
		if (rc)
			return -1;
	}
	return 0;
}

static int choose(struct modset *m, struct moddep *dep, struct err *e)
{
	if (m->all)
		moddep_choose_all(dep);
	for (size_t i = 0; i < m->want->n; i++) {
		int rc = moddep_choose(dep, m->want->v[i], e);

		if (rc < 0 ||
		    (rc == 0 && !moddep_builtin(dep, m->want->v[i]) &&
		     strlist_add(&m->absent, m->want->v[i], e)))
			return -1;
	}
	return 0;
}

/* The .bin twins serve kmod, which the image does not have. */
static void drop_bin(int modules)
{
	static const char *const bin[] = {
		"modules.dep.bin", "modules.alias.bin", "modules.symbols.bin",
		"modules.builtin.bin", "modules.builtin.alias.bin",
		"modules.devname",
	};

	for (size_t i = 0; i < sizeof(bin) / sizeof(*bin); i++)
		unlinkat(modules, bin[i], 0);
}

/* Which modules there are and what they need. */
static int read_deps(const struct modset *m, const struct dirs *d,
		     struct moddep *dep, struct err *e)
{
	struct buf text = { 0 }, builtin = { 0 };
	int rc = depmod(m->base, m->release, &text, e);

	if (!rc && !faccessat(d->from, "modules.builtin", R_OK, 0))
		rc = io_read_file(d->from, "modules.builtin", &builtin,
				  LIST_MAX, e);
	/* a kernel of this release whose every driver is built in */
	if (!rc && !text.data)
		buf_puts(&text, "");
	if (!rc)
		rc = buf_ok(&text, e);
	if (!rc)
		rc = moddep_parse(text.data, buf_str(&builtin), dep, e);
	buf_free(&text);
	buf_free(&builtin);
	return rc;
}

static int stage(struct modset *m, const struct dirs *d, const char *to,
		 struct err *e)
{
	struct moddep dep = { .n = 0 };
	int fd, rc;

	if (io_mkdir_p(d->to, d->modules, 0755, e) ||
	    read_deps(m, d, &dep, e))
		return -1;
	rc = stage_lists(d, e);
	if (!rc)
		rc = choose(m, &dep, e);
	for (size_t i = 0; i < dep.n && !rc; i++)
		if (dep.v[i].chosen)
			rc = stage_module(m, d, &dep.v[i], e);
	moddep_free(&dep);
	if (!rc)
		rc = write_missing(m, d->to, e);
	if (!rc)
		rc = depmod(to, m->release, NULL, e);
	if (rc)
		return -1;
	fd = openat(d->to, d->modules, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "%s", d->modules);
	drop_bin(fd);
	close(fd);
	return 0;
}

int modset_stage(struct modset *m, const char *to, struct err *e)
{
	struct dirs d = { .from = -1, .to = -1, .firmware = -1 };
	char *from = NULL;
	int rc = -1;

	if (asprintf(&d.modules, "lib/modules/%s", m->release) < 0 ||
	    asprintf(&from, "%s/%s", m->base, d.modules) < 0) {
		err_set(e, ERR_LIMIT, "out of memory");
		goto out;
	}
	d.from = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d.from < 0) {
		err_set(e, ERR_NOTFOUND, "no modules of release %s: %s",
			m->release, from);
		goto out;
	}
	d.to = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d.to < 0) {
		err_sys(e, "%s", to);
		goto out;
	}
	if (m->firmware) {
		d.firmware = open(m->firmware,
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (d.firmware < 0) {
			err_sys(e, "firmware %s", m->firmware);
			goto out;
		}
	}
	rc = stage(m, &d, to, e);
out:
	io_close(&d.from);
	io_close(&d.to);
	io_close(&d.firmware);
	free(d.modules);
	free(from);
	return rc;
}
