// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * `ironrig kernel add|ls|show|rm`: the registry of kernels from the command
 * line.
 */
#include "cmd.h"
#include "home.h"
#include "io.h"
#include "kernel.h"
#include "kerneladd.h"

#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const char usage[] =
"usage: ironrig kernel add NAME SOURCE [OPTION...]\n"
"       ironrig kernel ls\n"
"       ironrig kernel show NAME\n"
"       ironrig kernel rm [--force] NAME\n"
"\n"
"A kernel is an image, its modules and what is appended to the command line;\n"
"its id is a hash over the three. A name never changes its meaning.\n"
"\n"
"SOURCE is one of\n"
"  --deb FILE       a Debian linux-image package (not installed)\n"
"  --build TREE     a built source tree: image, modules, .config, System.map,\n"
"                   git commit\n"
"  --vmlinuz FILE   an image, with\n"
"    --modules DIR     a folder with lib/modules, or lib/modules/RELEASE\n"
"    --config FILE     its .config\n"
"  --like KERNEL    image and modules of a registered one: for variants of\n"
"                   the command line\n"
"\n"
"  --system-map F   its System.map, with any source: the file, or the -dbg\n"
"                   package of a Debian kernel; also for a kernel that is\n"
"                   registered already\n"
"  --build-of K     another build (layout) of the registered kernel K, of the\n"
"                   same commit and command line, for `ironrig ab --builds';\n"
"                   also for a kernel that is registered already\n"
"  --append TEXT    command line additions (\"mitigations=off\")\n"
"  --module NAME    a module besides those every image brings (repeatable)\n"
"  --all-modules    every module\n"
"  --firmware DIR   take firmware that modules name from a folder like\n"
"                   /lib/firmware\n"
"  --gzip           pack with gzip: kernels before 5.14 or without\n"
"                   CONFIG_RD_LZ4 (base.cpio must be made so, too)\n"
"  --force          add: even without what a box needs; rm: even when a host\n"
"                   file names it\n";

enum { OPT_DEB = 256, OPT_BUILD, OPT_VMLINUZ, OPT_MODULES, OPT_CONFIG,
       OPT_MAP, OPT_LIKE, OPT_APPEND, OPT_MODULE, OPT_ALL, OPT_FIRMWARE,
       OPT_GZIP, OPT_FORCE, OPT_BUILD_OF };

