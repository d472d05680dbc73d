// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * page_fault_shared: each task maps its own cached file shared, writes to
 * every page, and unmaps it.
 *
 * Measures the fault on a page that is in the cache: look-up, the file
 * system's page_mkwrite where it has one, reverse mapping, dirty accounting,
 * page tables. Does not measure page allocation (the pages stay) or
 * fault-around (only reads do that). One operation is one page; in 256 of them
 * one mmap(2) and one munmap(2). Where the cache has large folios, newer
 * kernels may map several pages in one fault; perf-stat.ps.page-faults tells
 * (will-it-scale's page_fault3 on ext4 of 6.18: 12 pages a fault; this one: 1).
 */
#include "scale.h"

#include <sys/mman.h>

#define PAGE 4096 /* x86-64 */
#define SIZE (256UL * PAGE)

static int prepare(struct scale_task *t, struct err *e)
{
	t->fd[0] = scale_file(t, "fault", SIZE, e);
	return t->fd[0] < 0 ? -1 : 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	while (!scale_stop(t)) {
		char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			       t->fd[0], 0);

		if (p == MAP_FAILED)
			return err_sys(e, "mmap");
		for (size_t at = 0; at < SIZE; at += PAGE) {
			*(volatile char *)(p + at) = 1;
			scale_count(t, 1);
		}
		if (munmap(p, SIZE))
			return err_sys(e, "munmap");
	}
	return 0;
}

const struct scale_workload page_fault_shared_workload = {
	.name = "page_fault_shared",
	.what = "write fault on a cached page of the task's own file",
	.prepare = prepare,
	.loop = loop,
};
