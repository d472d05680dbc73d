// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The part of shim.c that makes the controller's wall clock wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* $FAULTS_DIR/clock: by how many seconds the wall clock is off, for all. */
static long clock_off;

static __attribute__((constructor)) void read_clock(void)
{
	const char *dir = getenv("FAULTS_DIR");
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/clock", dir ? dir : "");
	f = dir ? fopen(path, "re") : NULL;
	if (!f)
		return;
	if (fscanf(f, "%ld", &clock_off) != 1)
		clock_off = 0;
	fclose(f);
}

time_t time(time_t *to)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
	now.tv_sec += clock_off;
	if (to)
		*to = now.tv_sec;
	return now.tv_sec;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
	int rc = (int)syscall(SYS_clock_gettime, id, now);

	if (!rc && id == CLOCK_REALTIME)
		now->tv_sec += clock_off;
	return rc;
}