static const struct option options[] = {
	{ "deb", required_argument, NULL, OPT_DEB },
	{ "build", required_argument, NULL, OPT_BUILD },
	{ "vmlinuz", required_argument, NULL, OPT_VMLINUZ },
	{ "modules", required_argument, NULL, OPT_MODULES },
	{ "config", required_argument, NULL, OPT_CONFIG },
	{ "system-map", required_argument, NULL, OPT_MAP },
	{ "like", required_argument, NULL, OPT_LIKE },
	{ "build-of", required_argument, NULL, OPT_BUILD_OF },
	{ "append", required_argument, NULL, OPT_APPEND },
	{ "module", required_argument, NULL, OPT_MODULE },
	{ "all-modules", no_argument, NULL, OPT_ALL },
	{ "firmware", required_argument, NULL, OPT_FIRMWARE },
	{ "gzip", no_argument, NULL, OPT_GZIP },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take_option(struct kerneladd *a, int c, struct err *e)
{
	switch (c) {
	case OPT_DEB: a->deb = optarg; return 0;
	case OPT_BUILD: a->build = optarg; return 0;
	case OPT_VMLINUZ: a->vmlinuz = optarg; return 0;
	case OPT_MODULES: a->modules = optarg; return 0;
	case OPT_CONFIG: a->config = optarg; return 0;
	case OPT_MAP: a->system_map = optarg; return 0;
	case OPT_LIKE: a->like = optarg; return 0;
	case OPT_BUILD_OF: a->build_of = optarg; return 0;
	case OPT_APPEND: a->append = optarg; return 0;
	case OPT_MODULE: return strlist_add(&a->extra, optarg, e);
	case OPT_ALL: a->all_modules = true; return 0;
	case OPT_FIRMWARE: a->firmware = optarg; return 0;
	case OPT_GZIP: a->gzip = true; return 0;
	case OPT_FORCE: a->force = true; return 0;
	default: return -1;
	}
}

static void print_list(const char *what, const struct strlist *l, FILE *to)
{
	for (size_t i = 0; i < l->n; i++)
		fprintf(to, "%s %s\n", what, l->v[i]);
}

static void say_added(const struct kerneladd *a,
		      const struct kerneladd_said *s)
{
	printf("kernel %s: %s %s\n", a->name, s->k.release,
	       s->k.version ? s->k.version : "");
	printf("id %s\n", s->k.id);
	if (s->unchanged) {
		puts("unchanged: it was registered already");
		if (a->system_map)
			puts("its System.map is kept now");
		if (a->build_of)
			printf("it is a build of %s now\n", a->build_of);
		return;
	}
	printf("build-id %s\n", s->k.build_id && *s->k.build_id ?
					s->k.build_id : "not found");
	if (a->like)
		printf("modules as %s, %zu bytes\n", a->like,
		       s->modules_bytes);
	else
		printf("modules %zu, %zu bytes packed\n", s->modules,
		       s->modules_bytes);
	if (s->absent.n) {
		printf("not in this kernel:");
		for (size_t i = 0; i < s->absent.n; i++)
			printf(" %s", s->absent.v[i]);
		putchar('\n');
	}
	if (s->firmware.n)
		printf("firmware that modules name and that was not given "
		       "(--firmware DIR): %zu files\n", s->firmware.n);
	print_list("without", &s->want, stdout);
}

static int add(const struct home *home, int argc, char **argv)
{
	struct kerneladd a = { .name = NULL };
	struct kerneladd_said said = { .unchanged = false };
	struct err e = ERR_INIT;
	int c, rc = CMD_FAILED, sources;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'h') {
			fputs(usage, stdout);
			rc = EXIT_SUCCESS;
			goto out;
		}
		if (take_option(&a, c, &e)) {
			rc = cmd_usage("kernel", "bad option");
			goto out;
		}
	}
	sources = !!a.deb + !!a.build + !!a.vmlinuz + !!a.like;
	if (optind + 1 != argc || sources != 1) {
		rc = cmd_usage("kernel", "add NAME and one of --deb, --build, "
					 "--vmlinuz, --like");
		goto out;
	}
	a.name = argv[optind];
	if (!a.vmlinuz && (a.modules || a.config)) {
		rc = cmd_usage("kernel", "--modules and --config go with "
					 "--vmlinuz");
		goto out;
	}
	if (kerneladd_run(home, &a, &said, &e)) {
		print_list("needs", &said.need, stderr);
		rc = cmd_fail("kernel", &e);
		goto out;
	}
	print_list("needs", &said.need, stderr);
	say_added(&a, &said);
	rc = EXIT_SUCCESS;
out:
	kerneladd_said_free(&said);
	strlist_free(&a.extra);
	return rc;
}

/* ---- ls, show ---------------------------------------------------------------- */

static int ls(const struct home *home, int argc, char **argv)
{
	struct strlist names = { 0 };
	struct err e = ERR_INIT;
	int rc = EXIT_SUCCESS;

	(void)argc;
	(void)argv;
	if (kernel_list(home, &names, &e))
		rc = cmd_fail("kernel", &e);
	if (names.n)
		printf("%-20s %-12s %-28s %s\n", "NAME", "ID", "RELEASE",
		       "APPEND");
	for (size_t i = 0; i < names.n; i++) {
		struct conf_kernel k = { 0 };

		if (kernel_load(home, names.v[i], &k, &e)) {
			rc = cmd_fail("kernel", &e);
			continue;
		}
		printf("%-20s %-12.12s %-28s %s%s%s%s\n", k.name, k.id,
		       k.release, k.append ? k.append : "",
		       k.build_of ? k.append ? " (build of " : "(build of " :
				    "",
		       k.build_of ? k.build_of : "", k.build_of ? ")" : "");
		conf_kernel_free(&k);
	}
	strlist_free(&names);
	return rc;
}

