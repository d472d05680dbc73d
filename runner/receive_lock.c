// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * One receiver a box: a box that comes back after its link was down finds the
 * old connection's receiver still waiting for bytes (sshd notices a dead peer
 * late or never). The newer one ends it. A POSIX record lock is used because
 * the kernel tells who holds it (F_GETLK), which a file with a pid does not.
 */
#include "receive.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	TERM_MS = 3000, /* a receiver has nothing to finish: it dies at once */
	KILL_MS = 5000, /* it may sit in an fsync of a slow disk */
};

static struct flock whole_file(short type)
{
	return (struct flock){ .l_type = type, .l_whence = SEEK_SET };
}

/* The holder's pid; 0 when there is none (any more). */
static pid_t holder(int fd)
{
	struct flock l = whole_file(F_WRLCK);

	if (fcntl(fd, F_GETLK, &l) < 0 || l.l_type == F_UNLCK)
		return 0;
	return l.l_pid;
}

static bool gone_within(int pidfd, int ms)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return poll(&p, 1, ms) > 0;
}

/* A pidfd, checked against the lock again, cannot hit a reused pid. */
static int end_holder(int fd, struct err *e)
{
	pid_t pid = holder(fd);
	int pidfd, rc = 0;

	if (!pid)
		return 0;
	pidfd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (pidfd < 0) {
		if (pid > 0 && errno == ESRCH)
			return 0;
		return err_set(e, ERR_TIMEOUT, "another connection of this box "
					       "holds the lock");
	}
	if (holder(fd) == pid) {
		syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, NULL, 0);
		if (!gone_within(pidfd, TERM_MS)) {
			syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
			if (!gone_within(pidfd, KILL_MS))
				rc = err_set(e, ERR_TIMEOUT,
					     "process %d does not end",
					     (int)pid);
		}
	}
	close(pidfd);
	return rc;
}

int receive_take_lock(int dirfd, const char *name, int *fd, struct err *e)
{
	*fd = openat(dirfd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
		     0600);
	if (*fd < 0)
		return err_sys(e, "%s", name);
	/* each turn ends one holder; newer ones may come in between */
	for (int i = 0; i < 100; i++) {
		struct flock l = whole_file(F_WRLCK);

		if (!fcntl(*fd, F_SETLK, &l))
			return 0;
		if (errno != EAGAIN && errno != EACCES && errno != EINTR) {
			err_sys(e, "lock %s", name);
			break;
		}
		if (end_holder(*fd, e))
			break;
		if (i == 99)
			err_set(e, ERR_TIMEOUT, "%s: always taken", name);
	}
	io_close(fd);
	return -1;
}
