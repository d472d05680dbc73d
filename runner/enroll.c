// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What makes a box known, step by step; each step may have been done before,
 * and when one fails all are taken back: a box is known whole or not at all.
 * The key is valid before the overlay that carries it is there, so that a box
 * that boots in between is refused by nothing but time.
 */
#include "enroll.h"
#include "authkeys.h"
#include "bootdir.h"
#include "io.h"
#include "ipxe.h"
#include "overlay.h"
#include "secret.h"
#include "spawn.h"
#include "undo.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { KEY_FILE_MAX = 4096 };

/* ---- the host file ------------------------------------------------------- */

static int host_text(const struct enroll *r, struct buf *b, struct err *e)
{
	const struct passwd *pw = getpwuid(getuid());

	if (!r->mac)
		return err_set(e, ERR_INPUT, "--mac is needed, there is no "
					     "host file yet");
	buf_printf(b, "# Every key stands in ironrig.conf(5).\n"
		      "group = \"%s\";\n",
		   r->group ? r->group : r->box);
	if (r->controller)
		buf_printf(b, "controller = \"%s\";\n", r->controller);
	buf_printf(b, "user = \"%s\";\n", pw ? pw->pw_name : "ironrig");
	if (r->kernel)
		buf_printf(b, "kernel = \"%s\";\n", r->kernel);
	buf_puts(b, "net = { mac = \"");
	for (const char *p = r->mac; *p; p++) {
		char c = *p >= 'A' && *p <= 'F' ? (char)(*p + 32) : *p;

		buf_add(b, &c, 1);
	}
	buf_puts(b, "\"; };\n");
	return buf_ok(b, e);
}

/* Written beside its place and loaded from there before it counts. */
static int make_host(const struct home *h, const struct enroll *r,
		     const char *path, struct err *e)
{
	struct conf_host host;
	struct buf b = { 0 };
	char draft[160];
	int rc;

	snprintf(draft, sizeof(draft), "%s.draft", path);
	rc = host_text(r, &b, e);
	if (!rc)
		rc = io_replace_file(h->fd, draft, b.data, b.len, 0644, e);
	buf_free(&b);
	if (!rc)
		rc = conf_host_load(h->fd, draft, &host, NULL, e);
	if (!rc) {
		conf_host_free(&host);
		if (renameat(h->fd, draft, h->fd, path) < 0)
			rc = err_sys(e, "%s", path);
		else
			rc = io_fsync_parent(h->fd, path, e);
	}
	if (rc)
		unlinkat(h->fd, draft, 0);
	return rc;
}

static int agree(const char *what, const char *given, const char *there,
		 const char *path, struct err *e)
{
	if (!given || (there && !strcasecmp(given, there)))
		return 0;
	return err_set(e, ERR_CONFLICT, "%s is \"%.64s\" in %s: change it "
				       "there",
		       what, there ? there : "", path);
}

/* Loads the host file, with the controller's address filled in. */
static int load_host(const struct home *h, const struct enroll *r,
		     struct conf_host *host, struct err *e)
{
	struct conf_controller c;
	char path[128];

	snprintf(path, sizeof(path), "conf/hosts/%s.cfg", r->box);
	if (faccessat(h->fd, path, F_OK, 0) < 0 && make_host(h, r, path, e))
		return -1;
	if (conf_host_load(h->fd, path, host, NULL, e))
		return -1;
	if (agree("net.mac", r->mac, host->net.mac, path, e) ||
	    agree("group", r->group, host->group, path, e) ||
	    agree("kernel", r->kernel, host->kernel, path, e) ||
	    (host->controller &&
	     agree("controller", r->controller, host->controller, path, e)))
		goto fail;
	if (host->controller)
		return 0;
	if (conf_controller_load(h->fd, "conf/controller.cfg", &c, NULL, e))
		goto fail;
	host->controller = c.address;
	c.address = NULL;
	conf_controller_free(&c);
	if (host->controller)
		return 0;
	err_set(e, ERR_INPUT, "no controller = HOST:PORT in %s, no address in "
			      "conf/controller.cfg, no --controller",
		path);
fail:
	conf_host_free(host);
	return -1;
}

/* ---- the key ------------------------------------------------------------- */

static int generate(const struct home *h, const char *box, const char *name,
		    struct err *e)
{
	char *file, *comment = NULL;
	int rc = -1;

