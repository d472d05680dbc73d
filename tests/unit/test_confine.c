// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What a taken-over reader of a result could do, in the very process that reads
 * results; what it could say; and how its death is taken.
 */
#include "confine.h"
#include "io.h"
#include "sandbox.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/ironrig-test.XXXXXX";
static int file = -1, index_fd = -1;
static struct err err;
static char path[64];

/* Each answers with what it got: "done", or an errno's text. */
static int tell(struct buf *out, bool worked)
{
	buf_puts(out, worked ? "done" : strerrorname_np(errno));
	return 0;
}

#define ATTEMPT(name, does)                                               \
	static int name(int fd, const char *what, const void *arg,         \
			struct buf *out, struct err *e)                    \
	{                                                                 \
		(void)fd;                                                 \
		(void)what;                                               \
		(void)arg;                                                \
		(void)e;                                                  \
		return tell(out, does);                                   \
	}

ATTEMPT(read_other, open(path, O_RDONLY) >= 0)
ATTEMPT(write_index, open(path, O_WRONLY) >= 0)
ATTEMPT(keep_index, fcntl(index_fd, F_GETFD) >= 0)
ATTEMPT(reopen_index, open("/proc/self/fd/5", O_WRONLY) >= 0)
ATTEMPT(connect_out, socket(AF_INET, SOCK_STREAM, 0) >= 0)
ATTEMPT(connect_unix, socket(AF_UNIX, SOCK_STREAM, 0) >= 0)
ATTEMPT(run_shell, execl("/bin/true", "true", NULL) == 0)
ATTEMPT(make_process, fork() >= 0)
ATTEMPT(signal_parent, !kill(getppid(), 0))
ATTEMPT(kill_thread, !tgkill(getppid(), getppid(), 0))
ATTEMPT(remove_other, !unlink(path))
ATTEMPT(rename_other, !rename(path, "/tmp/ironrig-moved"))
ATTEMPT(write_file, pwrite(fd, "x", 1, 0) == 1)
ATTEMPT(chmod_file, !fchmod(fd, 0777))

static const struct {
	const char *what;
	confine_fn *fn;
} attempt[] = {
	{ "read another box's file", read_other },
	{ "open the index for writing", write_index },
	{ "use the caller's open index", keep_index },
	{ "open it by /proc", reopen_index },
	{ "open a connection", connect_out },
	{ "open a local one", connect_unix },
	{ "run a program", run_shell },
	{ "make a process", make_process },
	{ "signal its parent", signal_parent },
	{ "signal its parent's thread", kill_thread },
	{ "remove a file", remove_other },
	{ "rename a file", rename_other },
	{ "change the result", write_file },
	{ "change its mode", chmod_file },
};

static const char *ask(confine_fn *fn, struct buf *out)
{
	buf_reset(out);
	if (confine_run(fn, NULL, file, false, "r", out, &err))
		return err.msg;
	return buf_str(out);
}

static int good(int fd, const char *name, const void *arg, struct buf *out,
		struct err *e)
{
	(void)arg;
	buf_printf(out, "%s: ", name);
	return lseek(fd, 0, SEEK_SET) < 0 ? err_sys(e, "lseek")
					  : io_slurp(fd, out, 100, e);
}

static int fails(int fd, const char *name, const void *arg, struct buf *out,
		 struct err *e)
{
	(void)fd;
	(void)name;
	(void)arg;
	buf_puts(out, "half of it");
	return err_set(e, ERR_FORMAT, "no result\033[2J\nroot: all is well");
}

static int crashes(int fd, const char *name, const void *arg, struct buf *out,
		   struct err *e)
{
	if (strcmp(name, "bad") != 0)
		return good(fd, name, arg, out, e);
	__builtin_trap();
}

/* Says who it is, and goes on when it hears something. */
static int waits(int fd, const char *name, const void *arg, struct buf *out,
		 struct err *e)
{
	pid_t self = getpid();
	char c;

	(void)name;
	(void)arg;
	buf_puts(out, "went on");
	return io_write_all(fd, &self, sizeof(self), e) ||
	       io_read_all(fd, &c, 1, e);
}

/* Sends the reader a signal, as Ctrl-C does to all of a terminal's processes.
 */
static int hit(int sig, struct buf *out)
{
	int pair[2], rc;
	pid_t sender;

	buf_reset(out);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		exit(1);
	sender = fork();
	if (!sender) {
		pid_t reader;

		_exit(io_read_all(pair[0], &reader, sizeof(reader), &err) ||
		      kill(reader, sig) || io_write_all(pair[0], "x", 1, &err));
	}
	rc = confine_run(waits, NULL, pair[1], false, "r", out, &err);
	waitpid(sender, NULL, 0);
	close(pair[0]);
	close(pair[1]);
	return rc;
}

