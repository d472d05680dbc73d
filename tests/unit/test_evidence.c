// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Evidence and identity of a fixture: what is copied, what is left out, and the
 * build-id among other ELF notes.
 */
#include "evidence.h"
#include "identity.h"
#include "io.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static struct err err;
static int at;

static void build_id(void)
{
	/* a Linux note with an odd size, then the build-id, as vmlinux has */
	static const unsigned char notes[] = {
		6, 0,	0,   0,	  1,   0,   0, 0,    0,	   1,	 0,
		0, 'L', 'i', 'n', 'u', 'x', 0, 0,    0,	   7,	 0,
		0, 0,	4,   0,	  0,   0,   4, 0,    0,	   0,	 3,
		0, 0,	0,   'G', 'N', 'U', 0, 0xde, 0xad, 0xbe, 0x0f,
	};
	struct buf hex = { 0 };

	put_bytes("sys/kernel/notes", notes, sizeof(notes));
	is_int(identity_build_id(at, &hex, &err), 0, "found");
	is_str(buf_str(&hex), "deadbe0f", "as hex");
	buf_reset(&hex);
	put_bytes("sys/kernel/notes", notes, sizeof(notes) - 1);
	is_int(identity_build_id(at, &hex, &err), -1, "cut: not believed");
	is_int(err.kind, ERR_NOTFOUND, "none");
	put_bytes("sys/kernel/notes", "\377\377\377\377\377\377\377\377abcd",
		  12);
	is_int(identity_build_id(at, &hex, &err), -1, "sizes beyond the end");
	buf_free(&hex);
}

static void copies(void)
{
	struct buf notes = { 0 };

	put("proc/cmdline", "quiet ro\n");
	put("proc/config.gz", "\037\213binary");
	put("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation\n");
	put("sys/devices/system/cpu/vulnerabilities/l1tf", "Not affected");
	put("sys/fs/pstore/dmesg-ramoops-0", "Oops\n");
	put("proc/modules", "later 1 0\n");
	put("meta/x", "");
	evidence_take(at, at, EVIDENCE_BEFORE, &notes);
	is_str(text("meta/cmdline"), "quiet ro\n", "copied");
	is_str(text("meta/config.gz"), "\037\213binary", "as it is");
	is_str(text("meta/vulnerabilities"),
	       "==> sys/devices/system/cpu/vulnerabilities/l1tf <==\n"
	       "Not affected\n"
	       "==> sys/devices/system/cpu/vulnerabilities/meltdown <==\n"
	       "Mitigation\n",
	       "several files with their names");
	is_str(text("meta/dmi"), "(none)", "what is not there makes no file");
	is_str(text("meta/modules"), "(none)", "modules are listed after");
	evidence_take(at, at, EVIDENCE_AFTER, &notes);
	is_str(text("meta/modules"), "later 1 0\n", "the run");
	is_str(text("meta/dmesg"), "(none)",
	       "a fixture has not this kernel's messages");
	evidence_crash(at, at, &notes);
	is_str(text("meta/crash/dmesg-ramoops-0"), "Oops\n", "pstore");
	is_str(buf_str(&notes), "", "nothing to complain about");
	if (io_remove_tree(at, "meta", &err))
		return;
	put("./meta", "a file is in the way");
	evidence_take(at, at, EVIDENCE_BEFORE, &notes);
	ok(strstr(buf_str(&notes), "meta/cmdline: "), "what fails is said");
	buf_free(&notes);
}

int main(void)
{
	at = scratch_open();
	build_id();
	copies();
	return scratch_end();
}
