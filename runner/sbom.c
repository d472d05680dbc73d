// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The bill of materials of the images: who wants to know whether an OpenSSL
 * with a hole in it boots in his lab asks this file.
 */
#include "sbom.h"

#include "bootdir.h"
#include "home.h"
#include "io.h"
#include "kernel.h"
#include "spawn.h"
#include "version.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { LIST_MAX = 1 << 20 };

/* Statically linked into the agent (AGENT_LIBS in the Makefile), and busybox */
static const char *const linked[] = {
	"libc6-dev",	 "libconfig-dev", "liblz4-dev", "libssh2-1-dev",
	"libssl-dev",	 "zlib1g-dev",	  "busybox-static",
};

/* SPDX identifiers have letters, digits, '.' and '-'. */
static void put_id(struct buf *out, const char *name)
{
	for (; *name; name++) {
		bool fits = strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "abcdefghijklmnopqrstuvwxyz0123456789.-",
				   *name);

		buf_add(out, fits ? name : "-", 1);
	}
}

static void put_package(struct buf *out, const char *kind, const char *name,
			const char *version)
{
	buf_printf(out, "\nPackageName: %s\nSPDXID: SPDXRef-%s-", name, kind);
	put_id(out, name);
	buf_printf(out, "\nPackageVersion: %s\n"
			"PackageDownloadLocation: NOASSERTION\n"
			"FilesAnalyzed: false\n"
			"Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-%s-",
		   version && *version ? version : "NOASSERTION", kind);
	put_id(out, name);
	buf_puts(out, "\n");
}

static int put_linked(struct buf *out, struct err *e)
{
	for (size_t i = 0; i < sizeof(linked) / sizeof(*linked); i++) {
		const char *const argv[] = { "dpkg-query", "-W", "-f",
					     "${Version}", linked[i], NULL };
		struct err none = ERR_INIT;
		struct buf version = { 0 };

		if (spawn_filter(argv, "", 0, &version, LIST_MAX, &none))
			buf_reset(&version);
		put_package(out, "Package", linked[i], buf_str(&version));
		buf_free(&version);
	}
	return buf_ok(out, e);
}

static int put_kernels(const struct home *home, struct buf *out,
		       struct err *e)
{
	struct strlist names = { 0 };
	int rc = kernel_list(home, &names, e);

	for (size_t i = 0; i < names.n && !rc; i++) {
		struct conf_kernel k = { 0 };

		rc = kernel_load(home, names.v[i], &k, e);
		if (rc)
			break;
		put_package(out, "Kernel", k.name, k.release);
		buf_printf(out, "PackageComment: <text>%s; %s; id %s</text>\n",
			   k.version ? k.version : "",
			   k.origin ? k.origin : "", k.id);
		conf_kernel_free(&k);
	}
	strlist_free(&names);
	return rc ? rc : buf_ok(out, e);
}

/* bundles/NAME.packages: "PACKAGE VERSION" lines, written with the bundle. */
static int put_bundle(int dirfd, const char *file, struct buf *out,
		      struct err *e)
{
	struct buf b = { 0 };
	char *save;
	int rc = io_read_file(dirfd, file, &b, LIST_MAX, e);

	for (char *s = rc || !b.len ? NULL : strtok_r(b.data, "\n", &save); s;
	     s = strtok_r(NULL, "\n", &save)) {
		char *blank = strchr(s, ' '), name[160];

		if (!blank)
			continue;
		*blank = '\0';
		snprintf(name, sizeof(name), "%.*s.%s",
			 (int)strcspn(file, "."), file, s);
		put_package(out, "Bundle", name, blank + 1);
	}
	buf_free(&b);
	return rc;
}

static int put_bundles(const struct home *home, struct buf *out,
		       struct err *e)
{
	static const char suffix[] = ".packages";
	int rc = 0, fd = openat(home->fd, "bundles",
				O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct strlist files = { 0 };
	struct dirent *d;

	if (!dir) {
		io_close(&fd);
		return err_sys(e, "bundles");
	}
	while (!rc && (d = readdir(dir))) {
		const char *dot = strchr(d->d_name, '.');

		if (dot && dot != d->d_name && !strcmp(dot, suffix))
			rc = strlist_add(&files, d->d_name, e);
	}
	strlist_sort(&files);
	for (size_t i = 0; i < files.n && !rc; i++)
		rc = put_bundle(fd, files.v[i], out, e);
	strlist_free(&files);
	closedir(dir);
	return rc ? rc : buf_ok(out, e);
}

int sbom_write(const struct home *home, struct buf *out, struct err *e)
{
	struct bootdir boot = { .fd = -1 };
	char sha[SHA256_HEX] = "", when[32];
	struct stat st;
	int rc = -1;

	if (bootdir_open(home, &boot, e) ||
	    bootdir_sha_read(boot.fd, "base.cpio", sha, e))
		goto out;
	if (fstatat(boot.fd, "base.cpio", &st, 0)) {
		err_sys(e, "base.cpio");
		goto out;
	}
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ",
		 gmtime(&st.st_mtime));
	buf_printf(out,
		   "SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0\n"
		   "SPDXID: SPDXRef-DOCUMENT\nDocumentName: ironrig-image\n"
		   "DocumentNamespace: urn:ironrig:image:%s\n"
		   "Creator: Tool: ironrig-%s\nCreated: %s\n",
		   sha, IRONRIG_VERSION, when);
	put_package(out, "Package", "ironrig-agent", IRONRIG_VERSION);
	if (put_linked(out, e) || put_kernels(home, out, e) ||
	    put_bundles(home, out, e))
		goto out;
	rc = 0;
out:
	bootdir_close(&boot);
	return rc ? err_prefix(e, "sbom") : 0;
}
