// SPDX-License-Identifier: GPL-3.0-or-later
#include "crash.h"
#include "io.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEASE1 "0123456789abcdef0123456789abcdef"
#define LEASE2 "fedcba9876543210fedcba9876543210"

#define OOPS "Panic#1 Part1\n box b: lease " LEASE1 " job\nOops: 0000 [#1]\n"

static int root;

static void words(void)
{
	char lease[33], what[64];

	crash_read("", lease, what, sizeof(what));
	ok(!*lease && !*what, "nothing in nothing");
	crash_read(
		"<5>[ 3.1] ironrig: box b: lease " LEASE1 " job a\n"
		"<5>[ 9.2] ironrig: box b: lease " LEASE2 " job a\n"
		"<4>[ 9.5] WARNING: CPU: 0 PID: 1 at kernel/x.c:1\n"
		"<1>[ 9.6] BUG: kernel NULL pointer dereference, address: 0\n"
		"<0>[ 9.7] Kernel panic - not syncing: Fatal exception\n"
		"<0>[ 9.8] Rebooting in 5 seconds..\n",
		lease, what, sizeof(what));
	is_str(lease, LEASE2, "the last lease");
	is_str(what, "Kernel panic - not syncing: Fatal exception",
	       "the worst line, without its time");
	crash_read("x lease 0123 y\nwatchdog: BUG: soft lockup - CPU#1", lease,
		   what, sizeof(what));
	ok(!*lease, "no lease of another form");
	is_str(what, "BUG: soft lockup - CPU#1", "last line without newline");
}

static void records(const char *dir)
{
	struct crash c;
	struct err e = ERR_INIT;
	char to[128], path[192];
	struct stat st;

	ok(!crash_look(root, &c, &e) && !c.file.n, "no pstore: no crash");
	if (io_mkdir_p(root, "sys/fs/pstore", 0755, &e))
		exit(1);
	ok(!crash_look(root, &c, &e) && !c.file.n, "empty: no crash");
	put("sys/fs/pstore/console-ramoops-0", "lease " LEASE2 "\n");
	put("sys/fs/pstore/dmesg-ramoops-0", OOPS);
	put("sys/fs/pstore/dmesg-ramoops-1", "Kernel panic - not syncing: x\n");
	ok(!crash_look(root, &c, &e), "three records");
	is_int(c.file.n, 3, "all of them");
	is_str(c.lease, LEASE1, "whose run it was");
	is_str(c.what, "Kernel panic - not syncing: x", "panic before Oops");
	snprintf(to, sizeof(to), "%s/out/meta/crash", dir);
	ok(!crash_copy(root, &c, to, &e), "copied");
	snprintf(path, sizeof(path), "%s/dmesg-ramoops-0", to);
	ok(!stat(path, &st) && st.st_size == (off_t)strlen(OOPS), "whole");
	crash_forget(root, &c);
	ok(faccessat(root, "sys/fs/pstore/dmesg-ramoops-0", F_OK, 0) < 0 &&
		   !c.file.n,
	   "forgotten");
	ok(!crash_copy(root, &c, "/nonexistent/x", &e),
	   "nothing to copy: no folder is made");
}

int main(void)
{
	root = scratch_open();
	words();
	records(scratch_dir);
	return scratch_end();
}
