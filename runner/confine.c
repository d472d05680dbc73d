// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A function in a confined process, files to it and bytes back from it. What
 * is read there is the callers'.
 */
#include "confine.h"
#include "io.h"
#include "plain.h"
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOCK = 3, FOLDER = 4, CPU_S = 900 };
#define NO_STR UINT64_MAX

/* A result's output that rules look at is 64 MiB, kept twice, and stats. */
#define MEMORY (2ULL << 30)

struct confine {
	confine_fn *fn;
	const void *arg;
	int folder;
	int sock; /* -1: no process */
	pid_t pid;
	unsigned long asked; /* of this process */
};

/* Before the bytes of an answer. */
struct verdict {
	int rc;
	struct err err;
	uint64_t n;
};

/* ---- in there -------------------------------------------------------------- */

static void limits(void)
{
	const struct {
		__rlimit_resource_t what;
		rlim_t max;
	} limit[] = {
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_NOFILE, 64 },
#ifndef __SANITIZE_ADDRESS__ /* whose shadow is terabytes of nothing */
		{ RLIMIT_DATA, MEMORY },
#endif
	};

	for (size_t i = 0; i < sizeof(limit) / sizeof(limit[0]); i++) {
		const struct rlimit r = { limit[i].max, limit[i].max };

		/* a lower hard limit that was set for us is as good */
		setrlimit(limit[i].what, &r);
	}
	/* the soft one sends SIGXCPU, which died() tells from a kill */
	setrlimit(RLIMIT_CPU, &(struct rlimit){ CPU_S, CPU_S + 5 });
}

/* Only SOCK and FOLDER stay; 0 to 2 lead nowhere. */
static int drop_files(int sock, int folder, struct err *e)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int a = fcntl(sock, F_DUPFD_CLOEXEC, 16);
	int b = fcntl(folder < 0 ? null : folder, F_DUPFD_CLOEXEC, 16);

	if (null < 0 || a < 0 || b < 0 || dup2(a, SOCK) < 0 ||
	    dup2(b, FOLDER) < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0)
		return err_sys(e, "descriptors");
#ifndef __SANITIZE_ADDRESS__ /* whose reports go there */
	dup2(null, 2);
#endif
	close_range(FOLDER + 1, ~0U, 0);
	return 0;
}

static int enter(const struct confine *c, int sock, struct err *e)
{
	const int folder = FOLDER;
	struct sandbox got;

	if (drop_files(sock, c->folder, e))
		return -1;
	limits();
	return sandbox_enter(&folder, c->folder >= 0, false, &got, e);
}

/* The next file's name and descriptor; false: there is none. */
static bool next_file(char name[CONFINE_NAME], int *fd)
{
	struct iovec iov = { name, CONFINE_NAME };
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u;
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			    .msg_control = u.room,
			    .msg_controllen = sizeof(u.room) };
	ssize_t n = recvmsg(SOCK, &m, MSG_CMSG_CLOEXEC | MSG_WAITALL);
	struct cmsghdr *h = n == CONFINE_NAME ? CMSG_FIRSTHDR(&m) : NULL;

	if (!h || h->cmsg_type != SCM_RIGHTS)
		return false;
	memcpy(fd, CMSG_DATA(h), sizeof(*fd));
	return true;
}

static _Noreturn void in_child(const struct confine *c, int sock, pid_t parent)
{
	static const int passed[] = { SIGPIPE, SIGINT, SIGQUIT, SIGHUP,
				      SIGTERM };
	struct verdict v = { .err = ERR_INIT };
	char name[CONFINE_NAME];
	struct buf out = { 0 };
	int fd = -1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	/*
	 * What a terminal sends to all is the caller's to obey, which closes
	 * the socket when it ends.
	 */
	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		signal(passed[i], SIG_IGN);
	v.rc = enter(c, sock, &v.err);
	while (next_file(name, &fd)) {
		if (!v.rc)
			v.rc = c->fn(fd, name, c->arg, &out, &v.err);
		if (!v.rc)
			v.rc = buf_ok(&out, &v.err);
		v.n = v.rc ? 0 : out.len;
		if (io_write_all(SOCK, &v, sizeof(v), NULL) ||
		    (v.n && io_write_all(SOCK, out.data, out.len, NULL)))
			break;
		close(fd);
		buf_free(&out);
		v = (struct verdict){ .err = ERR_INIT };
	}
	_exit(0);
}

/* ---- out here -------------------------------------------------------------- */

static int cannot_be(struct err *e)
{
	err_set(e, ERR_FORMAT, "what its reader said makes no sense");
	return -1; /* said here, for analyzers */
}

