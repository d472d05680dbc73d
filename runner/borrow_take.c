// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Taking a borrowed box over: one archive of agent, kernel and image through
 * ssh into its memory, then its own shutdown, with a jump at the end.
 */
#include "borrow.h"
#include "bootdir.h"
#include "image.h"
#include "imgbase.h"
#include "io.h"
#include "ipxe.h"
#include "secret.h"
#include "spawn.h"
#include "tar.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PAD = 512,	/* behind each member: PITFALLS of the kernel's unpacker */
	FILE_MAX = 1 << 29,
	OUTPUT_MAX = 4096,
};

#define DIR_ "/run/ironrig"
#define SHUTDOWN_DIR "/run/initramfs"

/* /run is often noexec and small: a tmpfs of our own */
static const char unpack[] =
	"set -e; mkdir -p " DIR_ "; mountpoint -q " DIR_ " || "
	"mount -t tmpfs -o mode=700,size=75% ironrig " DIR_ "; "
	"tar -x -f - -C " DIR_ "; chmod 700 " DIR_ "/agent; "
	DIR_ "/agent kexec-load " DIR_ "/vmlinuz " DIR_ "/initrd " DIR_
	"/cmdline; cat /sys/kernel/kexec_loaded";
/* systemd-shutdown(8) goes there when its own work is done */
static const char install_shutdown[] =
	"set -e; mkdir -p " SHUTDOWN_DIR "; mount -t tmpfs -o mode=700,size=32m "
	"ironrig " SHUTDOWN_DIR "; cp " DIR_ "/agent " SHUTDOWN_DIR
	"/shutdown; mkdir " SHUTDOWN_DIR "/oldroot " SHUTDOWN_DIR "/proc "
	SHUTDOWN_DIR "/sys " SHUTDOWN_DIR "/dev " SHUTDOWN_DIR "/run";
/* after this connection is closed, so that its end tells us something */
static const char go[] =
	"nohup sh -c 'sleep 1; systemctl kexec' >/dev/null 2>&1 </dev/null &";

static int ssh(const struct borrow *b, const char *command, const void *in,
	       size_t n, struct buf *out, struct err *e)
{
	const char *const argv[] = { "ssh", "-o", "BatchMode=yes", "-o",
				     "ConnectTimeout=20", b->target, command,
				     NULL };
	int rc = in ? spawn_filter(argv, in, n, out, OUTPUT_MAX, e) :
		      spawn_capture(argv, true, out, OUTPUT_MAX, e);

	if (rc && out->len)
		err_prefix(e, "%.120s", out->data);
	return rc;
}

/* ---- the image ------------------------------------------------------------------ */

/* Appends a file and the zeros that the next member needs before it. */
static int append(int dirfd, const char *path, struct buf *out, struct err *e)
{
	static const char zero[PAD];

	if (io_read_file(dirfd, path, out, FILE_MAX, e))
		return -1;
	if (out->len % PAD)
		buf_add(out, zero, PAD - out->len % PAD);
	return buf_ok(out, e);
}

static int append_member(const struct home *h, const struct bootdir *boot,
			 const struct borrow *b, const char *kernel,
			 const char *member, struct buf *out, struct err *e)
{
	char path[192];

	if (!strcmp(member, "base"))
		return append(boot->fd, "base.cpio", out, e);
	if (!strcmp(member, "kernel"))
		return 0; /* comes with modules */
	if (!strcmp(member, "modules")) {
		snprintf(path, sizeof(path), "kernels/%s/modules.cpio", kernel);
		return append(h->fd, path, out, e);
	}
	if (!strcmp(member, "overlay"))
		snprintf(path, sizeof(path), "boxes/%s.cpio", b->box);
	else if (!strncmp(member, "bundle-", 7))
		snprintf(path, sizeof(path), "bundles/%s.cpio", member + 7);
	else
		return err_set(e, ERR_FORMAT, "member \"%.64s\"", member);
	return append(boot->fd, path, out, e);
}

/* The members that the command line lists, in its order: NAME:SHA[,...] */
static int make_initrd(const struct home *h, const struct borrow *b,
		       const char *kernel, const char *cmdline,
		       struct buf *out, struct err *e)
{
	const char *list = strstr(cmdline, IMAGE_ARG_MEMBERS "=");
	struct bootdir boot;
	char *text, *rest;
	int rc;

