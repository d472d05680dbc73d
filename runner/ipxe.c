// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * iPXE scripts: which kernel and members a box loads, and the command line
 * that says so to the agent.
 */
#include "ipxe.h"

#include "bootdir.h"
#include "bundle.h"
#include "home.h"
#include "image.h"
#include "io.h"
#include "kernel.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * netX is the NIC that iPXE used last. A machine that nobody enrolled goes on
 * to its next boot device, which on a shared network is its disk.
 */
static const char chain[] =
"#!ipxe\n"
"# ironrig: one script a box, found by the MAC it boots from\n"
"chain --autofree mac-${netX/mac:hexhyp}.ipxe || goto unknown\n"
"exit\n"
":unknown\n"
"echo ironrig: no script for ${netX/mac}; on the controller:\n"
"echo ironrig enroll BOX --mac ${netX/mac}\n"
"sleep 5\n"
"exit\n";

/* In a box's script, for ipxe_refresh(). */
static const char kernel_mark[] = "# kernel: ";

int ipxe_write_chain(const struct home *home, struct err *e)
{
	struct bootdir boot;
	struct buf old = { 0 };
	int rc = bootdir_open(home, &boot, e);

	if (rc)
		return -1;
	if (io_read_file(boot.fd, "boot.ipxe", &old, sizeof(chain), e) ||
	    strcmp(old.data, chain) != 0)
		rc = bootdir_put(&boot, "boot.ipxe", chain, sizeof(chain) - 1,
				 e);
	buf_free(&old);
	bootdir_close(&boot);
	return rc;
}

void ipxe_script_name(const char *mac, char out[32])
{
	snprintf(out, 32, "mac-%.17s.ipxe", mac);
	for (char *s = out; *s; s++)
		if (*s == ':')
			*s = '-';
}

/* ---- members ------------------------------------------------------------------ */

struct member {
	char name[80]; /* as in ironrig.members */
	char path[160]; /* below the boot folder; "" shares the one before */
	char sha256[SHA256_HEX];
};

/* base, modules, kernel, overlay, and bundles */
enum { FIXED_MEMBERS = 4, MEMBERS_MAX = FIXED_MEMBERS + 16 };

struct plan {
	struct conf_kernel kernel;
	struct member v[MEMBERS_MAX];
	size_t n;
};

static struct member *next_member(struct plan *p)
{
	return &p->v[p->n++];
}

static int add_bundle(struct plan *p, const struct home *home,
		      const char *name, struct err *e)
{
	struct member *m;

	if (p->n == MEMBERS_MAX)
		return err_set(e, ERR_LIMIT, "more than %d bundles",
			       MEMBERS_MAX - FIXED_MEMBERS);
	m = next_member(p);
	snprintf(m->name, sizeof(m->name), "bundle-%s", name);
	snprintf(m->path, sizeof(m->path), "bundles/%s.cpio", name);
	if (bootdir_sha_read(home->fd, m->path, m->sha256, e))
		return err_prefix(e, "bundle %s (`ironrig image bundle %s')",
				  name, name);
	return 0;
}

static int make_plan(struct plan *p, const struct home *home,
		     const struct bootdir *boot, const struct conf_host *h,
		     const char *kernel, const struct strlist *bundles,
		     struct err *e)
{
	struct member *m;

	*p = (struct plan){ .n = 0 };
	if (kernel_load(home, kernel, &p->kernel, e))
		return -1;
	m = next_member(p);
	*m = (struct member){ .name = "base", .path = "base.cpio" };
	if (bootdir_sha_read(boot->fd, m->path, m->sha256, e))
		return err_prefix(e, "`ironrig image base' first");
	m = next_member(p);
	*m = (struct member){ .name = "modules" };
	snprintf(m->path, sizeof(m->path), "kernels/%s/modules.cpio", kernel);
	snprintf(m->sha256, sizeof(m->sha256), "%s", p->kernel.modules_sha256);
	m = next_member(p);
	*m = (struct member){ .name = "kernel" };
	if (kernel_member_sha(&p->kernel, m->sha256, e))
		return -1;
	m = next_member(p);
	*m = (struct member){ .name = "overlay" };
	snprintf(m->path, sizeof(m->path), "boxes/%s.cpio", h->box);
	if (bootdir_sha_read(boot->fd, m->path, m->sha256, e))
		return err_prefix(e, "`ironrig enroll %s' first", h->box);
	for (size_t i = 0; i < bundles->n; i++)
		if (add_bundle(p, home, bundles->v[i], e))
			return -1;
	return 0;
}

/* ---- command line ---------------------------------------------------------------- */

/* Is there a word "--", or a quote that is never closed? */
static bool ends_options(const char *s)
{
	bool quoted = false, start = true;

	for (; *s; s++) {
		if (start && !quoted && !strncmp(s, "--", 2) &&
		    (!s[2] || s[2] == ' '))
			return true;
		if (*s == '"')
			quoted = !quoted;
		start = *s == ' ';
	}
	return quoted;
}

