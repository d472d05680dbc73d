// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A process that holds a key, provoked to dump core, and looked into by another
 * of its account; the same without it as the control.
 */
#include "secret.h"
#include "tap.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static char dir[] = "/tmp/ironrig-test.XXXXXX";

/* Root may look into everybody: not as root. */
static void become_nobody(void)
{
	if (!geteuid() && (setgroups(0, NULL) || setgid(NOBODY) ||
			   setuid(NOBODY)))
		_exit(1);
	/* changing who one is takes it away as well */
	prctl(PR_SET_DUMPABLE, 1);
}

static bool dumps_core(bool secret)
{
	struct rlimit all;
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		getrlimit(RLIMIT_CORE, &all);
		all.rlim_cur = all.rlim_max;
		if (chdir(dir) || setrlimit(RLIMIT_CORE, &all))
			_exit(1);
		if (secret)
			secret_hold();
		signal(SIGABRT, SIG_DFL);
		abort();
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) && WCOREDUMP(status);
}

static bool can_be_read(bool secret)
{
	int ready[2], status = 0;
	char path[32], c;
	pid_t pid, reader;

	if (pipe(ready))
		exit(1);
	pid = fork();
	if (!pid) {
		become_nobody();
		if (secret)
			secret_hold();
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	if (read(ready[0], &c, 1) != 1)
		exit(1);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	reader = fork();
	if (!reader) {
		become_nobody();
		_exit(open(path, O_RDONLY) < 0);
	}
	waitpid(reader, &status, 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return !WEXITSTATUS(status);
}

int main(void)
{
	char cmd[64];

	if (!mkdtemp(dir))
		return 1;
	if (dumps_core(false))
		ok(!dumps_core(true), "no core dump, where there is one else");
	else
		printf("ok %d # SKIP nothing dumps core here\n", ++tap_n);
	/* Yama may forbid the control; never the other way round */
	printf("# without it: %s\n", can_be_read(false) ? "readable" : "not");
	ok(!can_be_read(true), "nobody of the account looks into it");
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	ok(!system(cmd), "clean up");
	return done_testing();
}