	if (!list)
		return err_set(e, ERR_FORMAT, "a command line without members");
	list += sizeof(IMAGE_ARG_MEMBERS);
	text = strndup(list, strcspn(list, " \n"));
	if (!text)
		return err_set(e, ERR_LIMIT, "out of memory");
	rc = bootdir_open(h, &boot, e);
	rest = text;
	for (char *m; !rc && (m = strsep(&rest, ","));) {
		m[strcspn(m, ":")] = '\0';
		rc = append_member(h, &boot, b, kernel, m, out, e);
	}
	bootdir_close(&boot);
	free(text);
	return rc;
}

/* "01-aa-bb-...": which of the box's NICs is the one. */
static void add_bootif(const char *mac, struct buf *cmdline)
{
	buf_puts(cmdline, " BOOTIF=01-");
	for (; *mac; mac++)
		buf_printf(cmdline, "%c", *mac == ':' ? '-' : *mac);
	buf_puts(cmdline, "\n");
}

static int make_cmdline(const struct home *h, const struct borrow *b,
			const char *kernel, struct buf *out, struct err *e)
{
	struct conf_host host;
	char path[128];
	int rc;

	snprintf(path, sizeof(path), "conf/hosts/%s.cfg", b->box);
	if (conf_host_load(h->fd, path, &host, NULL, e))
		return -1;
	rc = ipxe_cmdline(h, &host, kernel, NULL, BOOT_KEXEC, out, e);
	conf_host_free(&host);
	if (rc)
		return -1;
	while (out->len && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
	add_bootif(b->mac, out);
	return buf_ok(out, e);
}

/* ---- the archive ------------------------------------------------------------------- */

static int to_buf(void *arg, const void *p, size_t n, struct err *e)
{
	buf_add(arg, p, n);
	return buf_ok(arg, e);
}

static int add_file(struct tar_writer *t, const char *name, int dirfd,
		    const char *path, struct err *e)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return err_sys(e, "%s", path);
	rc = tar_add_fd(t, name, fd, e);
	close(fd);
	return rc;
}

static int make_archive(const struct home *h, const struct borrow *b,
			const char *kernel, struct buf *out, struct err *e)
{
	struct tar_writer t = { .sink = to_buf, .arg = out };
	struct buf cmdline = { 0 }, initrd = { 0 };
	char *agent = NULL, path[128];
	int rc;

	snprintf(path, sizeof(path), "kernels/%s/vmlinuz", kernel);
	rc = make_cmdline(h, b, kernel, &cmdline, e);
	if (!rc)
		rc = make_initrd(h, b, kernel, cmdline.data, &initrd, e);
	if (!rc)
		rc = imgbase_find_agent(&agent, e);
	if (!rc)
		rc = add_file(&t, "agent", AT_FDCWD, agent, e);
	if (!rc)
		rc = add_file(&t, "vmlinuz", h->fd, path, e);
	if (!rc)
		rc = tar_add(&t, "initrd", initrd.data, initrd.len, e);
	if (!rc)
		rc = tar_add(&t, "cmdline", cmdline.data, cmdline.len, e);
	if (!rc)
		rc = tar_end(&t, e);
	free(agent);
	buf_free(&cmdline);
	buf_free(&initrd);
	return rc;
}

/* ---- the take-over -------------------------------------------------------------------- */

static int send_and_load(const struct borrow *b, const struct buf *archive,
			 struct err *e)
{
	struct buf out = { 0 };
	int rc = ssh(b, unpack, archive->data, archive->len, &out, e);

	/* nothing was stopped there so far: a refusal costs nothing */
	if (!rc && strncmp(buf_str(&out), "1", 1) != 0)
		rc = err_set(e, ERR_UNSUPPORTED, "its kernel did not keep what "
						 "was loaded");
	if (rc)
		err_prefix(e, "loading a kernel there");
	buf_free(&out);
	return rc;
}

int borrow_take(const struct home *h, const struct borrow *b,
		const char *kernel, struct err *e)
{
	struct buf archive = { 0 }, out = { 0 };
	int rc;

	secret_hold();
	rc = make_archive(h, b, kernel, &archive, e);

	if (!rc)
		rc = send_and_load(b, &archive, e);
	buf_free(&archive);
	if (!rc && !b->kexec_tools)
		rc = ssh(b, install_shutdown, NULL, 0, &out, e);
	if (!rc) {
		buf_reset(&out);
		rc = ssh(b, go, NULL, 0, &out, e);
	}
	buf_free(&out);
	return rc ? err_prefix(e, "%.80s", b->target) : 0;
}
