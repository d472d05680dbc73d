// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The registry of kernels: identity, lookup, removal. How a kernel gets into
 * it stands in kerneladd.c, how a box comes to boot it in ipxe.c.
 */
#include "kernel.h"

#include "cpio.h"
#include "home.h"
#include "image.h"
#include "io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int kernel_id(const char *image_sha256, const char *modules_sha256,
	      const char *append, char out[SHA256_HEX], struct err *e)
{
	struct sha256 *s = sha256_new();
	struct buf b = { 0 };
	int rc;

	buf_printf(&b, "image %s\nmodules %s\nappend %s\n", image_sha256,
		   modules_sha256, append ? append : "");
	rc = buf_ok(&b, e);
	if (!rc && !s)
		rc = err_set(e, ERR_LIMIT, "out of memory");
	if (!rc) {
		sha256_add(s, b.data, b.len);
		sha256_hex(s, out);
	}
	sha256_free(s);
	buf_free(&b);
	return rc;
}

int kernel_load(const struct home *home, const char *name,
		struct conf_kernel *k, struct err *e)
{
	struct buf path = { 0 };
	int rc;

	if (!conf_name_ok(name))
		return err_set(e, ERR_INPUT, "\"%s\" is no kernel's name",
			       name);
	buf_printf(&path, "kernels/%s/kernel.cfg", name);
	rc = buf_ok(&path, e);
	if (!rc && faccessat(home->fd, path.data, F_OK, 0))
		rc = err_set(e, ERR_NOTFOUND,
			     "no kernel \"%s\" (`ironrig kernel ls' lists "
			     "them, `ironrig kernel add' adds one)",
			     name);
	if (!rc)
		rc = conf_kernel_load(home->fd, path.data, k, NULL, e);
	buf_free(&path);
	return rc;
}

int kernel_rewrite(const struct home *home, const char *name,
		   const struct conf_kernel *k, struct err *e)
{
	struct buf cfg = { 0 };
	char path[KERNEL_PATH];
	int rc = conf_kernel_write(k, &cfg, e);

	snprintf(path, sizeof(path), "kernels/%.64s/kernel.cfg", name);
	if (!rc)
		rc = io_replace_file(home->fd, path, cfg.data, cfg.len, 0640,
				     e);
	buf_free(&cfg);
	return rc;
}

int kernel_word(const struct home *home, const char *name, struct buf *out,
		struct err *e)
{
	struct conf_kernel k = { 0 };

	if (kernel_load(home, name, &k, e))
		return -1;
	buf_printf(out, "%s:%s", name, k.id);
	conf_kernel_free(&k);
	return buf_ok(out, e);
}

int kernel_list(const struct home *home, struct strlist *names, struct err *e)
{
	int rc = 0, fd = openat(home->fd, "kernels",
				O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	if (!dir) {
		io_close(&fd);
		return err_sys(e, "kernels");
	}
	while (!rc && (d = readdir(dir))) {
		char path[NAME_MAX + sizeof("/kernel.cfg")];

		snprintf(path, sizeof(path), "%s/kernel.cfg", d->d_name);
		if (conf_name_ok(d->d_name) && !faccessat(fd, path, F_OK, 0))
			rc = strlist_add(names, d->d_name, e);
	}
	closedir(dir);
	strlist_sort(names);
	return rc;
}

int kernel_member(const struct conf_kernel *k, struct buf *out,
		  char sha256[SHA256_HEX], struct err *e)
{
	struct cpio *c = cpio_new("kernel", e);
	struct cpio_made made;
	struct buf text = { 0 };
	int rc = -1;

	buf_printf(&text, "%s:%s\n%s\n%s\n%s\n", k->name, k->id, k->release,
		   k->version && *k->version ? k->version : "-",
		   k->build_id && *k->build_id ? k->build_id : "-");
	if (c && !cpio_take(c, IMAGE_KERNEL_FILE, 0644, &text, e))
		rc = cpio_pack(c, CPIO_PLAIN, out, &made, e);
	if (!rc)
		memcpy(sha256, made.manifest_sha256, SHA256_HEX);
	buf_free(&text);
	cpio_free(c);
	return rc;
}

int kernel_member_sha(const struct conf_kernel *k, char out[SHA256_HEX],
		      struct err *e)
{
	struct buf b = { 0 };
	int rc = kernel_member(k, &b, out, e);

	buf_free(&b);
	return rc;
}

void kernel_gone_path(const char *name, char out[KERNEL_PATH])
{
	snprintf(out, KERNEL_PATH, "kernels/" KERNEL_GONE "%s.cfg", name);
}

int kernel_remove(const struct home *home, const char *name, struct err *e)
{
	char from[KERNEL_PATH], to[KERNEL_PATH];
	struct conf_kernel k = { 0 };

	if (kernel_load(home, name, &k, e))
		return -1;
	conf_kernel_free(&k);
	snprintf(from, sizeof(from), "kernels/%s/kernel.cfg", name);
	kernel_gone_path(name, to);
	if (renameat(home->fd, from, home->fd, to))
		return err_sys(e, "%s", from);
	snprintf(from, sizeof(from), "kernels/%s", name);
	if (io_remove_tree(home->fd, from, e))
		return -1;
	snprintf(from, sizeof(from), "boot/kernels/%s", name);
	return io_remove_tree(home->fd, from, e);
}
