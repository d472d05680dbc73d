// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What scaling workloads share: a file, a piece of memory and a mutex of their
 * own, and the machine's idle share.
 */
#include "scale.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int scale_file(const struct scale_task *t, const char *prefix, size_t size,
	       struct err *e)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "%s.%u", prefix, t->number);
	fd = openat(t->dirfd, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "%s", name);
	if (size) {
		errno = posix_fallocate(fd, 0, (off_t)size);
		if (errno) {
			err_sys(e, "%s: %zu bytes", name, size);
			io_close(&fd);
		}
	}
	return fd;
}

char *scale_map(size_t size, struct err *e)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		err_sys(e, "mmap of %zu bytes", size);
		return NULL;
	}
	return p;
}

int scale_mutex(pthread_mutex_t *m, struct err *e)
{
	pthread_mutexattr_t attr;
	int rc = pthread_mutexattr_init(&attr);

	if (!rc)
		rc = pthread_mutexattr_setpshared(&attr,
						  PTHREAD_PROCESS_SHARED);
	if (!rc)
		rc = pthread_mutex_init(m, &attr);
	errno = rc;
	return rc ? err_sys(e, "pthread_mutex_init") : 0;
}

/*
 * "cpu  USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL GUEST GUEST_NICE";
 * guest and guest_nice are part of user and nice: proc_stat(5)
 */
struct scale_idle scale_idle_now(void)
{
	struct scale_idle s = { 0, 0 };
	char line[256], *p = line + 3, *end;

	if (io_read_line(AT_FDCWD, "/proc/stat", line, sizeof(line), NULL) ||
	    strncmp(line, "cpu ", 4))
		return s;
	for (int i = 0; i < 8; i++) {
		int64_t v = strtoll(p, &end, 10);

		if (end == p)
			return (struct scale_idle){ 0, 0 };
		s.all_ticks += v;
		s.idle_ticks += i == 3 || i == 4 ? v : 0;
		p = end;
	}
	return s;
}

double scale_idle_pct(struct scale_idle from, struct scale_idle to)
{
	int64_t all = to.all_ticks - from.all_ticks;
	double pct;

	if (!from.all_ticks || !to.all_ticks || all <= 0)
		return -1;
	pct = 100.0 * (double)(to.idle_ticks - from.idle_ticks) / (double)all;
	/* iowait may run backward: proc_stat(5) */
	return pct < 0 ? 0 : pct > 100 ? 100 : pct;
}
