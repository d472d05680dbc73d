// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What a taken-over parser could do: each attempt in a process of its own that
 * entered the sandbox, with the same attempt outside as the control.
 */
#include "sandbox.h"
#include "io.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int mine = -1, other = -1;

/* Exit status: 0 it worked, else its errno. */
static int errno_unless(bool worked)
{
	return worked ? 0 : errno;
}

static int read_other(void)
{
	return errno_unless(openat(other, "secret", O_RDONLY) >= 0);
}

static int read_passwd(void)
{
	return errno_unless(open("/etc/passwd", O_RDONLY) >= 0);
}

static int write_other(void)
{
	return errno_unless(openat(other, "x", O_WRONLY | O_CREAT, 0600) >= 0);
}

static int steal(void)
{
	return errno_unless(!linkat(other, "secret", mine, "stolen", 0));
}

static int link_out(void)
{
	return errno_unless(!symlinkat("/etc/passwd", mine, "link"));
}

static int connect_out(void)
{
	return errno_unless(socket(AF_INET, SOCK_STREAM, 0) >= 0);
}

static int run_shell(void)
{
	execl("/bin/true", "true", NULL);
	return errno;
}

static int signal_parent(void)
{
	return errno_unless(!kill(getppid(), 0));
}

/* abort(3) has other ways to end */
static int signal_thread(void)
{
	return errno_unless(!tgkill(getppid(), getppid(), 0));
}

static int make_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return errno_unless(pid > 0);
}

static int write_mine(void)
{
	struct err e;

	if (io_replace_file(mine, "a", "1", 1, 0600, &e))
		return e.sys ? e.sys : 1;
	return errno_unless(!renameat(mine, "a", mine, "b"));
}

static void *nothing(void *arg)
{
	return arg;
}

static int make_thread(void)
{
	pthread_t t;
	int rc = pthread_create(&t, NULL, nothing, NULL);

	return rc ? rc : pthread_join(t, NULL);
}

static int attempt(int (*what)(void), struct sandbox *s)
{
	struct err e = ERR_INIT;
	int p[2], status;
	pid_t pid;

	if (s && pipe(p))
		exit(1);
	pid = fork();
	if (!pid) {
		if (s && sandbox_enter(&mine, 1, true, s, &e))
			_exit(255);
		if (s && write(p[1], s, sizeof(*s)) < 0)
			_exit(254);
		_exit(what());
	}
	if (s) {
		close(p[1]);
		if (read(p[0], s, sizeof(*s)) != sizeof(*s))
			*s = (struct sandbox){ 0 };
		close(p[0]);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

static const struct {
	const char *name;
	int (*what)(void);
	bool allowed, by_landlock;
} try[] = {
	{ "read another box's folder", read_other, false, true },
	{ "read /etc/passwd", read_passwd, false, true },
	{ "write into another box's folder", write_other, false, true },
	{ "link another box's file", steal, false, false },
	{ "plant a link", link_out, false, false },
	{ "open a connection", connect_out, false, false },
	{ "run a program", run_shell, false, false },
	{ "signal a process", signal_parent, false, false },
	{ "signal another's thread", signal_thread, false, false },
	{ "make a process", make_process, false, false },
	{ "write into its own folder", write_mine, true, false },
	{ "make a thread", make_thread, true, false },
};

int main(void)
{
	struct err e = ERR_INIT;

	scratch_open();
	if (chdir(scratch_dir) || mkdir("mine", 0700) || mkdir("other", 0700))
		return 1;
	mine = open("mine", O_RDONLY | O_DIRECTORY);
	other = open("other", O_RDONLY | O_DIRECTORY);
	if (io_replace_file(other, "secret", "x", 1, 0600, &e))
		return 1;
	for (size_t i = 0; i < sizeof(try) / sizeof(try[0]); i++) {
		struct sandbox s;
		int rc = attempt(try[i].what, &s);

		if (!s.seccomp || (try[i].by_landlock && !s.landlock)) {
			printf("ok %d # SKIP this kernel has no %s\n", ++tap_n,
			       s.seccomp ? "Landlock" : "seccomp");
			continue;
		}
		if (try[i].allowed)
			is_int(rc, 0, "may %s", try[i].name);
		else
			ok(rc == EPERM || rc == EACCES || rc == EXDEV,
			   "cannot %s (%d)", try[i].name, rc);
		is_int(attempt(try[i].what, NULL), 0, "outside it can");
		unlinkat(mine, "stolen", 0);
		unlinkat(mine, "link", 0);
	}
	return chdir("/") ? 1 : scratch_end();
}
