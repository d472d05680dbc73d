// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Two entries for a box that is borrowed from a running distribution, which
 * need nothing of it: kexec-load puts a kernel where systemd's `kexec' verb
 * finds it, and `shutdown' is what systemd-shutdown(8) starts from
 * /run/initramfs when its own work is done, in a distribution without
 * kexec-tools: it unmounts the old root and jumps.
 */
#include "applet.h"
#include "io.h"
#include "last.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CMDLINE_MAX = 8192, UNMOUNT_ROUNDS = 8, MOUNTS_MAX = 1 << 20 };
#define OLD_ROOT "/oldroot" /* where systemd-shutdown leaves it */

static int load(const char *kernel, const char *initrd, const char *cmdline,
		struct err *e)
{
	int k = open(kernel, O_RDONLY | O_CLOEXEC);
	int i = open(initrd, O_RDONLY | O_CLOEXEC);
	struct buf words = { 0 };
	int rc;

	rc = k < 0 ? err_sys(e, "%s", kernel) :
	     i < 0 ? err_sys(e, "%s", initrd) :
		     io_read_file(AT_FDCWD, cmdline, &words, CMDLINE_MAX, e);
	if (!rc && !words.len) {
		rc = err_set(e, ERR_FORMAT, "%s is empty", cmdline);
	} else if (!rc) {
		char *line = words.data;

		line[strcspn(line, "\n")] = '\0';
		if (syscall(SYS_kexec_file_load, k, i, strlen(line) + 1, line,
			    0UL) < 0)
			rc = err_sys(e, "kexec_file_load");
	}
	buf_free(&words);
	io_close(&k);
	io_close(&i);
	return rc;
}

int kexecload_main(int argc, char **argv)
{
	struct err e = ERR_INIT;

	if (argc != 4) {
		fputs("usage: ironrig-agent kexec-load VMLINUZ INITRD "
		      "CMDLINE-FILE\n",
		      stderr);
		return 2;
	}
	if (!load(argv[1], argv[2], argv[3], &e))
		return EXIT_SUCCESS;
	fprintf(stderr, "ironrig-agent: %s\n", e.msg);
	return EXIT_FAILURE;
}

/* The mounts below the old root, the deepest last as they were made. */
static bool unmount_round(void)
{
	struct buf b = { 0 };
	struct err ignored;
	char *rest, **path = NULL;
	size_t n = 0;
	bool any = false;

	if (io_read_file(AT_FDCWD, "/proc/self/mounts", &b, MOUNTS_MAX,
			 &ignored)) {
		buf_free(&b);
		return false;
	}
	rest = b.data;
	for (char *line; rest && (line = strsep(&rest, "\n"));) {
		char *at = strchr(line, ' '), *end = at ? strchr(at + 1, ' ') :
							  NULL;
		char **more;

		if (!end || strncmp(at + 1, OLD_ROOT, strlen(OLD_ROOT)) != 0)
			continue;
		more = reallocarray(path, n + 1, sizeof(*path));
		if (!more)
			break;
		path = more;
		*end = '\0';
		path[n++] = at + 1;
	}
	while (n-- > 0)
		any |= !umount2(path[n], 0);
	free(path);
	buf_free(&b);
	return any;
}

/* argv[1] is "kexec", "reboot", "poweroff" or "halt". Does not return. */
int shutdown_main(int argc, char **argv)
{
	enum last_op op = argc > 1 ? last_parse(argv[1]) : LAST_REBOOT;

	for (int i = 0; i < UNMOUNT_ROUNDS && unmount_round(); i++)
		;
	last_quiet_disks();
	last_reboot(op == LAST_NONE ? LAST_REBOOT : op);
	/* the kernel refused everything; PID 1 must not return */
	for (;;)
		pause();
}