	if (asprintf(&file, "%s/%s", h->path, name) < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	if (asprintf(&comment, "ironrig box %s", box) < 0)
		err_set(e, ERR_LIMIT, "out of memory");
	else
		rc = spawn_run((const char *[]){ "ssh-keygen", "-q", "-t",
						 "ed25519", "-N", "", "-C",
						 comment, "-f", file, NULL },
			       e);
	free(comment);
	free(file);
	return rc;
}

/* private first: a pair of a new public and an old private key is no pair */
static int replace_pair(const struct home *h, const char *from, const char *to,
			struct err *e)
{
	char a[160], b[160];

	snprintf(a, sizeof(a), "%s.pub", from);
	snprintf(b, sizeof(b), "%s.pub", to);
	if (renameat(h->fd, from, h->fd, to) < 0 ||
	    renameat(h->fd, a, h->fd, b) < 0)
		return err_sys(e, "%s", to);
	return io_fsync_parent(h->fd, to, e);
}

static int make_key(const struct home *h, const char *box, bool rotate,
		    struct err *e)
{
	char key[128], fresh[140], public[150];

	snprintf(key, sizeof(key), "keys/boxes/%s", box);
	snprintf(public, sizeof(public), "%s.pub", key);
	if (!rotate && !faccessat(h->fd, key, F_OK, 0) &&
	    !faccessat(h->fd, public, F_OK, 0))
		return 0;
	/* ':' is in no box's name */
	snprintf(fresh, sizeof(fresh), "%s:new", key);
	snprintf(public, sizeof(public), "%s.pub", fresh);
	unlinkat(h->fd, fresh, 0);
	unlinkat(h->fd, public, 0);
	if (!generate(h, box, fresh, e) && !replace_pair(h, fresh, key, e))
		return 0;
	unlinkat(h->fd, fresh, 0);
	unlinkat(h->fd, public, 0);
	return -1;
}

/* ---- authorized_keys ----------------------------------------------------- */

/* The files that may hold the box's line. */
static int key_files(const struct home *h, const struct enroll *r,
		     struct strlist *files, struct err *e)
{
	const struct passwd *pw = getpwuid(getuid());
	char *own = NULL, *account = NULL;
	int rc;

	if (asprintf(&own, "%s/keys/authorized_keys", h->path) < 0)
		return err_set(e, ERR_LIMIT, "out of memory");
	if (asprintf(&account, "%s/.ssh/authorized_keys",
		     pw ? pw->pw_dir : "/") < 0) {
		free(own);
		return err_set(e, ERR_LIMIT, "out of memory");
	}
	rc = strlist_add(files, own, e);
	if (!rc && r->authorized_keys)
		rc = strlist_add(files, r->authorized_keys, e);
	if (!rc && authkeys_has_block(account, h->path))
		rc = strlist_add(files, account, e);
	free(account);
	free(own);
	return rc;
}

/* In each of them; line NULL takes it out. */
static int edit_all(const struct home *h, const struct enroll *r,
		    const char *line, struct err *e)
{
	struct strlist files = { 0 };
	int rc = key_files(h, r, &files, e);

	for (size_t i = 0; !rc && i < files.n; i++)
		rc = authkeys_edit_file(files.v[i], h->path, r->box, line, e);
	strlist_free(&files);
	return rc;
}

static int authorize(const struct home *h, const struct enroll *r,
		     struct err *e)
{
	struct buf public = { 0 }, line = { 0 };
	char path[128];
	int rc;

