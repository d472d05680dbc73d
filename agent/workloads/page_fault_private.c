// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * page_fault_private: each task maps anonymous memory, writes to every page,
 * and unmaps it.
 *
 * Measures the anonymous fault: the address space's lock, page allocation and
 * clearing, memory cgroup charging, page tables; and their release. Huge pages
 * are switched off for the process: with them one fault would bring 512 pages
 * and the figure would be that of clear_page. Does not measure files, swap or
 * NUMA balancing. One operation is one page; in 512 of them one mmap(2) and
 * one munmap(2).
 */
#include "scale.h"

#include <sys/mman.h>
#include <sys/prctl.h>

#define PAGE 4096 /* x86-64 */
#define SIZE (512UL * PAGE)

static int prepare(struct scale_task *t, struct err *e)
{
	(void)t;
	return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) ?
		       err_sys(e, "PR_SET_THP_DISABLE") : 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	while (!scale_stop(t)) {
		char *p = scale_map(SIZE, e);

		if (!p)
			return -1;
		for (size_t at = 0; at < SIZE; at += PAGE) {
			*(volatile char *)(p + at) = 1;
			scale_count(t, 1);
		}
		if (munmap(p, SIZE))
			return err_sys(e, "munmap");
	}
	return 0;
}

const struct scale_workload page_fault_private_workload = {
	.name = "page_fault_private",
	.what = "first write to a page of anonymous memory",
	.prepare = prepare,
	.loop = loop,
};
