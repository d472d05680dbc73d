// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Output of commands into capped files. When to call is exec.c's work.
 */
#include "pump.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* fewer wake-ups of the agent while the workload runs; the default limit for
 * users, /proc/sys/fs/pipe-max-size
 */
#define PIPE_SIZE 1048576
#define PIECE	  65536

int pump_open(int dirfd, const char *path, uint64_t max, struct pump *p,
	      struct err *e)
{
	int fd[2];

	*p = (struct pump){ .rd = -1, .wr = -1, .out = -1, .null = -1 };
	p->left = max;
	p->out = openat(dirfd, path,
			O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
			0644);
	if (p->out < 0)
		return err_sys(e, "%s", path);
	p->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (p->null < 0 || pipe2(fd, O_CLOEXEC) < 0)
		return err_sys(e, "pipe for %s", path);
	p->rd = fd[0];
	p->wr = fd[1];
	if (fcntl(p->rd, F_SETFL, O_NONBLOCK) < 0)
		return err_sys(e, "pipe for %s", path);
	fcntl(p->rd, F_SETPIPE_SZ, PIPE_SIZE); /* the default does as well */
	return 0;
}

/* One piece; false when the pipe is empty. */
static bool keep(struct pump *p)
{
	char piece[PIECE];
	size_t want = p->left < sizeof(piece) ? (size_t)p->left : sizeof(piece);
	ssize_t n = read(p->rd, piece, want);

	if (n <= 0)
		return n < 0 && errno == EINTR;
	p->left -= (uint64_t)n;
	if (io_write_all(p->out, piece, (size_t)n, NULL)) {
		p->cut = true; /* the results' memory is full */
		p->left = 0;
	}
	return true;
}

/* splice(2) to /dev/null moves no byte. */
static bool discard(struct pump *p)
{
	ssize_t n = splice(p->rd, NULL, p->null, NULL, PIPE_SIZE,
			   SPLICE_F_NONBLOCK);

	if (n > 0)
		p->cut = true;
	return n > 0;
}

void pump_drain(struct pump *p)
{
	/* bounded: a writer may be faster, and there is more to watch */
	for (int i = 0; i < 2 * PIPE_SIZE / PIECE; i++)
		if (!(p->left ? keep(p) : discard(p)))
			return;
}

void pump_close(struct pump *p)
{
	if (p->rd >= 0)
		pump_drain(p);
	io_close(&p->rd);
	io_close(&p->wr);
	io_close(&p->out);
	io_close(&p->null);
}
