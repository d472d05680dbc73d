// SPDX-License-Identifier: GPL-3.0-or-later
#include "lease.h"
#include "io.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEASE "0123456789abcdef0123456789abcdef"
#define BOOT  "11111111-2222-4333-8444-555555555555"

static const char whole[] =
	"boot " BOOT " k:aa firmware 1\n"
	"want x 1 2 k:aa lock1 1 " BOOT " kexec 2\n"
	"run " LEASE " x 1 2 k:aa lock1 3 " BOOT " 4\n"
	"end " LEASE " ok 1 5\n";

static void append(int fd, const char *s)
{
	int f = openat(fd, "leases", O_WRONLY | O_APPEND);
	struct err e;

	if (f < 0 || io_write_all(f, s, strlen(s), &e))
		exit(1);
	close(f);
}

/* 600 runs of 3 experiments: every bucket of leases holds several. */
static void test_chains(void)
{
	struct lease_event run = { .kind = LEASE_RUN }, end;
	const struct lease_event *at = NULL;
	struct lease_log l = { .fd = -1 };
	struct err e = ERR_INIT;
	int found = 0, wrong = 0, n = 0;

	for (int i = 0; i < 600; i++) {
		snprintf(run.lease, sizeof(run.lease), "%032x", i);
		snprintf(run.experiment, sizeof(run.experiment), "x%d", i % 3);
		run.block = i;
		end = run;
		end.kind = LEASE_END;
		if (lease_log_append(&l, &run, &e) ||
		    (i % 2 && (lease_log_append(&l, &end, &e) ||
			       lease_log_append(&l, &end, &e))))
			exit(1);
	}
	for (int i = 0; i < 600; i++) {
		const struct lease_event *r, *z;

		snprintf(run.lease, sizeof(run.lease), "%032x", i);
		r = lease_run(&l, run.lease);
		z = lease_end(&l, run.lease);
		found += r && r->block == i && !z == !(i % 2) &&
			 (!z || z == r + 2);
	}
	is_int(found, 600, "each run by its lease, with its last end");
	for (int was = 600; (at = lease_before(&l, "x1", at)); n++) {
		wrong += at->block % 3 != 1 || at->block >= was;
		was = at->block;
	}
	ok(n == 200 && !wrong, "the runs of one experiment, newest first");
	ok(!lease_before(&l, "x9", NULL) && !lease_run(&l, LEASE) &&
		   !lease_end(&l, LEASE),
	   "and nothing of what is not there");
	lease_log_close(&l);
}

static void test_parse(void)
{
	struct lease_log l = { .fd = -1 };
	struct err e = ERR_INIT;
	size_t used = 0;

	ok(!lease_log_parse(whole, sizeof(whole) - 1, &l, &used, &e),
	   "the four events: %s", e.msg);
	is_int(l.n, 4, "all there");
	is_int(used, sizeof(whole) - 1, "to the end");
	is_str(l.v[1].mode, "kexec", "want: mode");
	is_int(l.v[2].attempt, 3, "run: attempt");
	ok(l.v[3].stable && l.v[3].time_s == 5, "end: stable, time");
	ok(lease_run(&l, LEASE) == &l.v[2], "found by its lease");
	ok(lease_end(&l, LEASE) == &l.v[3], "and its end");
	ok(lease_last(&l, LEASE_BOOT) == &l.v[0], "the last boot");
	lease_log_close(&l);

	static const char *const bad[] = {
		"\n",
		"run\n",
		"run " LEASE " x 1 2 k lock1 3 " BOOT "\n",
		"run 0123 x 1 2 k lock1 3 " BOOT " 4\n",
		"end " LEASE " ok 2 5\n",
		"end " LEASE " ok 1 x\n",
		"end " LEASE "  1 5\n",
		"run " LEASE " x -1 2 k lock1 3 " BOOT " 4\n",
		"boot " BOOT BOOT " k:aa firmware 1\n",
		"boot " BOOT " k:aa firmware 1 more\n",
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		l = (struct lease_log){ .fd = -1 };
		ok(lease_log_parse(bad[i], strlen(bad[i]), &l, NULL, &e) ==
				   -1 &&
			   e.kind == ERR_FORMAT,
		   "refused: %.*s", (int)strcspn(bad[i], "\n"), bad[i]);
		lease_log_close(&l);
	}
	ok(lease_log_parse("boot\0\n", 6, &l, NULL, &e) == -1,
	   "a zero byte");
	lease_log_close(&l);
}

static void test_file(int dir)
{
	struct lease_event ev = { .kind = LEASE_BOOT,
				  .boot_id = BOOT,
				  .kernel = "-",
				  .mode = "-",
				  .time_s = 7 };
	struct buf b = { 0 };
	struct lease_log l;
	struct err e = ERR_INIT;

	ok(!lease_log_read(dir, &l, &e) && !l.n, "no file: no event");
	ok(!lease_log_open(dir, &l, &e), "made");
	ok(!lease_log_add(&l, &ev, &e) && l.n == 1, "one added");
	strcpy(ev.kernel, "two words");
	ok(lease_log_add(&l, &ev, &e) == -1, "what would not read back");
	lease_log_close(&l);
	append(dir, "end " LEASE " ok 1");
	ok(!lease_log_read(dir, &l, &e) && l.n == 1,
	   "a torn last line is not read");
	lease_log_close(&l);
	ok(!lease_log_open(dir, &l, &e) && l.n == 1, "nor when locked");
	strcpy(ev.kernel, "-");
	ok(!lease_log_add(&l, &ev, &e), "the next one");
	lease_log_close(&l);
	ok(!io_read_file(dir, "leases", &b, 4096, &e), "read back");
	is_str(buf_str(&b),
	       "boot " BOOT " - - 7\nboot " BOOT " - - 7\n",
	       "stands on a line of its own");
	buf_free(&b);
	append(dir, "garbage\nboot " BOOT " - - 7\n");
	ok(lease_log_open(dir, &l, &e) == -1 && strstr(e.msg, "leases:3"),
	   "a malformed line is named: %s", e.msg);
}

/* A second taker waits for the first. */
static void test_lock(int dir)
{
	struct lease_event ev = { .kind = LEASE_BOOT,
				  .boot_id = BOOT,
				  .kernel = "-",
				  .mode = "-" };
	struct lease_log l;
	struct err e = ERR_INIT;
	int status;
	pid_t pid;

	unlinkat(dir, "leases", 0);
	if (lease_log_open(dir, &l, &e))
		exit(1);
	pid = fork();
	if (!pid) {
		/* without a lock this would find no event */
		struct lease_log mine;

		close(l.fd);
		if (lease_log_open(dir, &mine, &e))
			_exit(2);
		_exit(mine.n == 1 ? 0 : 1);
	}
	usleep(100000);
	ok(!lease_log_add(&l, &ev, &e), "added under the lock");
	lease_log_close(&l);
	waitpid(pid, &status, 0);
	is_int(status, 0, "the other waited and sees it");
}

int main(void)
{
	int dir = scratch_open();

	test_parse();
	test_chains();
	test_file(dir);
	test_lock(dir);
	return scratch_end();
}