	snprintf(path, sizeof(path), "keys/boxes/%s.pub", r->box);
	rc = io_read_file(h->fd, path, &public, KEY_FILE_MAX, e);
	if (!rc && authkeys_line(h, r->box, buf_str(&public), &line, e))
		rc = err_prefix(e, "%s", path);
	if (!rc)
		rc = edit_all(h, r, line.data, e);
	buf_free(&public);
	buf_free(&line);
	return rc;
}

/* ---- all of it ----------------------------------------------------------- */

/* Two at once would lose one's line. */
static int lock(const struct home *h, int *fd, struct err *e)
{
	*fd = openat(h->fd, "keys/.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (*fd >= 0 && !flock(*fd, LOCK_EX))
		return 0;
	err_sys(e, "keys/.lock");
	io_close(fd);
	return -1;
}

/* The script needs a kernel and a base image, which may come later. */
static int point(const struct home *h, const struct conf_host *host,
		 struct strlist *notes, struct err *e)
{
	if (ipxe_write_chain(h, e))
		return -1;
	if (!host->net.mac)
		return strlist_add(notes, "note: no net.mac: no iPXE script is "
					  "made for it", e);
	if (!host->kernel)
		return strlist_add(notes, "note: no home kernel yet: "
					  "`ironrig kernel add', then kernel = "
					  "NAME in its host file, then enroll "
					  "again", e);
	if (!ipxe_write_box(h, host, host->kernel, NULL, e))
		return 0;
	if (e->kind != ERR_NOTFOUND)
		return -1;
	err_prefix(e, "note: not bootable yet");
	return strlist_add(notes, e->msg, e);
}

/* ---- taking it back ------------------------------------------------------ */

/* All that may change but the script, whose name the host file tells. */
static int note_files(const struct home *h, const struct enroll *r,
		      struct undo *u, struct err *e)
{
	struct strlist files = { 0 };
	const char *box = r->box;
	struct bootdir boot;
	int rc;

	if (bootdir_open(h, &boot, e))
		return -1;
	rc = key_files(h, r, &files, e);
	for (size_t i = 0; !rc && i < files.n; i++)
		rc = undo_note(u, e, "%s", files.v[i]);
	if (!rc &&
	    (undo_note(u, e, "%s/conf/hosts/%s.cfg", h->path, box) ||
	     undo_note(u, e, "%s/keys/boxes/%s", h->path, box) ||
	     undo_note(u, e, "%s/keys/boxes/%s.pub", h->path, box) ||
	     undo_note(u, e, "%s/boxes/%s.cpio", boot.path, box) ||
	     undo_note(u, e, "%s/boxes/%s.sha", boot.path, box) ||
	     undo_note(u, e, "%s/boot.ipxe", boot.path)))
		rc = -1;
	strlist_free(&files);
	bootdir_close(&boot);
	return rc;
}

static int note_script(const struct home *h, const struct conf_host *host,
		       struct undo *u, struct err *e)
{
	struct bootdir boot;
	char name[32];
	int rc;

	if (!host->net.mac)
		return 0;
	if (bootdir_open(h, &boot, e))
		return -1;
	ipxe_script_name(host->net.mac, name);
	rc = undo_note(u, e, "%s/%s", boot.path, name);
	bootdir_close(&boot);
	return rc;
}

static int add(const struct home *h, const struct enroll *r, bool rotate,
	       struct undo *u, struct strlist *notes, struct err *e)
{
	struct conf_host host;
	int rc;

	if (load_host(h, r, &host, e))
		return -1;
	rc = note_script(h, &host, u, e);
	if (!rc)
		rc = make_key(h, r->box, rotate, e);
	if (!rc)
		rc = authorize(h, r, e);
	if (!rc)
		rc = overlay_write(h, &host, e);
	if (!rc)
		rc = point(h, &host, notes, e);
	conf_host_free(&host);
	return rc;
}

int enroll_add(const struct home *h, const struct enroll *r, bool rotate,
	       struct strlist *notes, struct err *e)
{
	struct undo u = { 0 };
	int held, rc;

	secret_hold(); /* the old key is kept until all is well */
	if (lock(h, &held, e))
		return -1;
	rc = note_files(h, r, &u, e);
	if (!rc) {
		rc = add(h, r, rotate, &u, notes, e);
		if (rc)
			undo_all(&u, e);
	}
	undo_free(&u);
	io_close(&held);
	return rc;
}

int enroll_remove(const struct home *h, const struct enroll *r, struct err *e)
{
	struct bootdir boot = { .fd = -1 };
	char path[160];
	int held, rc;

	if (lock(h, &held, e))
		return -1;
	rc = edit_all(h, r, NULL, e);
	for (int i = 0; !rc && i < 2; i++) {
		snprintf(path, sizeof(path), "keys/boxes/%s%s", r->box,
			 i ? ".pub" : "");
		if (unlinkat(h->fd, path, 0) < 0 && errno != ENOENT)
			rc = err_sys(e, "%s", path);
	}
	if (!rc)
		rc = bootdir_open(h, &boot, e);
	if (!rc) {
		/* it holds a copy of the key */
		snprintf(path, sizeof(path), "boxes/%s.cpio", r->box);
		if (unlinkat(boot.fd, path, 0) < 0 && errno != ENOENT)
			rc = err_sys(e, "%s", path);
	}
	bootdir_close(&boot);
	io_close(&held);
	return rc;
}
