// SPDX-License-Identifier: GPL-3.0-or-later
#include "cmdline.h"
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
	char dir[] = "/tmp/ironrig-test.XXXXXX";
	char one[] = "ironrig.boot=kexec", *argv[] = { one, NULL };
	struct cmdline c = { 0 };
	struct err e = ERR_INIT;
	int root, fd;

	if (!mkdtemp(dir))
		exit(1);
	root = open(dir, O_RDONLY | O_DIRECTORY);
	ok(cmdline_read(root, argv, &c, &e) && e.sys, "no proc: error");
	cmdline_free(&c);
	mkdirat(root, "proc", 0755);
	fd = openat(root, "proc/cmdline", O_CREAT | O_WRONLY, 0644);
	if (write(fd, "ironrig.boot=firmware ro\n", 25) != 25)
		exit(1);
	close(fd);
	ok(!cmdline_read(root, argv, &c, &e), "read");
	is_str(cmdline_get(&c, "ironrig.boot"), "kexec", "arguments win");
	is_str(cmdline_get(&c, "ro"), "", "word of the kernel's line");
	cmdline_free(&c);
	unlinkat(root, "proc/cmdline", 0);
	unlinkat(root, "proc", AT_REMOVEDIR);
	rmdir(dir);
	close(root);
}

int main(void)
{
	words();
	arguments();
	return done_testing();
}
