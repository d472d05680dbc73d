// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What a command ran short of, in words; missing programs and their bundles.
 * That the kernel counts so is seen on a box (tests/boot/bundles.t).
 */
#include "bundle.h"
#include "image.h"
#include "scarce.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void words(void)
{
	const struct cgroup_limits l = { .pids = 64, .memory = 32 << 20 };
	const struct cgroup_limits none = { .pids = 64 };
	const struct scarce start = { 1, 5, 0 };
	char text[128];

	scarce_text(&start, &start, &l, text, sizeof(text));
	is_str(text, "", "nothing was scarce");
	scarce_text(&start, &(struct scarce){ 3, 7, 0 }, &l, text,
		    sizeof(text));
	is_str(text, "over its memory limit of 32 MiB: 2 killed by the kernel",
	       "its own limit; the box counts the same two");
	scarce_text(&start, &(struct scarce){ 3, 7, 0 }, &none, text,
		    sizeof(text));
	is_str(text, "the box ran out of memory: 2 killed by the kernel",
	       "without a limit it was the box's");
	scarce_text(&start, &(struct scarce){ 1, 5, 9 }, &l, text,
		    sizeof(text));
	is_str(text, "over its limit of 64 processes: 9 forks refused",
	       "processes");
	scarce_text(&(struct scarce){ -1, -1, -1 },
		    &(struct scarce){ 3, 7, 9 }, &l, text, sizeof(text));
	is_str(text, "", "what was not counted at first is not guessed");
	scarce_text(&start, &(struct scarce){ 2, 9, 9 }, &l, text, 20);
	is_int(strlen(text), 19, "a small buffer is not overrun");
}

static void counts(int root)
{
	const struct cgroup c = { .fd = root };
	struct scarce s;

	put("proc/vmstat", "nr_free_pages 1\nnot_oom_kill 8\noom_kill 7\n");
	put("memory.events", "low 0\nhigh 0\nmax 12\noom 4\noom_kill 3\n"
			     "oom_group_kill 1\n");
	put("pids.events", "max 11\n");
	scarce_now(&c, root, &s);
	is_int(s.group_kills, 3, "oom_kill of the group");
	is_int(s.box_kills, 7, "of the box");
	is_int(s.forks, 11, "forks");
	scarce_now(&(struct cgroup){ .fd = -1 }, root, &s);
	is_int(s.group_kills, -1, "no cgroup v2: not known");
}

static void programs(int root)
{
	static char fio[] = "fio";
	static char *one[] = { fio };
	const struct strlist listed = { one, 1 }, none = { NULL, 0 };
	char word[64], hint[128];

	ok(bundle_not_found("sh: 1: ab: not found", word, sizeof(word)) &&
		   !strcmp(word, "ab"),
	   "as dash says it");
	ok(bundle_not_found("sh: apache2: not found", word, sizeof(word)) &&
		   !strcmp(word, "apache2"),
	   "as busybox says it");
	ok(!bundle_not_found("exit 127", word, sizeof(word)), "no such word");
	bundle_hint(root, "ab", &listed, hint, sizeof(hint));
	is_str(hint,
	       "bundle \"apachebench\" brings it; the job lists \"fio\"",
	       "one of ours");
	/* an image with a list of its own */
	put(IMAGE_PROGRAMS_FILE, "ab our-ab\nlmbench lmb\n");
	bundle_hint(root, "/usr/bin/lmbench", &none, hint, sizeof(hint));
	is_str(hint, "bundle \"lmb\" brings it; the job lists no bundles",
	       "a lab's");
	bundle_hint(root, "ab", &none, hint, sizeof(hint));
	is_str(hint, "bundle \"our-ab\" brings it; the job lists no bundles",
	       "the image knows better");
	bundle_hint(root, "gcc", &none, hint, sizeof(hint));
	is_str(hint, "the job lists no bundles", "nobody's");
}

int main(void)
{
	int root = scratch_open();

	words();
	counts(root);
	programs(root);
	return scratch_end();
}
