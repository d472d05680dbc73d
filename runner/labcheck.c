// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * `ironrig check --lab': the folders, keys and boxes of a home. The account
 * and its sshd are labaccount.c's.
 */
#include "labcheck.h"
#include "authkeys.h"
#include "bootdir.h"
#include "boxview.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AUTH_MAX = 4 << 20 };

void lab_add(struct lab_report *r, enum lab_level level, const char *todo,
	     const char *fmt, ...)
{
	struct lab_finding *v = reallocarray(r->v, r->n + 1, sizeof(*v));
	va_list ap;

	r->bad += level == LAB_BAD;
	if (!v)
		return;
	r->v = v;
	v[r->n] = (struct lab_finding){ .level = level };
	va_start(ap, fmt);
	vsnprintf(v[r->n].what, sizeof(v[r->n].what), fmt, ap);
	va_end(ap);
	if (todo && level != LAB_GOOD)
		snprintf(v[r->n].todo, sizeof(v[r->n].todo), "%s", todo);
	r->n++;
}

void labcheck_free(struct lab_report *r)
{
	free(r->v);
	*r = (struct lab_report){ 0 };
}

/* ---- the home ------------------------------------------------------------ */

static void one_mode(struct lab_report *r, const struct home *h,
		     const char *path, mode_t forbidden, const char *todo)
{
	struct stat st;

	if (fstatat(h->fd, path, &st, 0) < 0)
		lab_add(r, LAB_BAD, "run `ironrig init' again", "%s: %s", path,
			strerrordesc_np(errno));
	else if (st.st_uid != getuid())
		lab_add(r, LAB_BAD, "chown it to the account",
			"%s/%s belongs to user %ld", h->path, path,
			(long)st.st_uid);
	else if (st.st_mode & forbidden)
		lab_add(r, LAB_BAD, todo, "%s/%s has mode %04o", h->path, path,
			(unsigned int)st.st_mode & 07777);
	else
		lab_add(r, LAB_GOOD, NULL, "%s is private enough", path);
}

static void folders(struct lab_report *r, const struct home *h)
{
	one_mode(r, h, ".", 022, "chmod go-w");
	one_mode(r, h, "keys", 077, "chmod 700");
	one_mode(r, h, "keys/controller_host_ed25519", 077, "chmod 600");
	one_mode(r, h, "keys/boxes", 077, "chmod 700");
	one_mode(r, h, "incoming", 077, "chmod 700");
	one_mode(r, h, "store", 077, "chmod 700");
	one_mode(r, h, "quarantine", 077, "chmod 700");
}

/* The overlays in it hold the boxes' keys. */
static void boot_folder(struct lab_report *r, const struct home *h)
{
	struct bootdir b = { .fd = -1 };
	struct err e = ERR_INIT;
	struct stat st;

	if (bootdir_open(h, &b, &e)) {
		lab_add(r, LAB_BAD, "see boot and boot_group in "
				    "conf/controller.cfg",
			"boot folder: %s", e.msg);
	} else if (!fstat(b.fd, &st) && (st.st_mode & 07)) {
		lab_add(r, LAB_BAD,
			"chmod 750, and chgrp it to the TFTP server's group",
			"boot folder %s: mode %04o lets everybody read the "
			"boxes' keys",
			b.path, (unsigned int)st.st_mode & 07777);
	} else {
		lab_add(r, LAB_GOOD, NULL, "boot folder %s is closed to others",
			b.path);
		if (b.group == (gid_t)-1 && st.st_gid == getgid())
			lab_add(r, LAB_NOTE,
				"let it run in this group (see conf/pxe), or "
				"set boot_group in conf/controller.cfg to its",
				"boot folder: a TFTP server of another group "
				"cannot read it");
	}
	bootdir_close(&b);
}

/* ---- boxes --------------------------------------------------------------- */

/* As authkeys_line() has it: a home that was moved has the old one's lines. */
static bool has_line(const char *lines, const char *home, const char *box)
{
	struct buf command = { 0 }, name = { 0 };
	bool has = false;

	buf_printf(&command, " --home '%s' receive ", home);
	buf_printf(&name, " %s\" ssh-ed25519 ", box);
	while (*lines && !has) {
		size_t n = strcspn(lines, "\n");

		has = memmem(lines, n, buf_str(&command), command.len) &&
		      memmem(lines, n, buf_str(&name), name.len);
		lines += n + (lines[n] == '\n');
	}
	buf_free(&command);
	buf_free(&name);
	return has;
}

/* The box's line, in the home's own file or in the account's. */
static void one_box(struct lab_report *r, const struct home *h,
		    const char *box, const char *lines)
{
	char key[128];

	snprintf(key, sizeof(key), "keys/boxes/%s", box);
	if (faccessat(h->fd, key, F_OK, 0) < 0)
		lab_add(r, LAB_NOTE, "ironrig enroll it",
			"box %s has a host file and no key", box);
	else if (!has_line(lines, h->path, box))
		lab_add(r, LAB_BAD, "ironrig enroll it again",
			"box %s: its key stands in no authorized_keys for "
			"this home", box);
	else
		one_mode(r, h, key, 077, "chmod 600");
}

static void boxes(struct lab_report *r, const struct home *h)
{
	const struct passwd *pw = getpwuid(getuid());
	struct strlist names = { 0 };
	struct buf lines = { 0 };
	char path[4096];
	struct err e;

	if (io_read_file(h->fd, "keys/authorized_keys", &lines, AUTH_MAX, &e))
		buf_reset(&lines);
	snprintf(path, sizeof(path), "%s/.ssh/authorized_keys",
		 pw ? pw->pw_dir : "/");
	/* the machine's own sshd reads this one, serve the other */
	if (!authkeys_has_block(path, h->path))
		lab_add(r, LAB_NOTE,
			"enroll with --authorized-keys FILE, unless you use "
			"`ironrig serve'",
			"%s has no line of this home", path);
	if (boxview_list(h, &names, &e))
		lab_add(r, LAB_BAD, "run `ironrig init' again", "%s", e.msg);
	for (size_t i = 0; i < names.n; i++)
		one_box(r, h, names.v[i], buf_str(&lines));
	if (!names.n)
		lab_add(r, LAB_NOTE, "ironrig enroll BOX --mac ...",
			"no box is enrolled");
	strlist_free(&names);
	buf_free(&lines);
}

static void controller(struct lab_report *r, const struct home *h)
{
	struct conf_controller c;
	struct err e;

	if (conf_controller_load(h->fd, "conf/controller.cfg", &c, NULL, &e)) {
		lab_add(r, LAB_BAD, "mend the file", "%s", e.msg);
		return;
	}
	if (!c.address)
		lab_add(r, LAB_NOTE,
			"set address = \"HOST:PORT\" in conf/controller.cfg",
			"boxes are told no address but what their host files "
			"say");
	conf_controller_free(&c);
}

int labcheck_run(const struct home *home, struct lab_report *r, struct err *e)
{
	*r = (struct lab_report){ 0 };
	controller(r, home);
	folders(r, home);
	boot_folder(r, home);
	boxes(r, home);
	lab_shell(r);
	lab_sshd(r);
	return r->v ? 0 : err_set(e, ERR_LIMIT, "out of memory");
}
