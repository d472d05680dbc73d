// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * mmap: each task maps and unmaps 1 MiB of anonymous memory without touching
 * it.
 *
 * Measures the address space's lock (one for all threads of a process, so
 * thread mode collapses where process mode scales), the tree of areas, memory
 * accounting. Does not measure page faults or page tables. One operation is
 * one mmap(2) with its munmap(2).
 */
#include "scale.h"

#include <sys/mman.h>

#define SIZE (1UL << 20)

static int loop(struct scale_task *t, struct err *e)
{
	while (!scale_stop(t)) {
		char *p = scale_map(SIZE, e);

		if (!p)
			return -1;
		if (munmap(p, SIZE))
			return err_sys(e, "munmap");
		scale_count(t, 1);
	}
	return 0;
}

const struct scale_workload mmap_workload = {
	.name = "mmap",
	.what = "mmap(2) and munmap(2) of untouched anonymous memory",
	.calls = 2,
	.loop = loop,
};
