// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ironrig serve: a private stock sshd in the foreground, as the calling user,
 * for tests, demonstrations and small labs. A lab with an account of its own
 * uses the machine's sshd and needs none of this.
 */
#include "cmd.h"
#include "home.h"
#include "io.h"
#include "num.h"
#include "spawn.h"
#include "sshdconf.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	START_MS = 10000, /* sshd listens within milliseconds */
	POLL_MS = 20,
	END_MS = 3000,
};

static const char conf_file[] = "keys/sshd_config";

struct server {
	const char *address;
	int port;
	char *sshd, *conf;
	pid_t pid;
	int signals;
};

static int help(void)
{
	puts("usage: ironrig serve [--address ADDRESS] [--port PORT]\n\n"
	     "Runs a private sshd for this home in the foreground, as you,\n"
	     "until SIGTERM or Ctrl-C. Only keys that `ironrig enroll' wrote\n"
	     "are let in, each for its one command.\n\n"
	     "  --address ADDRESS  to listen on (127.0.0.1)\n"
	     "  --port PORT        (a free one, which is printed)");
	return EXIT_SUCCESS;
}

/* ---- before it starts ---------------------------------------------------- */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static int resolve(const char *address, int port, union address *at,
		   socklen_t *len, struct err *e)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC,
				  .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICHOST };
	struct addrinfo *ai = NULL;
	char service[16];
	int rc;

	snprintf(service, sizeof(service), "%d", port);
	rc = getaddrinfo(address, service, &hints, &ai);
	if (rc || !ai || ai->ai_addrlen > sizeof(*at)) {
		if (!rc && ai)
			freeaddrinfo(ai);
		return err_set(e, ERR_INPUT, "address %s: %s", address,
			       rc ? gai_strerror(rc) : "of no known kind");
	}
	*len = ai->ai_addrlen;
	memcpy(at, ai->ai_addr, *len);
	freeaddrinfo(ai);
	return 0;
}

/* Whether it is free; port 0 becomes one that is. */
static int try_port(const char *address, int *port, struct err *e)
{
	union address at = { 0 };
	socklen_t len;
	int fd, rc;

	if (resolve(address, *port, &at, &len, e))
		return -1;
	fd = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* as sshd will: connections of the last run may linger */
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 },
			   sizeof(int));
	rc = fd < 0 ? -1 : bind(fd, &at.any, len);
	if (!rc)
		rc = getsockname(fd, &at.any, &len);
	if (rc)
		err_sys(e, "%s port %d", address, *port);
	else
		*port = ntohs(at.any.sa_family == AF_INET6 ? at.v6.sin6_port :
							     at.v4.sin_port);
	io_close(&fd);
	return rc ? -1 : 0;
}

/*
 * Whether somebody of ours listens there, by proc_pid_net(5): a connection
 * would stand in sshd's log as a failed key exchange.
 */
static bool listens(const char *address, int port)
{
	union address at = { 0 };
	struct buf table = { 0 };
	char local[48];
	socklen_t len;
	bool six, found = false;

	if (resolve(address, port, &at, &len, NULL))
		return false;
	six = at.any.sa_family == AF_INET6;
	if (six) {
		uint32_t w[4];

		memcpy(w, &at.v6.sin6_addr, sizeof(w));
		snprintf(local, sizeof(local), "%08X%08X%08X%08X:%04X", w[0],
			 w[1], w[2], w[3], (unsigned int)port);
	} else {
		snprintf(local, sizeof(local), "%08X:%04X",
			 at.v4.sin_addr.s_addr, (unsigned int)port);
	}
	if (!io_read_file(AT_FDCWD, six ? "/proc/net/tcp6" : "/proc/net/tcp",
			  &table, 64 << 20, NULL))
		for (char *p = table.data, *l; p && !found;) {
			char where[48];
			unsigned int state = 0, uid = 0;

			l = strsep(&p, "\n");
			found = sscanf(l, " %*u: %47s %*s %x %*s %*s %*s %u",
				       where, &state, &uid) == 3 &&
				!strcmp(where, local) && state == TCP_LISTEN &&
				uid == getuid();
		}
	buf_free(&table);
	return found;
}

/* Whoever can write there can let himself in. */
static int check_modes(const struct home *h, struct err *e)
{
	static const char *const path[] = { ".", "keys",
					    "keys/authorized_keys" };
	struct stat st;

	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		if (fstatat(h->fd, path[i], &st, 0) < 0)
			return err_sys(e, "%s", path[i]);
		if (st.st_uid != getuid() || (st.st_mode & 022))
			return err_set(e, ERR_INPUT,
				       "%s/%s can be written by others: chown "
				       "it to you, chmod go-w",
				       h->path, path[i]);
	}
	return 0;
}

