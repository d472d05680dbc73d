// SPDX-License-Identifier: GPL-3.0-or-later
#include "tap.h"

#include "moddep.h"

/* As `depmod -n' prints it, with the lines that are for others. */
static const char listing[] =
	"kernel/net/a.ko:\n"
	"kernel/net/b-one.ko: kernel/net/c.ko.xz kernel/net/a.ko\n"
	"kernel/net/c.ko.xz:\n"
	"kernel/phy/realtek.ko: kernel/phy/libphy.ko\n"
	"kernel/phy/libphy.ko:\n"
	"kernel/eth/r8169.ko:\n"
	"kernel/eth/loopy.ko:\n"
	"# Aliases extracted from modules themselves.\n"
	"alias pci:v*d* r8169\n"
	"alias of:x:y a\n"
	"softdep r8169 pre: realtek\n"
	"softdep b_one pre: no-such post: loopy\n"
	"softdep loopy pre: b-one\n"
	"alias symbol:foo a\n";

static void chosen(const struct moddep *d, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].chosen)
			at += (size_t)snprintf(out + at, size - at, "%s ",
					       d->v[i].name);
}

static void choose(const char *name, int rc, const char *expected)
{
	char text[sizeof(listing)], got[256];
	struct err e = ERR_INIT;
	struct moddep d;

	memcpy(text, listing, sizeof(text));
	ok(!moddep_parse(text, "kernel/fs/virtio-fs.ko\n", &d, &e),
	   "parsed %s", e.msg);
	is_int(d.n, 7, "seven modules");
	is_int(moddep_choose(&d, name, &e), rc, "%s", name);
	chosen(&d, got, sizeof(got));
	is_str(got, expected, "%s brings what it needs", name);
	moddep_free(&d);
}

int main(void)
{
	char text[] = "kernel/x.ko:\n", name[64];
	struct err e = ERR_INIT;
	struct moddep d;

	choose("a", 1, "a ");
	choose("r8169", 1, "libphy r8169 realtek ");
	/* '-' is '_', compressed names count, softdeps may go in circles */
	choose("b_one", 1, "a b_one c loopy ");
	choose("loopy", 1, "a b_one c loopy ");
	choose("none", 0, "");
	ok(!moddep_parse(text, "kernel/fs/virtio-fs.ko\nkernel/y.ko\n", &d,
			 &e),
	   "parsed");
	ok(moddep_builtin(&d, "virtio_fs"), "built in");
	ok(moddep_builtin(&d, "y"), "built in, the last line");
	ok(!moddep_builtin(&d, "x"), "not built in");
	moddep_choose_all(&d);
	ok(d.v[0].chosen, "all of them");
	moddep_free(&d);
	moddep_name("kernel/a/snd-hda-intel.ko.zst", name, sizeof(name));
	is_str(name, "snd_hda_intel", "a module's name");
	return done_testing();
}