static void signals(void)
{
	static const int passes[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct buf out = { 0 };

	for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
		is_int(hit(passes[i], &out), 0, "signal %d does not end it",
		       passes[i]);
		is_str(buf_str(&out), "went on", "it reads on");
	}
	is_int(hit(SIGKILL, &out), -1, "one that is out of memory is killed");
	is_int(err.kind, ERR_SYS, "not the result's fault");
	is_int(hit(SIGSEGV, &out), -1, "a fault");
	is_int(err.kind, ERR_FORMAT, "is the result's");
	buf_free(&out);
}

/* Reads what a file below the folder says. */
static int look(int fd, const char *name, const void *arg, struct buf *out,
		struct err *e)
{
	(void)name;
	(void)arg;
	return io_read_file(fd, "secret", out, 100, e);
}

static void worker(void)
{
	struct buf out = { 0 };
	struct confine *c;

	is_int(confine_start(crashes, NULL, -1, &c, &err), 0, "a reader");
	is_int(confine_ask(c, file, "one", &out, &err), 0, "one file");
	is_str(buf_str(&out), "one: of this box\n", "what fn left");
	is_int(confine_ask(c, file, "bad", &out, &err), -1, "it dies");
	is_int(err.kind, ERR_FORMAT, "the result's fault");
	ok(strstr(err.msg, "died of signal "), "which one");
	buf_reset(&out);
	is_int(confine_ask(c, file, "two", &out, &err), 0, "another one reads");
	is_str(buf_str(&out), "two: of this box\n", "the next file");
	confine_stop(c);
	buf_free(&out);
}

static void pieces(void)
{
	struct buf b = { 0 };
	struct confine_in in;
	const char *s;
	uint64_t v;

	confine_put_u64(&b, 7);
	confine_put_str(&b, "word");
	confine_put_str(&b, NULL);
	in = (struct confine_in){ b.data, b.len };
	ok(!confine_get_u64(&in, 7, &v, &err) && v == 7, "a number");
	ok(!confine_get_str(&in, &s, &err) && !strcmp(s, "word"), "a string");
	ok(!confine_get_str(&in, &s, &err) && !s, "none");
	ok(confine_get_u64(&in, 7, &v, &err), "the end");
	in = (struct confine_in){ b.data, b.len };
	ok(confine_get_u64(&in, 6, &v, &err), "too large a number");
	b.data[8] = 100;
	in = (struct confine_in){ b.data + 8, b.len - 8 };
	ok(confine_get_str(&in, &s, &err), "a string beyond the end");
	b.data[8] = 3;
	in = (struct confine_in){ b.data + 8, b.len - 8 };
	ok(confine_get_str(&in, &s, &err), "one that does not end there");
	buf_free(&b);
}

static bool can(void)
{
	struct sandbox got = { false, false };
	int p[2];

	if (pipe(p))
		return false;
	if (!fork()) {
		if (sandbox_enter(NULL, 0, false, &got, &err))
			_exit(1);
		_exit(write(p[1], &got, sizeof(got)) != sizeof(got));
	}
	close(p[1]);
	if (read(p[0], &got, sizeof(got)) != sizeof(got))
		got.landlock = false;
	close(p[0]);
	wait(NULL);
	return got.landlock && got.seccomp;
}

int main(void)
{
	struct buf out = { 0 };
	int at;

	if (!mkdtemp(dir) || (at = open(dir, O_RDONLY | O_DIRECTORY)) < 0 ||
	    io_replace_file(at, "secret", "of this box\n", 12, 0600, &err))
		return 1;
	snprintf(path, sizeof(path), "%s/secret", dir);
	file = open(path, O_RDONLY | O_CLOEXEC);
	index_fd = fcntl(open(path, O_RDWR | O_CLOEXEC), F_DUPFD, 20);
	is_str(ask(good, &out), "r: of this box\n", "it reads its file");
	for (size_t i = 0; i < sizeof(attempt) / sizeof(attempt[0]); i++) {
		if (!can()) {
			printf("ok %d # SKIP no Landlock or no seccomp\n",
			       ++tap_n);
			continue;
		}
		ok(strcmp(ask(attempt[i].fn, &out), "done") != 0,
		   "cannot %s (%s)", attempt[i].what, buf_str(&out));
	}
	is_str(ask(fails, &out), "no result?[2J root: all is well",
	       "its message is one line");
	is_int((int)out.len, 0, "and nothing else came");
	is_int(confine_run(look, NULL, at, true, "d", &out, &err), 0,
	       "of a folder it opens files");
	worker();
	signals();
	pieces();
	buf_free(&out);
	ok(!io_remove_tree(AT_FDCWD, dir, &err), "clean up");
	return done_testing();
}