static int prepare(const struct home *h, struct server *s, struct err *e)
{
	struct buf b = { 0 };
	int fd, rc;

	fd = openat(h->fd, "keys/authorized_keys",
		    O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "keys/authorized_keys");
	close(fd);
	if (check_modes(h, e) || sshdconf_program(&s->sshd, e))
		return -1;
	if (try_port(s->address, &s->port, e))
		return -1;
	/* root's sshd wants its empty folder, which boot scripts make */
	if (!getuid() && mkdir("/run/sshd", 0755) < 0 && errno != EEXIST)
		return err_sys(e, "/run/sshd");
	rc = sshdconf_text(h, s->address, s->port, &b, e);
	if (!rc)
		rc = io_replace_file(h->fd, conf_file, b.data, b.len, 0600, e);
	buf_free(&b);
	if (!rc && asprintf(&s->conf, "%s/%s", h->path, conf_file) < 0)
		rc = err_set(e, ERR_LIMIT, "out of memory");
	if (!rc && spawn_run((const char *[]){ s->sshd, "-t", "-f", s->conf,
					       NULL },
			     e))
		rc = err_prefix(e, "%s", s->conf);
	return rc;
}

/* ---- while it runs ------------------------------------------------------- */

static int start(struct server *s, struct err *e)
{
	pid_t parent = getpid();
	sigset_t none;

	if (!s->sshd || !s->conf)
		return err_set(e, ERR_NOTFOUND, "sshd");
	s->pid = fork();
	if (s->pid < 0)
		return err_sys(e, "fork");
	if (s->pid)
		return 0;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* not even SIGKILL of ours leaves a listener behind */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent)
		execl(s->sshd, s->sshd, "-D", "-e", "-f", s->conf, NULL);
	_exit(127);
}

static int wait_listening(struct server *s, struct err *e)
{
	for (int ms = 0; ms < START_MS; ms += POLL_MS) {
		if (listens(s->address, s->port))
			return 0;
		if (waitpid(s->pid, NULL, WNOHANG) == s->pid) {
			s->pid = 0;
			return err_set(e, ERR_PEER, "sshd ended at once; its "
						    "reason stands above");
		}
		poll(NULL, 0, POLL_MS);
	}
	return err_set(e, ERR_TIMEOUT, "sshd does not listen");
}

/* Our children: the listener's sessions too, once it has ended (subreaper). */
static int children(pid_t *v, int max)
{
	struct buf b = { 0 };
	struct err e;
	char path[64];
	int n = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/children",
		 (long)gettid());
	if (!io_read_file(AT_FDCWD, path, &b, 65536, &e))
		for (char *p = b.data, *w; n < max && p &&
					   (w = strsep(&p, " "));)
			if (*w)
				v[n++] = (pid_t)strtol(w, NULL, 10);
	buf_free(&b);
	return n;
}

static void end_all(struct server *s)
{
	pid_t v[256];

	if (s->pid > 0)
		kill(s->pid, SIGTERM);
	for (int ms = 0; ms < 2 * END_MS; ms += POLL_MS) {
		int n = children(v, 256);

		for (int i = 0; i < n; i++)
			kill(v[i], ms < END_MS ? SIGTERM : SIGKILL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (!n)
			return;
		poll(NULL, 0, POLL_MS);
	}
}

/* Until a signal, or until sshd ends by itself, which is an error. */
static int supervise(struct server *s, struct err *e)
{
	for (;;) {
		struct signalfd_siginfo si;
		pid_t pid;

		if (io_read_all(s->signals, &si, sizeof(si), e))
			return -1;
		if (si.ssi_signo != SIGCHLD)
			return 0;
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			if (pid == s->pid) {
				s->pid = 0;
				return err_set(e, ERR_PEER, "sshd ended");
			}
	}
}

static int watch_signals(struct server *s, struct err *e)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (s->signals < 0)
		return err_sys(e, "signalfd");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return 0;
}

static int serve(const char *opt, struct server *s, struct err *e)
{
	struct home h;
	int rc;

	if (home_open(opt, &h, e))
		return -1;
	rc = prepare(&h, s, e);
	if (!rc)
		rc = watch_signals(s, e);
	if (!rc)
		rc = start(s, e);
	if (!rc) {
		rc = wait_listening(s, e);
		if (!rc) {
			printf("listening on %s:%d\n", s->address, s->port);
			fflush(stdout);
			rc = supervise(s, e);
		}
		end_all(s);
	}
	home_close(&h);
	return rc;
}

int cmd_serve(const char *home, int argc, char **argv)
{
	struct server s = { .address = "127.0.0.1", .signals = -1 };
	struct err e = ERR_INIT;
	int64_t port = 0;
	int rc;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
			return help();
		if (i + 1 < argc && !strcmp(argv[i], "--address"))
			s.address = argv[++i];
		else if (i + 1 < argc && !strcmp(argv[i], "--port")) {
			if (num_i64(argv[++i], 0, 65535, &port, &e))
				return cmd_usage("serve", "--port: %s", e.msg);
		} else
			return cmd_usage("serve", "what is \"%s\"?", argv[i]);
	}
	s.port = (int)port;
	rc = serve(home, &s, &e) ? cmd_fail("serve", &e) : EXIT_SUCCESS;
	io_close(&s.signals);
	free(s.sshd);
	free(s.conf);
	return rc;
}