int ipxe_check_words(const char *what, const char *s, struct err *e)
{
	if (!s)
		return 0;
	/* iPXE's shell */
	if (strstr(s, "${") || strstr(s, "||") || strstr(s, "&&") ||
	    strstr(s, " #") || *s == '#' || strpbrk(s, "\r\n"))
		return err_set(e, ERR_INPUT,
			       "%s: iPXE would take \"${\", \"||\", \"&&\", "
			       "\"#\" or a newline in it for its own",
			       what);
	/* what is appended behind it would be in the command line for show */
	if (ends_options(s))
		return err_set(e, ERR_INPUT,
			       "%s: behind \"--\" or an open quote the kernel "
			       "takes no more options", what);
	return 0;
}

static bool names_oops(const char *append)
{
	return append && strstr(append, "oops=");
}

static int put_cmdline(const struct plan *p, const struct conf_host *h,
		       enum boot_mode mode, struct buf *out, struct err *e)
{
	size_t start = out->len;

	if (h->console && *h->console)
		buf_printf(out, "console=tty0 console=%s ", h->console);
	buf_printf(out, "panic=%d", h->panic_s);
	if (h->softlockup_panic)
		buf_puts(out, " softlockup_panic=1");
	if (h->hung_task_panic)
		buf_puts(out, " hung_task_panic=1");
	/*
	 * A kexec that hangs before its agent runs is ended by the watchdog
	 * that the kernel before it left running. An experiment may ask for
	 * kexec on any box; before other reboots the agent stops it itself.
	 */
	buf_puts(out, " watchdog.stop_on_reboot=0");
	/*
	 * A cut member can make the kernel's LZ4 decoder run off the end of
	 * the image (seen with 6.1): the oops ends the worker that unpacks,
	 * and the boot waits for it for ever.
	 */
	if (!names_oops(h->append) && !names_oops(p->kernel.append))
		buf_puts(out, " oops=panic " IMAGE_ARG_OOPS "=0");
	if (h->append && *h->append)
		buf_printf(out, " %s", h->append);
	if (p->kernel.append && *p->kernel.append)
		buf_printf(out, " %s", p->kernel.append);
	buf_printf(out, " " IMAGE_ARG_BOOT "=%s " IMAGE_ARG_KERNEL "=%s:%s",
		   mode == BOOT_KEXEC ? "kexec" : "firmware", p->kernel.name,
		   p->kernel.id);
	for (size_t i = 0; i < p->n; i++)
		buf_printf(out, "%s%s:%s", i ? "," : " " IMAGE_ARG_MEMBERS "=",
			   p->v[i].name, p->v[i].sha256);
	if (buf_ok(out, e))
		return -1;
	/* BOOTIF= and an initrd= for each member come on top */
	if (out->len - start + 64 + p->n * 32 > IMAGE_CMDLINE_MAX)
		return err_set(e, ERR_LIMIT,
			       "the command line has %zu characters, the "
			       "kernel reads %d",
			       out->len - start, IMAGE_CMDLINE_MAX);
	return 0;
}

int ipxe_cmdline(const struct home *home, const struct conf_host *h,
		 const char *kernel, const struct strlist *bundles,
		 enum boot_mode boot_mode, struct buf *out, struct err *e)
{
	struct strlist own = { 0 };
	struct bootdir boot;
	struct plan p = { .n = 0 };
	int rc = bootdir_open(home, &boot, e);

	if (rc)
		return -1;
	if (!bundles) {
		rc = bundle_of_box(home, h->box, &own, e);
		bundles = &own;
	}
	if (!rc)
		rc = make_plan(&p, home, &boot, h, kernel, bundles, e);
	if (!rc)
		rc = put_cmdline(&p, h, boot_mode, out, e);
	conf_kernel_free(&p.kernel);
	strlist_free(&own);
	bootdir_close(&boot);
	return rc;
}

/* ---- the script ------------------------------------------------------------------- */

/* "kernels/x/modules.cpio" is loaded as "modules.cpio", and so on. */
static const char *image_name(const struct member *m)
{
	const char *slash = strrchr(m->path, '/');

	return strcmp(m->name, "overlay") ? slash ? slash + 1 : m->path :
					    "overlay.cpio";
}

/*
 * UEFI hands the members over by name, so each stands on the command line as
 * initrd=; BIOS ignores that.
 */
static int put_script(const struct plan *p, const struct bootdir *boot,
		      const struct conf_host *h, struct buf *out,
		      struct err *e)
{
	const char *name = p->kernel.name;

