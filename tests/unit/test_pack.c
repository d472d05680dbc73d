// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Packing a tree: order, what is skipped, the growth pipe, failure. The stock
 * lz4 and tar read it back.
 */
#include "io.h"
#include "pack.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/ironrig-pack-XXXXXX";
static struct err err;
static int at;

static void put(const char *path, const char *text)
{
	if (io_replace_file(at, path, text, strlen(text), 0644, &err)) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
}

static const char *listing(const char *file)
{
	static char out[4096];
	char cmd[256];
	FILE *p;
	size_t n;

	snprintf(cmd, sizeof(cmd), "lz4 -dc %s/%s | tar t", dir, file);
	p = popen(cmd, "r");
	n = p ? fread(out, 1, sizeof(out) - 1, p) : 0;
	out[n] = '\0';
	if (p && pclose(p))
		return "failed";
	return out;
}

static int pack(const char *tree, const char *file)
{
	char from[128], to[128];
	int grow;
	pid_t pid;

	snprintf(from, sizeof(from), "%s/%s", dir, tree);
	snprintf(to, sizeof(to), "%s/%s", dir, file);
	if (pack_start(from, to, &pid, &grow, &err))
		return -1;
	return pack_wait(pid, &grow, &err);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (io_mkdir_p(at, "t/iter/001", 0755, &err) ||
	    io_mkdir_p(at, "empty", 0755, &err))
		return 1;
	put("t/agent.log", "x\n");
	put("t/iter/001/stdout", "out\n");
	is_int(pack("t", "a.lz4"), -1, "a tree without result.cfg fails");
	put("t/result.cfg", "r\n");
	put("t/.reserve", "not packed\n");
	if (symlinkat("/etc/passwd", at, "t/link") ||
	    mkfifoat(at, "t/pipe", 0600))
		return 1;
	is_int(pack("t", "b.lz4"), 0, "packs");
	is_str(listing("b.lz4"),
	       "result.cfg\nagent.log\niter/\niter/001/\niter/001/stdout\n",
	       "result.cfg first; no links, pipes or dot files");
	is_int(pack("nonsuch", "c.lz4"), -1, "no tree");
	close(at);
	return io_remove_tree(AT_FDCWD, dir, &err) ? 1 : done_testing();
}
