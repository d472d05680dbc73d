// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Packing a tree: order, what is skipped, the growth pipe, failure. The stock
 * lz4 and tar read it back.
 */
#include "io.h"
#include "pack.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static struct err err;
static int at;

static const char *listing(const char *file)
{
	static char out[4096];
	char cmd[256];
	FILE *p;
	size_t n;

	snprintf(cmd, sizeof(cmd), "lz4 -dc %s/%s | tar t", scratch_dir, file);
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

	snprintf(from, sizeof(from), "%s/%s", scratch_dir, tree);
	snprintf(to, sizeof(to), "%s/%s", scratch_dir, file);
	if (pack_start(from, to, &pid, &grow, &err))
		return -1;
	return pack_wait(pid, &grow, &err);
}

int main(void)
{
	at = scratch_open();
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
	return scratch_end();
}
