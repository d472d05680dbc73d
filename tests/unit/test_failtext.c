// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What a kernel said when it failed, cut out of a log; two .config files.
 */
#include "report/confdiff.h"
#include "report/failtext.h"
#include "stats/dmesg.h"
#include "tap.h"

#include <string.h>

static const char LOG[] =
	"<6>[    1.000000] Linux version 6.1\n"
	"<4>[    2.500000] ------------[ cut here ]------------\n"
	"<4>[    2.500001] WARNING: CPU: 1 PID: 2 at kernel/foo.c:12 "
	"foo_bar+0x1/0x2\n"
	"<4>[    2.500002] Call Trace:\n"
	"<4>[    2.500003]  baz+0x3/0x9\n"
	"<4>[    2.500004] ---[ end trace 0000000000000000 ]---\n"
	"<6>[    3.000000] quiet again\n"
	"<1>[    9.000000] BUG: kernel NULL pointer dereference, address: 08\n"
	"<4>[    9.000001] RIP: 0010:\033[31mfoo\xff\r\n"
	"<0>[    9.000002] Kernel panic - not syncing: Fatal exception\n"
	"<0>[    9.000003] ---[ end Kernel panic - not syncing ]---\n"
	"<6>[    9.900000] never\n";

static void cuts(void)
{
	struct buf b = { 0 }, many = { 0 };
	char place[DMESG_PLACE];

	ok(dmesg_place("<4>[ 2.5] WARNING: CPU: 1 PID: 2 at kernel/foo.c:12 "
		       "foo_bar+0x1/0x2",
		       place),
	   "a line that starts a report");
	is_str(place, "WARNING:at_kernel/foo.c:#foo_bar", "its place");
	ok(!dmesg_place("<6>[ 1.0] Linux version 6.1", place), "one that not");
	ok(failtext_cut(LOG, "dmesg.WARNING:at_kernel/foo.c:#foo_bar", &b),
	   "the warning");
	is_str(buf_str(&b),
	       "[    2.500001] WARNING: CPU: 1 PID: 2 at kernel/foo.c:12 "
	       "foo_bar+0x1/0x2\n"
	       "[    2.500002] Call Trace:\n"
	       "[    2.500003]  baz+0x3/0x9\n"
	       "[    2.500004] ---[ end trace 0000000000000000 ]---\n",
	       "to the end of its trace, without levels");
	buf_reset(&b);
	ok(failtext_cut(LOG, "crashed", &b), "a crash: not the warning");
	is_str(buf_str(&b),
	       "[    9.000000] BUG: kernel NULL pointer dereference, address: "
	       "08\n"
	       "[    9.000001] RIP: 0010:?[31mfoo?\n"
	       "[    9.000002] Kernel panic - not syncing: Fatal exception\n"
	       "[    9.000003] ---[ end Kernel panic - not syncing ]---\n",
	       "and nothing that a terminal obeys");
	buf_reset(&b);
	ok(!failtext_cut(LOG, "dmesg.WARNING:at_kernel/other.c:#x", &b) &&
		   !b.len,
	   "another warning is not there");
	ok(!failtext_cut("", "crashed", &b), "an empty log");
	for (int i = 0; i < 100; i++)
		buf_puts(&many, "BUG: Bad page\n");
	ok(failtext_cut(buf_str(&many), "lost", &b), "one without an end");
	is_int(b.len, FAILTEXT_LINES * strlen("BUG: Bad page\n"),
	       "has so many lines");
	buf_free(&many);
	buf_free(&b);
}

static void configs(void)
{
	struct strlist d = { 0 };
	struct err e = ERR_INIT;

	ok(!confdiff("# c\nCONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\n"
		     "CONFIG_D=\"x=y\"\nCONFIG_SAME=100\nCONFIG_ZZ=y",
		     "CONFIG_SAME=100\nCONFIG_A=n\nCONFIG_AA=y\nCONFIG_C=y\n"
		     "CONFIG_B=m\nCONFIG_D=\"x=z\"\n",
		     &d, &e),
	   "two configs");
	is_int(d.n, 5, "differ in five");
	is_str(d.v[0], "CONFIG_A=y -> n", "set or not");
	is_str(d.v[1], "CONFIG_AA=n -> y", "new");
	is_str(d.v[2], "CONFIG_C=n -> y", "not set is n");
	is_str(d.v[3], "CONFIG_D=\"x=y\" -> \"x=z\"", "a text");
	is_str(d.v[4], "CONFIG_ZZ=y -> n", "gone, and without a newline");
	strlist_free(&d);
	ok(!confdiff("CONFIG_A=y\n", "CONFIG_A=y\n", &d, &e) && !d.n, "equal");
	ok(!confdiff("", "", &d, &e) && !d.n, "empty");
	strlist_free(&d);
}

int main(void)
{
	cuts();
	configs();
	return done_testing();
}
