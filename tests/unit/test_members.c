// SPDX-License-Identifier: GPL-3.0-or-later
#include "members.h"
#include "image.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <unistd.h>

static int root;

static void sha(const char *path, char out[SHA256_HEX])
{
	struct err e = ERR_INIT;

	if (sha256_file(root, path, out, &e))
		exit(1);
}

/* A member of two files; its word for the command line into spec. */
static void make_member(char *spec, size_t size)
{
	char a[SHA256_HEX], b[SHA256_HEX], text[512];

	put("bin/busybox", "a program");
	put("etc/ironrig/host.cfg", "box = \"vbox1\";\n");
	sha("bin/busybox", a);
	sha("etc/ironrig/host.cfg", b);
	snprintf(text, sizeof(text),
		 "%s  bin/busybox\n%s  etc/ironrig/host.cfg\n", a, b);
	put(IMAGE_MEMBERS_DIR "/base", text);
	sha(IMAGE_MEMBERS_DIR "/base", a);
	snprintf(spec, size, "ironrig.members=base:%s", a);
}

/* The problems that a command line gives, in one string. */
static const char *problems(const char *line)
{
	static char text[2048];
	struct cmdline c = { 0 };
	struct strlist bad = { 0 };
	struct err e = ERR_INIT;

	text[0] = '\0';
	if (cmdline_parse(line, &c, &e) || members_check(root, &c, &bad, &e))
		return "failed";
	for (size_t i = 0; i < bad.n; i++) {
		strcat(text, bad.v[i]);
		strcat(text, "|");
	}
	strlist_free(&bad);
	cmdline_free(&c);
	return text;
}

static void members(void)
{
	char spec[160], more[400], name[65], id[SHA256_HEX];
	struct strlist names = { 0 };
	struct err e = ERR_INIT;

	make_member(spec, sizeof(spec));
	is_str(problems(spec), "", "whole");
	is_str(problems("quiet"), "no ironrig.members= on the command line|",
	       "none named");
	snprintf(more, sizeof(more), "%s,bundle-perf:%064d", spec, 0);
	ok(strstr(problems(more), "member bundle-perf: missing or cut: ") ==
		   problems(more),
	   "a member that vanished is named");
	put("bin/busybox", "a progra");
	is_str(problems(spec),
	       "member base: bin/busybox: altered or cut (8 bytes)|",
	       "a cut file is named");
	unlinkat(root, "bin/busybox", 0);
	is_str(problems(spec), "member base: bin/busybox: missing|",
	       "a missing file is named");
	ok(!symlinkat("../etc/ironrig/host.cfg", root, "bin/busybox") &&
		   !strcmp(problems(spec),
			   "member base: bin/busybox: not a file|"),
	   "a link is not followed");
	unlinkat(root, "bin/busybox", 0);
	put(IMAGE_MEMBERS_DIR "/base", "");
	ok(strstr(problems(spec), "manifest is not the one"),
	   "another manifest");
	ok(strstr(problems("ironrig.members=base:12"), "not NAME:SHA256"),
	   "malformed word");
	ok(!members_names(spec + 16, &names, &e) && names.n == 1, "names");
	is_str(names.v[0], "base", "in order");
	strlist_free(&names);
	ok(members_word("../x:"
			"000000000000000000000000000000000000000000000000000000"
			"0000000000",
			name, id, &e),
	   "no path as a name");
}

static const char *kernel(const char *line, const struct utsname *u)
{
	static char text[1024];
	struct cmdline c = { 0 };
	struct strlist bad = { 0 };
	struct err e = ERR_INIT;

	if (cmdline_parse(line, &c, &e) ||
	    members_kernel(root, &c, u, &bad, &e))
		return "failed";
	snprintf(text, sizeof(text), "%s", bad.n ? bad.v[0] : "");
	strlist_free(&bad);
	cmdline_free(&c);
	return text;
}

static void kernels(void)
{
	struct utsname u = { .release = "6.1.0", .version = "#1 SMP" };
	char line[160], other[160], text[256];

	snprintf(line, sizeof(line), "ironrig.kernel=v6.1:%064d", 1);
	snprintf(other, sizeof(other), "ironrig.kernel=v6.1:%064d", 2);
	ok(strstr(kernel(line, &u), "etc/ironrig/kernel"), "no such file");
	snprintf(text, sizeof(text), "%s\n6.1.0\n#1 SMP\n-\n", line + 15);
	put(IMAGE_KERNEL_FILE, text);
	is_str(kernel(line, &u), "", "as it should be");
	ok(strstr(kernel(other, &u), "kernel: identity is"), "another id");
	ok(strstr(kernel("x", &u), "no ironrig.kernel="), "not named");
	strcpy(u.version, "#2 SMP");
	is_str(kernel(line, &u), "kernel: version is #2 SMP, not #1 SMP",
	       "another build of the same release");
	strcpy(u.release, "6.2.0");
	is_str(kernel(line, &u), "kernel: release is 6.2.0, not 6.1.0",
	       "another release");
	snprintf(text, sizeof(text), "%s\n6.2.0\n-\n-\n", line + 15);
	put(IMAGE_KERNEL_FILE, text);
	is_str(kernel(line, &u), "", "\"-\" is not compared");
	put(IMAGE_KERNEL_FILE, "v6.1");
	ok(strstr(kernel(line, &u), "is cut"), "cut file");
}

int main(void)
{
	root = scratch_open();
	members();
	kernels();
	return scratch_end();
}
