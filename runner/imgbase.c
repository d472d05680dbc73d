// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The base member: the agent as /init, busybox with its applets, and the few
 * files below /etc that programs look for. No shared library: what a workload
 * needs comes in its bundle.
 */
#include "imgbase.h"

#include "bootdir.h"
#include "bundlemake.h"
#include "home.h"
#include "image.h"
#include "io.h"
#include "ipxe.h"
#include "spawn.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAM_MAX = 64 << 20, LIST_MAX = 1 << 16 };

/* Folders of an ordinary root, as hier(7) has it. */
static const struct {
	const char *path;
	mode_t mode;
} folder[] = {
	{ "dev", 0755 },	    { "etc", 0755 },
	{ "lib", 0755 },	    { "mnt", 0755 },
	{ "proc", 0755 },	    { "root", 0700 },
	{ "run", 0755 },	    { "sys", 0755 },
	{ "tmp", 01777 },	    { "usr/share", 0755 },
	{ "var/cache", 0755 },	    { "var/lib", 0755 },
	{ "var/log", 0755 },	    { "var/tmp", 01777 },
};

/*
 * The accounts and names that daemons of bundles ask for (apache2 runs as
 * www-data). No password works: nothing on a box lets anyone in.
 */
static const struct {
	const char *path, *text;
} file[] = {
	{ "etc/passwd",
	  "root:*:0:0:root:/root:/bin/sh\n"
	  "daemon:*:1:1:daemon:/:/bin/false\n"
	  "www-data:*:33:33:www-data:/var/www:/bin/false\n"
	  "nobody:*:65534:65534:nobody:/:/bin/false\n" },
	{ "etc/group",
	  "root:*:0:\ndaemon:*:1:\ntty:*:5:\nwww-data:*:33:\n"
	  "nogroup:*:65534:\n" },
	{ "etc/hosts", "127.0.0.1 localhost\n::1 localhost\n" },
	{ "etc/nsswitch.conf",
	  "passwd: files\ngroup: files\nhosts: files dns\n"
	  "protocols: files\nservices: files\n" },
	{ "etc/protocols",
	  "ip 0 IP\nicmp 1 ICMP\ntcp 6 TCP\nudp 17 UDP\n"
	  "ipv6-icmp 58 IPv6-ICMP\nsctp 132 SCTP\n" },
	{ "etc/profile", "export PATH=/usr/local/sbin:/usr/local/bin:"
			 "/usr/sbin:/usr/bin:/sbin:/bin\n" },
	{ "etc/ld.so.conf", "/lib/x86_64-linux-gnu\n"
			    "/usr/lib/x86_64-linux-gnu\n" },
};

/*
 * For the moment before devtmpfs: the kernel opens /dev/console for init, and
 * a kernel without DEVTMPFS_MOUNT has nothing else there.
 */
static const struct {
	const char *path;
	mode_t mode;
	unsigned int dev_major, dev_minor;
} node[] = {
	{ "dev/console", 0600, 5, 1 },
	{ "dev/kmsg", 0600, 1, 11 },
	{ "dev/null", 0666, 1, 3 },
};

static int add_skeleton(struct cpio *c, struct err *e)
{
	for (size_t i = 0; i < sizeof(folder) / sizeof(*folder); i++)
		if (cpio_dir(c, folder[i].path, folder[i].mode, e))
			return -1;
	for (size_t i = 0; i < sizeof(file) / sizeof(*file); i++)
		if (cpio_file(c, file[i].path, 0644, file[i].text,
			      strlen(file[i].text), e))
			return -1;
	for (size_t i = 0; i < sizeof(node) / sizeof(*node); i++)
		if (cpio_node(c, node[i].path, node[i].mode,
			      node[i].dev_major, node[i].dev_minor, e))
			return -1;
	return cpio_link(c, "var/run", "../run", e);
}

/* Which bundle brings a program that a job lacks. */
static int add_index(struct cpio *c, struct err *e)
{
	struct buf b = { 0 };
	int rc = bundlemake_index(&b, e);

	if (!rc)
		rc = cpio_take(c, IMAGE_PROGRAMS_FILE, 0644, &b, e);
	buf_free(&b);
	return rc;
}

/* ---- programs -------------------------------------------------------------------- */

/* An ELF program that asks for no interpreter. */
static int check_static(const char *path, const struct buf *b, struct err *e)
{
	Elf64_Ehdr eh;

	if (b->len < sizeof(eh) || memcmp(b->data, ELFMAG, SELFMAG) != 0 ||
	    b->data[EI_CLASS] != ELFCLASS64)
		return err_set(e, ERR_INPUT, "%s: not a 64-bit program", path);
	memcpy(&eh, b->data, sizeof(eh));
	for (size_t i = 0; i < eh.e_phnum; i++) {
		Elf64_Phdr ph;

		if (eh.e_phoff > b->len ||
		    (i + 1) * sizeof(ph) > b->len - eh.e_phoff)
			break;
		memcpy(&ph, b->data + eh.e_phoff + i * sizeof(ph),
		       sizeof(ph));
		if (ph.p_type == PT_INTERP)
			return err_set(e, ERR_INPUT,
				       "%s: needs shared libraries; a box has "
				       "none (Debian's static one: "
				       "busybox-static)",
				       path);
	}
	return 0;
}

