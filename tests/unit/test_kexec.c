// SPDX-License-Identifier: GPL-3.0-or-later
#include "kexec.h"
#include "image.h"
#include "tap.h"

static void lines(void)
{
	char longer[IMAGE_CMDLINE_MAX + 1];
	struct buf b = { 0 };
	struct err e = ERR_INIT;

	ok(!kexec_cmdline("console=ttyS0 ironrig.boot=kexec\n",
			  "01-52-54-00-00-00-01", "6.1.0", &b, &e),
	   "made");
	is_str(buf_str(&b),
	       "console=ttyS0 ironrig.boot=kexec BOOTIF=01-52-54-00-00-00-01 "
	       "ironrig.prev=6.1.0",
	       "with this boot's own words");
	buf_reset(&b);
	ok(!kexec_cmdline("quiet", NULL, "6.1.0", &b, &e), "no BOOTIF");
	is_str(buf_str(&b), "quiet ironrig.prev=6.1.0", "is left out");
	buf_reset(&b);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	ok(kexec_cmdline(longer, NULL, "6.1.0", &b, &e) && e.kind == ERR_LIMIT,
	   "the kernel would cut it in silence");
	buf_free(&b);
}

static const char *file(const char *member)
{
	static char out[192];
	static struct err e;

	return kexec_member_file(member, "v6.1", out, &e) ? e.msg : out;
}

int main(void)
{
	lines();
	is_str(file("base"), "base.cpio", "base");
	is_str(file("modules"), "kernel/v6.1/modules.cpio", "modules");
	is_str(file("kernel"), "", "kernel comes with modules");
	is_str(file("overlay"), "overlay.cpio", "overlay");
	is_str(file("bundle-perf"), "bundle/perf.cpio", "a bundle");
	is_str(file("extra"), "member \"extra\" is not known", "no other");
	return done_testing();
}
