// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Running other programs (ssh-keygen, sshd -t, cpio) to their end. No shell:
 * arguments arrive as they are.
 */
#include "spawn.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What becomes of a program's standard error. */
enum stderr_to { STDERR_OURS, STDERR_STDOUT, STDERR_NOWHERE };

/* in_fd -1: /dev/null; out_fd -1: stdout stays ours */
static int start(const char *const argv[], int in_fd, int out_fd,
		 enum stderr_to to, pid_t *pid, struct err *e)
{
	posix_spawn_file_actions_t fa;
	int rc;

	rc = posix_spawn_file_actions_init(&fa);
	if (rc)
		goto fail;
	if (in_fd >= 0)
		rc = posix_spawn_file_actions_adddup2(&fa, in_fd, 0);
	else
		rc = posix_spawn_file_actions_addopen(&fa, 0, "/dev/null",
						      O_RDONLY, 0);
	if (!rc && out_fd >= 0)
		rc = posix_spawn_file_actions_adddup2(&fa, out_fd, 1);
	if (!rc && to == STDERR_STDOUT)
		rc = posix_spawn_file_actions_adddup2(&fa, 1, 2);
	if (!rc && to == STDERR_NOWHERE)
		rc = posix_spawn_file_actions_addopen(&fa, 2, "/dev/null",
						      O_WRONLY, 0);
	/* execve(2) does not write to argv, its type is history */
	if (!rc)
		rc = posix_spawnp(pid, argv[0], &fa, NULL,
				  (char *const *)(const void *)argv, environ);
	posix_spawn_file_actions_destroy(&fa);
fail:
	if (rc == ENOENT)
		return err_set(e, ERR_NOTFOUND, "%s: not installed", argv[0]);
	errno = rc;
	return rc ? err_sys(e, "%s", argv[0]) : 0;
}

static int finish(const char *name, pid_t pid, struct err *e)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, "%s: wait", name);
	if (WIFSIGNALED(status))
		return err_set(e, ERR_PEER, "%s: killed by signal %d", name,
			       WTERMSIG(status));
	if (WEXITSTATUS(status))
		return err_set(e, ERR_PEER, "%s: exit status %d", name,
			       WEXITSTATUS(status));
	return 0;
}

static int capture(const char *const argv[], int in_fd, enum stderr_to to,
		   struct buf *out, size_t max, struct err *e)
{
	struct err ended = ERR_INIT;
	int p[2], rc;
	pid_t pid = -1;

	if (pipe2(p, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	rc = start(argv, in_fd, p[1], to, &pid, e);
	close(p[1]);
	if (rc) {
		close(p[0]);
		return -1;
	}
	rc = io_slurp(p[0], out, max, e);
	/* a program that still writes gets SIGPIPE instead of our patience */
	close(p[0]);
	if (finish(argv[0], pid, &ended) && !rc) {
		*e = ended;
		rc = -1;
	}
	return rc;
}

int spawn_run(const char *const argv[], struct err *e)
{
	pid_t pid = -1;

	if (start(argv, -1, -1, STDERR_OURS, &pid, e))
		return -1;
	return finish(argv[0], pid, e);
}

int spawn_capture(const char *const argv[], bool both, struct buf *out,
		  size_t max, struct err *e)
{
	return capture(argv, -1, both ? STDERR_STDOUT : STDERR_OURS, out, max,
		       e);
}

int spawn_filter(const char *const argv[], const void *in, size_t n,
		 struct buf *out, size_t max, struct err *e)
{
	int rc, fd = memfd_create("stdin", MFD_CLOEXEC);

	if (fd < 0)
		return err_sys(e, "%s: memfd_create", argv[0]);
	rc = io_write_all(fd, in, n, e);
	if (!rc && lseek(fd, 0, SEEK_SET) < 0)
		rc = err_sys(e, "%s: lseek", argv[0]);
	if (!rc)
		rc = capture(argv, fd, STDERR_NOWHERE, out, max, e);
	close(fd);
	return rc;
}