static void line(const char *key, const char *value)
{
	if (value && *value)
		printf("%-10s %s\n", key, value);
}

static int show(const struct home *home, int argc, char **argv)
{
	const char *name = argv[1];
	static const char *const file[] = { "vmlinuz", "modules.cpio",
					    "config", "System.map" };
	struct conf_kernel k = { 0 };
	struct err e = ERR_INIT;
	char when[64];
	time_t added;

	(void)argc;
	if (kernel_load(home, name, &k, &e))
		return cmd_fail("kernel", &e);
	line("name", k.name);
	line("id", k.id);
	line("release", k.release);
	line("version", k.version);
	line("build-id", k.build_id);
	line("append", k.append);
	line("build-of", k.build_of);
	line("image", k.image_sha256);
	line("modules", k.modules_sha256);
	line("origin", k.origin);
	line("commit", k.commit);
	line("title", k.title);
	line("compiler", k.compiler);
	added = (time_t)k.added;
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC",
		 gmtime(&added));
	line("added", when);
	for (size_t i = 0; i < sizeof(file) / sizeof(*file); i++) {
		char path[KERNEL_PATH];
		struct stat st;

		snprintf(path, sizeof(path), "kernels/%s/%s", name, file[i]);
		if (!fstatat(home->fd, path, &st, 0))
			printf("%-10s %s/%s (%lld bytes)\n", "file",
			       home->path, path, (long long)st.st_size);
	}
	conf_kernel_free(&k);
	return EXIT_SUCCESS;
}

/* ---- rm ---------------------------------------------------------------------- */

/* 1 when a host file names it as home kernel (box: which). */
static int in_use(const struct home *home, const char *name, char *box,
		  size_t size, struct err *e)
{
	int used = 0, fd = openat(home->fd, "conf/hosts",
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	if (!dir) {
		io_close(&fd);
		return err_sys(e, "conf/hosts");
	}
	while (!used && (d = readdir(dir))) {
		struct conf_host h = { 0 };
		const char *dot = strrchr(d->d_name, '.');

		if (!dot || strcmp(dot, ".cfg") != 0)
			continue;
		if (conf_host_load(fd, d->d_name, &h, NULL, e)) {
			used = -1;
			break;
		}
		used = h.kernel && !strcmp(h.kernel, name);
		if (used)
			snprintf(box, size, "%s", h.box);
		conf_host_free(&h);
	}
	closedir(dir);
	return used;
}

static int rm(const struct home *home, int argc, char **argv)
{
	bool force = false;
	struct err e = ERR_INIT;
	char box[128] = "";
	int c, used;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c != OPT_FORCE)
			return cmd_usage("kernel", "rm: bad option");
		force = true;
	}
	if (optind + 1 != argc)
		return cmd_usage("kernel", "rm: one name");
	used = force ? 0 : in_use(home, argv[optind], box, sizeof(box), &e);
	if (used > 0)
		err_set(&e, ERR_CONFLICT, "%s is the home kernel of box %s "
					  "(--force removes it anyway)",
			argv[optind], box);
	if (used || kernel_remove(home, argv[optind], &e))
		return cmd_fail("kernel", &e);
	return EXIT_SUCCESS;
}

static const struct cmd_verb verbs[] = {
	{ "add", 0, add },
	{ "ls", 1, ls },
	{ "show", 2, show },
	{ "rm", 0, rm },
	{ NULL, 0, NULL },
};

int cmd_kernel(const char *home, int argc, char **argv)
{
	return cmd_verbs("kernel", verbs, usage, "add, ls, show or rm", home,
			 argc, argv);
}
