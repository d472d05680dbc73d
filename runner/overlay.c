// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The member that makes an image one box's own. Not compressed: it is small,
 * and plain cpio is what every kernel reads.
 */
#include "overlay.h"

#include "bootdir.h"
#include "cpio.h"
#include "home.h"
#include "image.h"
#include "io.h"
#include "secret.h"

#include <stdio.h>
#include <string.h>

enum { KEY_MAX = 16384 };

/*
 * The controller's host key as sshd(8)'s known_hosts has it: "host" for port
 * 22, else "[host]:port"; the key's type and base64, without its comment.
 */
static int known_hosts(const struct home *home, const char *controller,
		       struct buf *out, struct err *e)
{
	static const char path[] = "keys/controller_host_ed25519.pub";
	const char *colon = controller ? strrchr(controller, ':') : NULL;
	char line[1024], *comment;
	int host;

	if (!colon)
		return err_set(e, ERR_INPUT, "controller: expected host:port");
	if (io_read_line(home->fd, path, line, sizeof(line), e))
		return -1;
	comment = strchr(line, ' ');
	comment = comment ? strchr(comment + 1, ' ') : NULL;
	if (comment)
		*comment = '\0';
	host = (int)(colon - controller);
	if (*controller == '[') { /* "[v6]:port" */
		controller++;
		host -= 2;
	}
	if (!strcmp(colon + 1, "22"))
		buf_printf(out, "%.*s %s\n", host, controller, line);
	else
		buf_printf(out, "[%.*s]:%s %s\n", host, controller, colon + 1,
			   line);
	return buf_ok(out, e);
}

static int fill(const struct home *home, const struct conf_host *h,
		struct cpio *c, struct err *e)
{
	struct buf host = { 0 }, key = { 0 }, known = { 0 };
	struct conf_host shown = *h; /* borrows every string */
	char path[160];
	int rc = -1;

	/* they may hold a BMC's password, and a box cannot cycle itself */
	memset(&shown.power, 0, sizeof(shown.power));
	shown.power.max_cycles = h->power.max_cycles;
	snprintf(path, sizeof(path), "keys/boxes/%s", h->box);
	if (conf_host_write(&shown, &host, e) ||
	    io_read_file(home->fd, path, &key, KEY_MAX, e) ||
	    known_hosts(home, h->controller, &known, e) ||
	    cpio_take(c, IMAGE_HOST_FILE, 0644, &host, e) ||
	    cpio_take(c, IMAGE_KEY_FILE, 0600, &key, e) ||
	    cpio_take(c, IMAGE_KNOWN_HOSTS_FILE, 0644, &known, e))
		goto out;
	rc = 0;
out:
	buf_free(&host);
	buf_free(&key);
	buf_free(&known);
	return rc;
}

int overlay_write(const struct home *home, const struct conf_host *h,
		  struct err *e)
{
	struct bootdir boot = { .fd = -1 };
	struct cpio *c = cpio_new("overlay", e);
	struct cpio_made made;
	struct buf out = { 0 };
	char path[160];
	int rc = -1;

	secret_hold();
	if (!c || bootdir_open(home, &boot, e) || fill(home, h, c, e) ||
	    cpio_pack(c, CPIO_PLAIN, &out, &made, e))
		goto out;
	snprintf(path, sizeof(path), "boxes/%s.cpio", h->box);
	rc = bootdir_put(&boot, path, out.data, out.len, e);
	if (!rc)
		rc = bootdir_sha_write(boot.fd, path, made.manifest_sha256,
				       e);
out:
	buf_free(&out);
	cpio_free(c);
	bootdir_close(&boot);
	return rc ? err_prefix(e, "overlay of box %s", h->box) : 0;
}
