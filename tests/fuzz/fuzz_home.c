// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Files of the controller that somebody or something has spoilt: an account's
 * authorized_keys, a box's log of leases, a host file on its way into an iPXE
 * script, numbers to be compared. The first byte chooses.
 */
#include "fuzz.h"
#include "authkeys.h"
#include "home.h"
#include "io.h"
#include "ipxe.h"
#include "plan.h"
#include "report/compare.h"
#include "report/values.h"

/* What is not between the marks of this home. */
static void outside(const char *text, struct buf *out)
{
	static const char begin[] = "# ironrig: begin /h\n";
	static const char end[] = "# ironrig: end /h\n";
	bool inside = false;

	while (*text) {
		size_t n = strcspn(text, "\n") + 1;

		inside = inside || !strncmp(text, begin, sizeof(begin) - 1);
		if (!inside)
			buf_add(out, text, strnlen(text, n));
		if (!strncmp(text, end, sizeof(end) - 1))
			inside = false;
		text += strnlen(text, n);
	}
}

static void keys(const uint8_t *p, size_t n)
{
	static const char line[] = "restrict ssh-ed25519 AAAA ironrig:b1\n";
	char *text = fuzz_piece(&p, &n);
	struct buf one = { 0 }, two = { 0 }, three = { 0 };
	struct buf was = { 0 }, is = { 0 };

	if (!authkeys_edit(text, "/h", "b1", line, &one, NULL)) {
		/* the owner's lines stay, ours stands there once */
		outside(text, &was);
		outside(buf_str(&one), &is);
		require(strchr(text, '\r') ||
			!strncmp(buf_str(&was), buf_str(&is), was.len));
		require(strstr(one.data, line));
		require(!authkeys_edit(one.data, "/h", "b1", line, &two,
				       NULL) &&
			!strcmp(one.data, two.data));
		require(!authkeys_edit(one.data, "/h", "b1", NULL, &three,
				       NULL));
	}
	buf_free(&one);
	buf_free(&two);
	buf_free(&three);
	buf_free(&was);
	buf_free(&is);
	free(text);
}

static void leases(const uint8_t *p, size_t n)
{
	struct lease_log l = { .fd = -1 };
	struct strlist none = { 0 };
	struct plan_step step;
	struct plan_in in = { .log = &l, .done = &none, .bad = &none,
			      .boot_id =
				      "01234567-89ab-cdef-0123-456789abcdef" };
	size_t used = 0;

	if (!lease_log_parse((const char *)p, n, &l, &used, NULL)) {
		require(used <= n);
		for (const struct lease_event *ev = NULL;
		     (ev = lease_before(&l, "ab", ev));)
			require(!strcmp(ev->experiment, "ab"));
		for (size_t i = 0; i < l.n; i++)
			(void)lease_end(&l, l.v[i].lease);
		(void)!plan_next(&in, &step, NULL);
	}
	lease_log_close(&l);
}

/* A home with one kernel and a box that can boot it. */
static struct home *home(void)
{
	static const char sha[] = "0123456789abcdef0123456789abcdef"
				  "0123456789abcdef0123456789abcdef";
	static struct home h;
	struct buf b = { 0 };
	struct err e = ERR_INIT;

	if (h.path)
		return &h;
	fuzz_file("conf/controller.cfg", "", 0);
	buf_printf(&b, "name = \"k\"; id = \"%s\"; release = \"6.1\";\n"
		   "version = \"#1\"; append = \"\"; image_sha256 = \"%s\";\n"
		   "modules_sha256 = \"%s\";\n", sha, sha, sha);
	fuzz_file("kernels/k/kernel.cfg", b.data, b.len);
	fuzz_file("kernels/k/vmlinuz", "x", 1);
	fuzz_file("kernels/k/modules.cpio", "x", 1);
	fuzz_file("boot/base.sha", sha, 64);
	fuzz_file("boot/boxes/b1.sha", sha, 64);
	buf_free(&b);
	require(!home_open(fuzz_dir, &h, &e));
	return &h;
}

/* No line but those that are meant to be there. */
static void check_script(char *l)
{
	static const char *const verb[] = {
		"#", "echo ironrig: ", "kernel --name vmlinuz ",
		"initrd --name ", "boot || goto failed\n", ":failed\n",
		"sleep 10\n", "reboot\n",
	};

	for (; *l; l += strcspn(l, "\n") + 1) {
		size_t i = 0;

		while (i < 8 && strncmp(l, verb[i], strlen(verb[i])) != 0)
			i++;
		require(i < 8 && !memmem(l, strcspn(l, "\n"), "&&", 2));
	}
}

static void script(const uint8_t *p, size_t n)
{
	struct strlist none = { 0 };
	struct conf_host h = { 0 };
	struct buf b = { 0 };
	char path[64] = "boot/", *box;

	fuzz_file("host.cfg", p, n);
	if (conf_host_load(fuzz_root(), "host.cfg", &h, NULL, NULL))
		return;
	box = h.box;
	h.box = (char *)"b1";
	if (!ipxe_write_box(home(), &h, "k", &none, NULL)) {
		ipxe_script_name(h.net.mac, path + strlen(path));
		require(!io_read_file(fuzz_root(), path, &b, 65536, NULL));
		check_script(b.data);
	}
	buf_free(&b);
	h.box = box;
	conf_host_free(&h);
}

static void values(const uint8_t *p, size_t n)
{
	char base[64], head[64];
	struct compare c = { 0 };

	fuzz_file("base", p, n / 2);
	fuzz_file("head", p + n / 2, n - n / 2);
	snprintf(base, sizeof(base), "%s/base", fuzz_dir);
	snprintf(head, sizeof(head), "%s/head", fuzz_dir);
	(void)!values_load(base, head, n % 2, VERDICT_HIGHER, &c, NULL);
	compare_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const what[])(const uint8_t *, size_t) = {
		keys, leases, script, values,
	};

	if (size && size <= 65536)
		what[*data % 4](data + 1, size - 1);
	return 0;
}
