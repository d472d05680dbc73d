// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * tlb_flush: each task takes write access from a page of its own that it has
 * just written to, gives it back, and writes again.
 *
 * Measures mprotect(2): the address space's lock, the area, and the flush of
 * the translation that a CPU may hold. In thread mode that is an interrupt to
 * every CPU that runs a thread of the process, in process mode the own CPU
 * alone. Does not measure unmapping or freeing of pages, nor splitting and
 * merging of areas: pages without access stand around the task's, or its area
 * would merge with those of other threads, or not, as they come. One operation
 * is both mprotect(2) and the write, which faults.
 */
#include "scale.h"

#include <sys/mman.h>

#define PAGE 4096 /* x86-64 */

static int prepare(struct scale_task *t, struct err *e)
{
	t->mem = scale_map(3 * PAGE, e);
	if (!t->mem)
		return -1;
	return mprotect(t->mem, PAGE, PROT_NONE) ||
			       mprotect(t->mem + 2 * PAGE, PAGE, PROT_NONE)
		       ? err_sys(e, "mprotect")
		       : 0;
}

static int loop(struct scale_task *t, struct err *e)
{
	char *own = t->mem + PAGE;
	volatile char *page = own;

	while (!scale_stop(t)) {
		*page = 1;
		if (mprotect(own, PAGE, PROT_READ) ||
		    mprotect(own, PAGE, PROT_READ | PROT_WRITE))
			return err_sys(e, "mprotect");
		scale_count(t, 1);
	}
	return 0;
}

static void cleanup(struct scale_task *t)
{
	if (t->mem)
		munmap(t->mem, 3 * PAGE);
}

const struct scale_workload tlb_flush_workload = {
	.name = "tlb_flush",
	.what = "mprotect(2) of a written page to read-only and back",
	.calls = 2,
	.prepare = prepare,
	.loop = loop,
	.cleanup = cleanup,
};
