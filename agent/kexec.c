// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * From this kernel into the next without the firmware: fetch, put the members
 * together, load. The jump itself is PID 1's last stage.
 */
#include "kexec.h"
#include "ask.h"
#include "cpulist.h"
#include "image.h"
#include "io.h"
#include "members.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DIR_	 BOX_RUN_DIR "/boot"
#define GET_MS	 600000 /* 100 MB over a 2 MB/s line, ten times over */
#define PAD	 512 /* any 4 zeros will do; 512 as the image builder has it */
#define TEXT_MAX 65536

int kexec_cmdline(const char *text, const char *bootif, const char *release,
		  struct buf *out, struct err *e)
{
	buf_printf(out, "%.*s", (int)strcspn(text, "\n"), text);
	if (bootif && *bootif)
		buf_printf(out, " BOOTIF=%s", bootif);
	buf_printf(out, " " IMAGE_ARG_PREV "=%s", release);
	if (buf_ok(out, e))
		return -1;
	if (out->len > IMAGE_CMDLINE_MAX)
		return err_set(e, ERR_LIMIT,
			       "command line of %zu bytes, %d at most",
			       out->len, IMAGE_CMDLINE_MAX);
	return 0;
}

int kexec_member_file(const char *member, const char *kernel, char out[192],
		      struct err *e)
{
	if (!strcmp(member, "base") || !strcmp(member, "overlay"))
		snprintf(out, 192, "%s.cpio", member);
	else if (!strcmp(member, "modules"))
		snprintf(out, 192, "kernel/%s/modules.cpio", kernel);
	else if (!strcmp(member, "kernel"))
		out[0] = '\0'; /* comes with modules */
	else if (!strncmp(member, "bundle-", 7))
		snprintf(out, 192, "bundle/%s.cpio", member + 7);
	else
		return err_set(e, ERR_FORMAT, "member \"%.64s\" is not known",
			       member);
	return 0;
}

/* Appends a file and pads: unpadded LZ4 hides the member behind it. */
static int append(int to, const char *path, struct err *e)
{
	static const char zero[PAD];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int rc = 0;

	if (fd < 0)
		return err_sys(e, "%s", path);
	if (fstat(fd, &st) < 0)
		rc = err_sys(e, "%s", path);
	for (off_t left = rc ? 0 : st.st_size; left > 0 && !rc;) {
		ssize_t n = sendfile(to, fd, NULL, (size_t)left);

		if (n <= 0)
			rc = err_sys(e, "%s", path);
		left -= n;
	}
	if (!rc && st.st_size % PAD)
		rc = io_write_all(to, zero, (size_t)(PAD - st.st_size % PAD),
				  e);
	close(fd);
	return rc;
}

/* Each member is fetched, appended and dropped: memory for one at a time. */
static int build_initrd(struct box *b, const char *kernel, const char *spec,
			struct err *e)
{
	struct strlist names = { 0 };
	int rc = members_names(spec, &names, e);
	int to = open(DIR_ "/initrd", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		      0600);

	if (!rc && to < 0)
		rc = err_sys(e, DIR_ "/initrd");
	for (size_t i = 0; i < names.n && !rc; i++) {
		char file[192] = "";

		rc = kexec_member_file(names.v[i], kernel, file, e);
		if (rc || !*file)
			continue;
		rc = ask_get(b, file, DIR_ "/member", ask_member(), GET_MS,
			     e);
		if (!rc)
			rc = append(to, DIR_ "/member", e);
		unlink(DIR_ "/member");
	}
	if (to >= 0 && close(to) < 0 && !rc)
		rc = err_sys(e, DIR_ "/initrd");
	strlist_free(&names);
	return rc;
}

/* Both files are opened anew, for reading: ETXTBSY while one is written. */
static int load(const char *cmdline, struct err *e)
{
	int kernel = open(DIR_ "/vmlinuz", O_RDONLY | O_CLOEXEC);
	int initrd = open(DIR_ "/initrd", O_RDONLY | O_CLOEXEC);
	int rc = 0;

	if (kernel < 0 || initrd < 0)
		rc = err_sys(e, DIR_);
	else if (syscall(SYS_kexec_file_load, kernel, initrd,
			 strlen(cmdline) + 1, cmdline, 0UL) < 0)
		rc = errno == EPERM || errno == ENOSYS
			     ? err_set(e, ERR_UNSUPPORTED,
				       "this kernel does not allow kexec: %s",
				       strerrordesc_np(errno))
			     : err_sys(e, "kexec_file_load");
	io_close(&kernel);
	io_close(&initrd);
	return rc;
}

static int prepare(struct box *b, const char *name, struct err *e)
{
	struct cmdline words = { 0 };
	struct buf text = { 0 }, line = { 0 };
	const char *spec;
	char file[192];
	int rc;

	snprintf(file, sizeof(file), "kernel/%s/cmdline", name);
	rc = ask_get(b, file, DIR_ "/cmdline", TEXT_MAX, GET_MS, e);
	if (!rc)
		rc = io_read_file(AT_FDCWD, DIR_ "/cmdline", &text, TEXT_MAX,
				  e);
	if (!rc)
		rc = kexec_cmdline(buf_str(&text),
				   cmdline_get(b->cmdline, "BOOTIF"),
				   b->uts.release, &line, e);
	if (!rc)
		rc = cmdline_parse(buf_str(&line), &words, e);
	spec = cmdline_get(&words, IMAGE_ARG_MEMBERS);
	if (!rc && !spec)
		rc = err_set(e, ERR_PEER, "%s names no members", file);
	snprintf(file, sizeof(file), "kernel/%s/vmlinuz", name);
	if (!rc)
		rc = ask_get(b, file, DIR_ "/vmlinuz", ask_member(), GET_MS,
			     e);
	if (!rc)
		rc = build_initrd(b, name, spec, e);
	if (!rc)
		rc = load(buf_str(&line), e);
	cmdline_free(&words);
	buf_free(&text);
	buf_free(&line);
	return rc;
}

int kexec_prepare(struct box *b, const char *name, struct err *e)
{
	int rc;

	if (io_mkdir_p(AT_FDCWD, DIR_, 0700, e))
		return -1;
	rc = prepare(b, name, e);
	/* the loaded image has its own copy */
	if (io_remove_tree(AT_FDCWD, DIR_, NULL))
		kmsg_say(DIR_ " stays in memory");
	return rc ? err_prefix(e, "kexec %s", name) : 0;
}

void kexec_leave(struct box *b)
{
	struct cpulist cpus;
	char path[64];
	struct buf list = { 0 };

	courier_stop(b->courier);
	b->courier = NULL;
	if (!io_read_file(b->root, "sys/devices/system/cpu/offline", &list,
			  65536, NULL) &&
	    !cpulist_parse(buf_str(&list), &cpus, NULL))
		for (int cpu = cpulist_next(&cpus, 0); cpu >= 0;
		     cpu = cpulist_next(&cpus, (unsigned int)cpu + 1)) {
			snprintf(path, sizeof(path),
				 "sys/devices/system/cpu/cpu%d/online", cpu);
			/* possible CPUs that are not present refuse */
			if (io_write_file(b->root, path, "1", NULL))
				continue;
		}
	buf_free(&list);
	net_down(&b->net, b->root);
}
