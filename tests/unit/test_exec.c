// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Commands of a job: their ends, limits, leftovers and output. Runs real
 * shells; as root in a cgroup v2 group, otherwise by process tree.
 */
#include "exec.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static struct err err;
static struct cgroup run;
static struct pump out, errs;
static int at;
static volatile sig_atomic_t stop;
static int64_t grace_ms = 30000; /* on a busy machine dying takes a while */

static struct exec_outcome sh(const char *cmd, int64_t limit_ms, uint64_t max)
{
	static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
	static char lang[] = "LC_ALL=C", *env[] = { path, lang, NULL };
	struct exec_request rq = {
		.text = cmd,
		.cwd = scratch_dir,
		.env = env,
		.group = &run,
		.out = &out,
		.err = &errs,
		.nofile = 200,
		.limit_ms = limit_ms,
		.grace_ms = grace_ms,
		.stop = &stop,
	};
	struct exec_outcome o;

	printf("# %s\n", cmd);
	if (pump_open(at, "out", max, &out, &err) ||
	    pump_open(at, "err", max, &errs, &err) || exec_run(&rq, &o, &err)) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	pump_close(&out);
	pump_close(&errs);
	return o;
}

static void ends(void)
{
	struct exec_outcome o = sh("echo hi; echo no >&2; exit 3", 9000, 4096);

	is_int(o.exit_code, 3, "exit code");
	is_int(o.signal, 0, "no signal");
	is_str(text("out"), "hi\n", "stdout");
	is_str(text("err"), "no\n", "stderr");
	ok(o.end_ns > o.start_ns && !o.timed_out, "and times");

	o = sh("kill -9 $$", 9000, 4096);
	is_int(o.signal, 9, "signal");
	is_int(o.exit_code, -1, "and no exit code");

	o = sh("false; echo not reached", 9000, 4096);
	is_int(o.exit_code, 1, "-e: the first failure ends it");

	o = sh("no-such-program", 9000, 4096);
	is_int(o.exit_code, 127, "a missing program");

	o = sh("ulimit -n; cat /proc/self/oom_score_adj; pwd; cat", 9000, 4096);
	is_int(o.exit_code, 0, "stdin is empty");
	ok(!strncmp(text("out"), "200\n", 4) &&
		   strstr(text("out"), scratch_dir),
	   "open files limited, in its folder");

	o = sh("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", 9000, 4096);
	ok(o.usage.ru_utime.tv_usec + o.usage.ru_utime.tv_sec > 0,
	   "rusage is the command's");
}

static void output(void)
{
	struct exec_outcome o =
		sh("yes | head -c 3000000; echo end >&2", 9000, 1000);

	is_int(o.exit_code, 0, "a full cap blocks nobody");
	is_int(strlen(text("out")), 1000, "exactly the cap is kept");
	ok(out.cut && !errs.cut, "and the cut is flagged, where it was");
	is_str(text("err"), "end\n", "the other stream is whole");

	o = sh("yes", 300, 1000);
	ok(o.timed_out, "endless output ends at the limit");
}

static void limits(void)
{
	struct exec_outcome o = sh("sleep 600", 200, 4096);

	ok(o.timed_out && o.signal == SIGTERM, "over time: SIGTERM");
	grace_ms = 200;
	/* time enough to ignore it */
	o = sh("trap '' TERM; echo on; while :; do sleep 600; done", 1500,
	       4096);
	ok(o.timed_out && o.signal == SIGKILL, "ignores it: SIGKILL");
	ok(!o.stuck, "and is gone");
	is_int(cgroup_count(&run), 0, "with its children");
	o = sh("setsid sh -c 'trap \"\" TERM; sleep 600' & sleep 600", 200,
	       4096);
	ok(o.timed_out, "a daemon in another session");
	is_int(cgroup_count(&run), 0, "is ended too");
	stop = 1;
	o = sh("sleep 600", 60000, 4096);
	ok(o.stopped && !o.timed_out, "stopped from outside");
	stop = 0;
	grace_ms = 30000;
}

static void leftovers(void)
{
	struct exec_outcome o;
	struct cgroup iter;

	o = sh("(setsid sleep 600 >/dev/null 2>&1 &) ; exit 0", 9000, 4096);
	is_int(o.exit_code, 0, "a command that leaves a daemon");
	is_int(cgroup_count(&run), 1, "left running");
	is_int(cgroup_sub(&run, "iter", &iter, &err), 0, "a group below");
	is_int(cgroup_count(&iter), 0, "has none of it");
	is_int(cgroup_kill(&iter, &err), 0, "killed");
	is_int(cgroup_count(&run), 1, "without the daemon");
	is_int(cgroup_kill(&run, &err), 0, "all killed");
	is_int(cgroup_count(&run), 0, "with the daemon");
	cgroup_reap(&run);
	is_int(waitpid(-1, NULL, WNOHANG), -1, "no zombie is left");
	cgroup_close(&iter);
}

int main(void)
{
	const struct cgroup_limits l = { .pids = 100 };
	struct buf notes = { 0 };
	char name[64];

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	at = scratch_open();
	snprintf(name, sizeof(name), "ironrig-test-%d", getpid());
	for (int fenced = 1; fenced >= 0; fenced--) {
		cgroup_open(name, &l, &run, &notes);
		if (!fenced) { /* as on a kernel without cgroup v2 */
			cgroup_close(&run);
			run.fd = -1;
		}
		printf("# %s\n", run.fd < 0 ? "process tree" : run.path);
		ends();
		output();
		limits();
		leftovers();
		if (run.fd >= 0)
			ok(cgroup_cpu_us(&run) > 0, "the group's CPU time");
		else
			is_int(cgroup_cpu_us(&run), -1, "CPU time not known");
		cgroup_close(&run);
	}
	buf_free(&notes);
	return scratch_end();
}
