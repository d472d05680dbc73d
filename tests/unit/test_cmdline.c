// SPDX-License-Identifier: GPL-3.0-or-later
#include "cmdline.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void words(void)
{
	struct cmdline c = { 0 };
	struct err e = ERR_INIT;

	ok(!cmdline_parse("quiet  a=1\ta=2 dyn=\"x y\" \"k=v w\" ironrig.x\n",
			  &c, &e),
	   "parsed");
	is_int(c.word.n, 6, "words");
	is_str(cmdline_get(&c, "a"), "2", "the last one wins");
	is_str(cmdline_get(&c, "dyn"), "x y", "quoted value");
	is_str(cmdline_get(&c, "k"), "v w", "quoted word");
	is_str(cmdline_get(&c, "ironrig.x"), "", "bare word");
	ok(!cmdline_get(&c, "ironrig"), "no prefix of a key");
	ok(!cmdline_get(&c, "dy"), "nor of another");
	cmdline_free(&c);
	ok(!cmdline_parse("", &c, &e) && !c.word.n, "empty");
	ok(!cmdline_parse("a=\"open end", &c, &e), "open quote");
	is_str(cmdline_get(&c, "a"), "open end", "reaches to the end");
	cmdline_free(&c);
}

static void arguments(void)
{
	char one[] = "ironrig.boot=kexec", *argv[] = { one, NULL };
	struct cmdline c = { 0 };
	struct err e = ERR_INIT;
	int root = scratch_open();

	ok(cmdline_read(root, argv, &c, &e) && e.sys, "no proc: error");
	cmdline_free(&c);
	put("proc/cmdline", "ironrig.boot=firmware ro\n");
	ok(!cmdline_read(root, argv, &c, &e), "read");
	is_str(cmdline_get(&c, "ironrig.boot"), "kexec", "arguments win");
	is_str(cmdline_get(&c, "ro"), "", "word of the kernel's line");
	cmdline_free(&c);
}

int main(void)
{
	words();
	arguments();
	return scratch_end();
}
