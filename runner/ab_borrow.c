// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * `ab --ssh': an experiment on a box that is borrowed for it. What borrowing
 * is stands in borrow.c.
 */
#include "ab.h"
#include "borrow.h"
#include "boxview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int ab_borrow(const struct home *h, const char *target, const char *controller,
	      struct ab_ask *ask, struct strlist *notes, struct err *e)
{
	struct buf text = { 0 };
	struct borrow b;
	int rc = borrow_probe(target, &b, e);

	if (!rc)
		rc = borrow_enroll(h, &b, controller, e);
	if (!rc)
		rc = strlist_add(&ask->boxes, b.box, e);
	if (!rc) {
		ask->boot_given = true;
		ask->boot = BOOT_KEXEC;
		buf_printf(&text,
			   "%.80s is box %s: %s (%s) %s, %s, %lld MiB; it goes "
			   "back to its own system at the end",
			   target, b.box, b.nic, b.driver ? b.driver : "?",
			   b.address, b.kexec_tools ? "kexec-tools" :
						      "no kexec-tools",
			   (long long)(b.memory_kb / 1024));
		rc = buf_ok(&text, e);
	}
	if (!rc)
		rc = strlist_add(notes, text.data, e);
	buf_free(&text);
	borrow_free(&b);
	return rc;
}

/* The base of the first experiment that wants something of the box. */
static int kernel_of(const struct home *h, const char *box, char name[65],
		     struct err *e)
{
	struct boxview v;

	if (boxview_load(h, box, time(NULL), &v, e))
		return -1;
	name[0] = '\0';
	for (size_t i = 0; !*name && i < v.plan.n; i++) {
		const struct conf_experiment *x = v.plan.v[i].x;
		struct plan_progress p;

		plan_progress(&v.plan.in, &v.plan.v[i], &p);
		if (p.end == PLAN_ACTIVE && x->kernels.n)
			snprintf(name, 65, "%.64s", x->kernels.v[0]);
	}
	boxview_free(&v);
	if (*name)
		return 0;
	return err_set(e, ERR_NOTFOUND, "no experiment wants box %s: it stays "
					"in its own system",
		       box);
}

int ab_take(const struct home *h, const char *target, struct err *e)
{
	struct borrow b;
	char kernel[65];
	int rc = borrow_probe(target, &b, e);

	if (!rc)
		rc = kernel_of(h, b.box, kernel, e);
	if (!rc)
		rc = borrow_take(h, &b, kernel, e);
	borrow_free(&b);
	return rc;
}