int imgbase_find_agent(char **path, struct err *e)
{
	static const char *const beside[] = { "%s/ironrig-agent",
					      "%s/../sbin/ironrig-agent" };
	char self[4096]; /* PATH_MAX */
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return err_sys(e, "/proc/self/exe");
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < 2; i++) {
		if (asprintf(path, beside[i], self) < 0)
			return err_set(e, ERR_LIMIT, "out of memory");
		if (!access(*path, R_OK))
			return 0;
		free(*path);
	}
	*path = NULL;
	return err_set(e, ERR_NOTFOUND, "no ironrig-agent beside %s (--agent "
					"names one)",
		       self);
}

/*
 * Without symbols and debugging information, five sixths of the file. Where
 * binutils are not installed the agent is taken as it is.
 */
static int read_stripped(const char *path, struct buf *out, struct err *e)
{
	char tmp[] = "/tmp/ironrig-agent.XXXXXX";
	int fd = mkstemp(tmp), rc;
	const char *const argv[] = { "strip", "-o", tmp, path, NULL };
	struct err ignored = ERR_INIT;
	struct buf said = { 0 };

	if (fd < 0)
		return err_sys(e, "%s", tmp);
	close(fd);
	rc = spawn_capture(argv, true, &said, LIST_MAX, &ignored);
	rc = io_read_file(AT_FDCWD, rc ? path : tmp, out, PROGRAM_MAX, e);
	unlink(tmp);
	buf_free(&said);
	return rc;
}

static int add_agent(struct cpio *c, const char *given, struct err *e)
{
	struct buf b = { 0 };
	char *found = NULL;
	int rc = -1;

	if (!given && imgbase_find_agent(&found, e))
		return -1;
	if (read_stripped(given ? given : found, &b, e) ||
	    check_static(given ? given : found, &b, e) ||
	    cpio_take(c, "bin/ironrig-agent", 0755, &b, e) ||
	    cpio_link(c, "init", "bin/ironrig-agent", e))
		goto out;
	rc = 0;
out:
	buf_free(&b);
	free(found);
	return rc;
}

/* Where PATH finds busybox. */
static int find_busybox(char **path, struct err *e)
{
	static const char *const at[] = { "/bin/busybox", "/usr/bin/busybox",
					  "/usr/local/bin/busybox" };

	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++)
		if (!access(at[i], X_OK)) {
			*path = strdup(at[i]);
			return *path ? 0 : err_set(e, ERR_LIMIT,
						   "out of memory");
		}
	return err_set(e, ERR_NOTFOUND, "no busybox here (Debian's package "
					"busybox-static; --busybox names one)");
}

/* A link for every applet, at the place that busybox gives it. */
static int add_applets(struct cpio *c, const char *busybox, struct err *e)
{
	const char *const argv[] = { busybox, "--list-full", NULL };
	struct buf list = { 0 };
	char *save;
	int rc = spawn_capture(argv, false, &list, LIST_MAX, e);

	for (char *s = rc ? NULL : strtok_r(list.data, "\n", &save); s && !rc;
	     s = strtok_r(NULL, "\n", &save)) {
		/* busybox's own name, and init, which the agent is */
		if (!strcmp(s, "bin/busybox") || !strcmp(s, "linuxrc") ||
		    !strcmp(s, "sbin/init"))
			continue;
		rc = cpio_link(c, s, "/bin/busybox", e);
	}
	buf_free(&list);
	return rc;
}

static int add_busybox(struct cpio *c, const char *given, struct err *e)
{
	struct buf b = { 0 };
	char *path = NULL;
	int rc = -1;

	if (given) {
		path = strdup(given);
		if (!path)
			return err_set(e, ERR_LIMIT, "out of memory");
	} else if (find_busybox(&path, e)) {
		return -1;
	}
	if (io_read_file(AT_FDCWD, path, &b, PROGRAM_MAX, e) ||
	    check_static(path, &b, e) ||
	    cpio_take(c, "bin/busybox", 0755, &b, e) ||
	    add_applets(c, path, e))
		goto out;
	rc = 0;
out:
	buf_free(&b);
	free(path);
	return rc;
}

int imgbase_build(const struct home *home, const struct imgbase *b,
	       struct cpio_made *made, struct err *e)
{
	struct bootdir boot = { .fd = -1 };
	struct cpio *c = cpio_new("base", e);
	struct buf out = { 0 };
	int rc = -1;

	if (!c || bootdir_open(home, &boot, e) || add_skeleton(c, e) ||
	    add_index(c, e) ||
	    add_agent(c, b->agent, e) || add_busybox(c, b->busybox, e) ||
	    cpio_pack(c, b->gzip ? CPIO_GZIP : CPIO_LZ4, &out, made, e) ||
	    bootdir_put(&boot, "base.cpio", out.data, out.len, e) ||
	    bootdir_sha_write(boot.fd, "base.cpio", made->manifest_sha256,
			      e) ||
	    ipxe_write_chain(home, e) || ipxe_refresh(home, e))
		goto out;
	rc = 0;
out:
	buf_free(&out);
	cpio_free(c);
	bootdir_close(&boot);
	return rc ? err_prefix(e, "base") : 0;
}
