// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * `ironrig image base|overlay|bundle|list|sbom`: the members of an image that
 * are not a kernel's (those come with `ironrig kernel add`).
 */
#include "bootdir.h"
#include "bundlemake.h"
#include "cmd.h"
#include "conf.h"
#include "home.h"
#include "imgbase.h"
#include "ipxe.h"
#include "kernel.h"
#include "overlay.h"
#include "sbom.h"

#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
"usage: ironrig image base [--agent FILE] [--busybox FILE] [--gzip]\n"
"       ironrig image bundle NAME [--file FILE | --from DIR] [--gzip]\n"
"       ironrig image overlay BOX\n"
"       ironrig image list\n"
"       ironrig image sbom\n"
"\n"
"An image is base + modules of one kernel + one box's overlay + bundles; a\n"
"box loads them one behind the other.\n"
"\n"
"  base      the agent and busybox, the same for every box and kernel\n"
"  bundle    a workload's programs with their shared libraries, from Debian\n"
"            packages (downloaded, not installed) or from a folder\n"
"  overlay   a box's host file, key and the controller's host key (`ironrig\n"
"            enroll' makes it, too)\n"
"  list      every member, its bytes and the hash of its manifest\n"
"  sbom      what is in them, as an SPDX document\n"
"\n"
"  --agent FILE, --busybox FILE   other static programs than the installed\n"
"  --file FILE   what a bundle is made of (initramfs/bundles/NAME)\n"
"  --from DIR    a folder laid out like /, as a bundle\n"
"  --gzip    pack with gzip instead of LZ4: for kernels before 5.14 or\n"
"            without CONFIG_RD_LZ4\n"
"\n"
"Modules are packed by `ironrig kernel add'.\n";

enum {
	OPT_FIRST = 256,
	OPT_AGENT = OPT_FIRST,
	OPT_BUSYBOX,
	OPT_FILE,
	OPT_FROM,
	OPT_GZIP,
};

static const struct option options[] = {
	{ "agent", required_argument, NULL, OPT_AGENT },
	{ "busybox", required_argument, NULL, OPT_BUSYBOX },
	{ "gzip", no_argument, NULL, OPT_GZIP },
	{ "file", required_argument, NULL, OPT_FILE },
	{ "from", required_argument, NULL, OPT_FROM },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* The options of argv[0] into the slots it has. -1: go on, else the status. */
static int parse(int argc, char **argv, const char **const *slot, bool *gzip)
{
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'h') {
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		}
		if (c == OPT_GZIP)
			*gzip = true;
		else if (c >= OPT_FIRST && slot[c - OPT_FIRST])
			*slot[c - OPT_FIRST] = optarg;
		else
			return cmd_usage("image", "%s: bad option", argv[0]);
	}
	return -1;
}

static int base(const struct home *home, int argc, char **argv)
{
	struct imgbase b = { .agent = NULL };
	const char **slot[] = { [OPT_AGENT - OPT_FIRST] = &b.agent,
				[OPT_BUSYBOX - OPT_FIRST] = &b.busybox,
				[OPT_FROM - OPT_FIRST] = NULL };
	struct cpio_made made;
	struct err e = ERR_INIT;
	int rc;

	rc = parse(argc, argv, slot, &b.gzip);
	if (rc >= 0)
		return rc;
	if (optind != argc)
		return cmd_usage("image", "base takes no argument");
	if (imgbase_build(home, &b, &made, &e))
		return cmd_fail("image", &e);
	printf("base: %zu files, %zu bytes, packed %zu\nmanifest %s\n",
	       made.files, made.unpacked, made.packed, made.manifest_sha256);
	return EXIT_SUCCESS;
}

static int bundle(const struct home *home, int argc, char **argv)
{
	struct bundlemake b = { .name = NULL };
	const char **slot[] = { [OPT_FILE - OPT_FIRST] = &b.file,
				[OPT_FROM - OPT_FIRST] = &b.from };
	struct cpio_made made;
	struct err e = ERR_INIT;
	int rc;

	rc = parse(argc, argv, slot, &b.gzip);
	if (rc >= 0)
		return rc;
	if (optind + 1 != argc || (b.file && b.from))
		return cmd_usage("image", "bundle NAME, and --file or --from");
	b.name = argv[optind];
	if (bundlemake_run(home, &b, &made, &e))
		return cmd_fail("image", &e);
	printf("bundle %s: %zu files, %zu bytes, packed %zu\nmanifest %s\n",
	       b.name, made.files, made.unpacked, made.packed,
	       made.manifest_sha256);
	return EXIT_SUCCESS;
}

