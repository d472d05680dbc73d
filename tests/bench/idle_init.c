// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What an init process costs that does nothing: says how long after the
 * kernel's start it runs, as the agent does, and stays.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	printf("idle: ready, %ld.%03ld s after the kernel's start\n",
	       (long)t.tv_sec, t.tv_nsec / 1000000);
	fflush(stdout);
	for (;;)
		pause();
}