/* Closing is the word to go. *status is of wait(2). */
static void end(struct confine *c, bool at_once, int *status)
{
	io_close(&c->sock);
	*status = 0;
	if (c->pid <= 0)
		return;
	if (at_once)
		kill(c->pid, SIGKILL);
	while (waitpid(c->pid, status, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
}

static int begin(struct confine *c, struct err *e)
{
	pid_t parent = getpid();
	int pair[2];

	if (sandbox_prepare(false, e))
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	c->pid = fork();
	if (!c->pid)
		in_child(c, pair[1], parent);
	close(pair[1]);
	c->sock = pair[0];
	c->asked = 0;
	if (c->pid > 0)
		return 0;
	err_sys(e, "fork");
	io_close(&c->sock);
	return -1;
}

int confine_start(confine_fn *fn, const void *arg, int folder,
		  struct confine **out, struct err *e)
{
	struct confine *c = malloc(sizeof(*c));

	*out = c;
	if (!c) {
		err_set(e, ERR_LIMIT, "out of memory");
		return -1;
	}
	*c = (struct confine){ .fn = fn, .arg = arg, .folder = folder,
			       .sock = -1 };
	return 0;
}

void confine_stop(struct confine *c)
{
	int status;

	if (!c)
		return;
	end(c, false, &status);
	free(c);
}

static bool hand_over(const struct confine *c, int fd, const char *name)
{
	char text[CONFINE_NAME] = "";
	struct iovec iov = { text, sizeof(text) };
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u = { .room = { 0 } };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			    .msg_control = u.room,
			    .msg_controllen = sizeof(u.room) };
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);
	ssize_t n;

	snprintf(text, sizeof(text), "%s", name);
	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(h), &fd, sizeof(fd));
	do
		n = sendmsg(c->sock, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == sizeof(text);
}

/* It may be anybody's by now. */
static int judge(const struct verdict *v, struct err *e)
{
	struct err why = v->err;

	why.msg[sizeof(why.msg) - 1] = '\0';
	if (why.kind <= ERR_NONE || why.kind > ERR_UNSUPPORTED || !*why.msg)
		return cannot_be(e);
	plain_make(why.msg, '?');
	if (e)
		*e = why;
	return -1;
}

/* 1: answered, 0: it is gone, -1: refused. *fit: it may be asked again. */
static int hear(const struct confine *c, struct buf *out, bool *fit,
		struct err *e)
{
	struct err ignored;
	struct verdict v;
	char *room;

	*fit = false;
	if (io_read_all(c->sock, &v, sizeof(v), &ignored))
		return 0;
	if (v.n > CONFINE_MAX || (v.rc && v.n))
		return cannot_be(e);
	*fit = true;
	if (v.rc)
		return judge(&v, e);
	room = buf_room(out, v.n + 1);
	if (!room)
		return buf_ok(out, e);
	if (io_read_all(c->sock, room, v.n, &ignored))
		return 0;
	out->len += v.n;
	out->data[out->len] = '\0';
	return 1;
}

/* Of a fault or its limits; the others come from outside: memory, an admin. */
static bool its_own(int sig)
{
	static const int own[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL,
				   SIGSEGV, SIGSYS, SIGTRAP, SIGXCPU };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (sig == own[i])
			return true;
	return false;
}

static int died(int status, struct err *e)
{
	if (!WIFSIGNALED(status))
		return err_set(e, ERR_FORMAT, "its reader ended");
	if (its_own(WTERMSIG(status)))
		return err_set(e, ERR_FORMAT, "its reader died of signal %d",
			       WTERMSIG(status));
	return err_set(e, ERR_SYS, "its reader was killed by signal %d",
		       WTERMSIG(status));
}

int confine_ask(struct confine *c, int fd, const char *name, struct buf *out,
		struct err *e)
{
	for (;;) {
		bool fresh, fit = false;
		int rc = 0, status;

		if (c->sock < 0 && begin(c, e))
			return -1;
		fresh = !c->asked++;
		if (hand_over(c, fd, name))
			rc = hear(c, out, &fit, e);
		if (rc && fit)
			return rc < 0 ? -1 : 0;
		end(c, rc < 0, &status);
		if (rc < 0)
			return -1;
		/* what came before may be to blame, or used up its time */
		if (fresh)
			return died(status, e);
	}
}

int confine_run(confine_fn *fn, const void *arg, int fd, bool folder,
		const char *name, struct buf *out, struct err *e)
{
	struct confine *c;
	int rc = confine_start(fn, arg, folder ? fd : -1, &c, e);

	if (!rc)
		rc = confine_ask(c, fd, name, out, e);
	confine_stop(c);
	return rc;
}

/* ---- pieces ---------------------------------------------------------------- */

void confine_put(struct buf *b, const void *p, size_t n)
{
	buf_add(b, p, n);
}

void confine_put_u64(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

void confine_put_str(struct buf *b, const char *s)
{
	size_t n = s ? strlen(s) : 0;

	confine_put_u64(b, s ? n : NO_STR);
	if (s)
		buf_add(b, s, n + 1);
}

int confine_get(struct confine_in *in, const void **p, size_t n, struct err *e)
{
	if (n > in->left)
		return cannot_be(e);
	*p = in->p;
	in->p += n;
	in->left -= n;
	return 0;
}

int confine_get_u64(struct confine_in *in, uint64_t max, uint64_t *v,
		    struct err *e)
{
	const void *p = NULL;

	if (confine_get(in, &p, sizeof(*v), e))
		return -1;
	memcpy(v, p, sizeof(*v));
	return *v <= max ? 0 : cannot_be(e);
}

int confine_get_str(struct confine_in *in, const char **s, struct err *e)
{
	const void *p = NULL;
	uint64_t n;

	*s = NULL;
	if (confine_get_u64(in, UINT64_MAX, &n, e))
		return -1;
	if (n == NO_STR)
		return 0;
	if (n >= in->left || confine_get(in, &p, n + 1, e))
		return cannot_be(e);
	*s = p;
	return (*s)[n] || strlen(*s) != n ? cannot_be(e) : 0;
}