static int overlay(const struct home *home, int argc, char **argv)
{
	const char *box = argv[1];
	struct conf_host h = { 0 };
	struct err e = ERR_INIT;
	char path[160];
	int rc;

	(void)argc;
	if (!conf_name_ok(box))
		return cmd_usage("image", "\"%s\" is no box's name", box);
	snprintf(path, sizeof(path), "conf/hosts/%s.cfg", box);
	if (conf_host_load(home->fd, path, &h, NULL, &e))
		return cmd_fail("image", &e);
	rc = overlay_write(home, &h, &e);
	if (!rc)
		rc = ipxe_refresh(home, &e);
	conf_host_free(&h);
	return rc ? cmd_fail("image", &e) : EXIT_SUCCESS;
}

/* ---- list --------------------------------------------------------------------- */

static void print_member(const char *name, int dirfd, const char *path,
			 const char *sha)
{
	struct stat st;

	if (!fstatat(dirfd, path, &st, 0))
		printf("%-28s %10lld  %s\n", name, (long long)st.st_size,
		       sha);
}

/* Every NAME.cpio in a folder, with what its .sha says. */
static int print_folder(int dirfd, const char *folder, const char *kind,
			struct err *e)
{
	int rc = 0, fd = openat(dirfd, folder,
				O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct strlist files = { 0 };
	struct dirent *d;

	if (!dir) /* nothing was built yet */
		return 0;
	while (!rc && (d = readdir(dir))) {
		const char *dot = strrchr(d->d_name, '.');

		if (*d->d_name != '.' && dot && !strcmp(dot, ".cpio"))
			rc = strlist_add(&files, d->d_name, e);
	}
	strlist_sort(&files);
	for (size_t i = 0; i < files.n && !rc; i++) {
		char name[300], sha[SHA256_HEX];

		snprintf(name, sizeof(name), "%s %.*s", kind,
			 (int)strlen(files.v[i]) - 5, files.v[i]);
		rc = bootdir_sha_read(fd, files.v[i], sha, e);
		if (!rc)
			print_member(name, fd, files.v[i], sha);
	}
	strlist_free(&files);
	closedir(dir);
	return rc;
}

static int print_kernels(const struct home *home, struct err *e)
{
	struct strlist names = { 0 };
	int rc = kernel_list(home, &names, e);

	for (size_t i = 0; i < names.n && !rc; i++) {
		struct conf_kernel k = { 0 };
		char name[80], path[160];

		rc = kernel_load(home, names.v[i], &k, e);
		if (rc)
			break;
		snprintf(name, sizeof(name), "modules %s", k.name);
		snprintf(path, sizeof(path), "kernels/%s/modules.cpio",
			 k.name);
		print_member(name, home->fd, path, k.modules_sha256);
		conf_kernel_free(&k);
	}
	strlist_free(&names);
	return rc;
}

static int list(const struct home *home, int argc, char **argv)
{
	struct bootdir boot = { .fd = -1 };
	struct err e = ERR_INIT;
	char sha[SHA256_HEX];
	int rc = bootdir_open(home, &boot, &e);

	(void)argc;
	(void)argv;
	if (!rc) {
		printf("%-28s %10s  %s\n", "MEMBER", "BYTES", "MANIFEST");
		if (!bootdir_sha_read(boot.fd, "base.cpio", sha, &e))
			print_member("base", boot.fd, "base.cpio", sha);
		rc = print_kernels(home, &e);
	}
	if (!rc)
		rc = print_folder(boot.fd, "boxes", "overlay", &e);
	if (!rc)
		rc = print_folder(home->fd, "bundles", "bundle", &e);
	bootdir_close(&boot);
	return rc ? cmd_fail("image", &e) : EXIT_SUCCESS;
}

static int sbom(const struct home *home, int argc, char **argv)
{
	struct buf out = { 0 };
	struct err e = ERR_INIT;
	int rc = sbom_write(home, &out, &e);

	(void)argc;
	(void)argv;
	if (!rc)
		fputs(buf_str(&out), stdout);
	buf_free(&out);
	return rc ? cmd_fail("image", &e) : EXIT_SUCCESS;
}

static const struct cmd_verb verbs[] = {
	{ "base", 0, base },
	{ "bundle", 0, bundle },
	{ "overlay", 2, overlay },
	{ "list", 1, list },
	{ "sbom", 1, sbom },
	{ "--sbom", 1, sbom },
	{ NULL, 0, NULL },
};

int cmd_image(const char *home, int argc, char **argv)
{
	return cmd_verbs("image", verbs, usage,
			 "base, bundle NAME, overlay BOX, list or sbom", home,
			 argc, argv);
}