	buf_printf(out, "#!ipxe\n# box: %s\n%s%s\n", h->box, kernel_mark,
		   name);
	buf_puts(out, "# written by ironrig; edits do not last\n");
	buf_printf(out, "echo ironrig: %s boots %s\n", h->box, name);
	buf_printf(out, "kernel --name vmlinuz %skernels/%s/vmlinuz",
		   boot->url, name);
	for (size_t i = 0; i < p->n; i++)
		if (*p->v[i].path)
			buf_printf(out, " initrd=%s", image_name(&p->v[i]));
	buf_puts(out, " BOOTIF=01-${netX/mac:hexhyp} ");
	if (put_cmdline(p, h, BOOT_FIRMWARE, out, e))
		return -1;
	buf_puts(out, " || goto failed\n");
	for (size_t i = 0; i < p->n; i++)
		if (*p->v[i].path)
			buf_printf(out, "initrd --name %s %s%s || "
					"goto failed\n",
				   image_name(&p->v[i]), boot->url,
				   p->v[i].path);
	buf_puts(out, "boot || goto failed\n"
		      ":failed\n"
		      "echo ironrig: cannot load it; again in 10 seconds\n"
		      "sleep 10\n"
		      "reboot\n");
	return buf_ok(out, e);
}

static int show_files(const struct plan *p, const struct home *home,
		      const struct bootdir *boot, struct err *e)
{
	char path[160];

	snprintf(path, sizeof(path), "kernels/%s/vmlinuz", p->kernel.name);
	if (bootdir_show(boot, home, path, path, e))
		return -1;
	/* base and overlay were put there when they were made */
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->v[i].name, "modules") || i >= FIXED_MEMBERS)
			if (bootdir_show(boot, home, p->v[i].path,
					 p->v[i].path, e))
				return -1;
	return 0;
}

static int write_box(const struct home *home, const struct bootdir *boot,
		     const struct conf_host *h, const char *kernel,
		     const struct strlist *bundles, struct err *e)
{
	struct plan p = { .n = 0 };
	struct buf script = { 0 };
	char name[32];
	int rc = -1;

	if (!h->net.mac || !*h->net.mac)
		return err_set(e, ERR_INPUT, "net.mac is not given: its "
					     "script is found by it");
	if (ipxe_check_words("append", h->append, e) ||
	    ipxe_check_words("console", h->console, e) ||
	    make_plan(&p, home, boot, h, kernel, bundles, e) ||
	    ipxe_check_words("the kernel's append", p.kernel.append, e) ||
	    put_script(&p, boot, h, &script, e) ||
	    show_files(&p, home, boot, e))
		goto out;
	ipxe_script_name(h->net.mac, name);
	rc = bootdir_put(boot, name, script.data, script.len, e);
out:
	conf_kernel_free(&p.kernel);
	buf_free(&script);
	return rc;
}

int ipxe_write_box(const struct home *home, const struct conf_host *h,
		   const char *kernel, const struct strlist *bundles,
		   struct err *e)
{
	struct strlist own = { 0 };
	struct bootdir boot;
	int rc = bootdir_open(home, &boot, e);

	if (rc)
		return err_prefix(e, "box %s", h->box);
	if (!bundles) {
		rc = bundle_of_box(home, h->box, &own, e);
		bundles = &own;
	}
	if (!rc)
		rc = write_box(home, &boot, h, kernel, bundles, e);
	strlist_free(&own);
	bootdir_close(&boot);
	return rc ? err_prefix(e, "box %s", h->box) : 0;
}

/* ---- refresh ------------------------------------------------------------------------ */

/* The kernel that a box's script names; "" when it has no script. */
static void script_kernel(const struct bootdir *boot, const char *mac,
			  char *out, size_t size)
{
	struct buf b = { 0 };
	struct err ignored;
	char name[32];
	const char *s;

	*out = '\0';
	ipxe_script_name(mac, name);
	if (!io_read_file(boot->fd, name, &b, 65536, &ignored)) {
		s = strstr(b.data, kernel_mark);
		if (s) {
			s += sizeof(kernel_mark) - 1;
			snprintf(out, size, "%.*s", (int)strcspn(s, "\n"), s);
		}
	}
	buf_free(&b);
}

static int refresh_one(const struct home *home, const struct bootdir *boot,
		       int hosts, const char *file, struct err *e)
{
	struct conf_host h = { 0 };
	char kernel[65];
	int rc = conf_host_load(hosts, file, &h, NULL, e);

	if (rc)
		return -1;
	script_kernel(boot, h.net.mac ? h.net.mac : "", kernel,
		      sizeof(kernel));
	if (*kernel)
		rc = ipxe_write_box(home, &h, kernel, NULL, e);
	conf_host_free(&h);
	return rc;
}

int ipxe_refresh(const struct home *home, struct err *e)
{
	struct bootdir boot;
	struct dirent *d;
	DIR *dir = NULL;
	int fd, rc = bootdir_open(home, &boot, e);

	if (rc)
		return -1;
	fd = openat(home->fd, "conf/hosts",
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		dir = fdopendir(fd);
	if (!dir) {
		io_close(&fd);
		rc = err_sys(e, "conf/hosts");
	}
	while (dir && !rc && (d = readdir(dir))) {
		const char *dot = strrchr(d->d_name, '.');

		if (*d->d_name != '.' && dot && !strcmp(dot, ".cfg"))
			rc = refresh_one(home, &boot, fd, d->d_name, e);
	}
	if (dir)
		closedir(dir);
	bootdir_close(&boot);
	return rc;
}
