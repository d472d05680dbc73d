// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * `ab --builds': which builds each kernel has, and how many blocks they take.
 * Dealing them out is the plan's, what they tell the report's.
 */
#include "ab.h"
#include "kernel.h"
#include "planorder.h"

#include <stdio.h>
#include <string.h>

enum { FLOOR_BUILDS = 3 }; /* DESIGN 6: fewer give no floor */

static int note(struct strlist *notes, struct err *e, const char *kernel,
		size_t n)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "%.64s has %zu build%s: it takes %d to tell how far layouts "
		 "lie apart (`ironrig kernel add NAME ... --build-of %.64s')",
		 kernel, n, n == 1 ? "" : "s", FLOOR_BUILDS, kernel);
	return strlist_add(notes, text, e);
}

/* The line of one kernel; *most is the largest number so far. */
static int add_kernel(const struct home *h, struct conf_experiment *x,
		      const char *kernel, size_t *most, struct strlist *notes,
		      struct err *e)
{
	struct strlist names = { 0 };
	struct buf line = { 0 };
	int rc = kernel_builds(h, kernel, false, &names, e);

	if (!rc && names.n > PLAN_BUILDS_MAX)
		rc = err_set(e, ERR_LIMIT, "%s has %zu builds, at most %d are "
					   "used: `ironrig kernel rm'",
			     kernel, names.n, PLAN_BUILDS_MAX);
	if (!rc && names.n < FLOOR_BUILDS)
		rc = note(notes, e, kernel, names.n);
	for (size_t i = 0; i < names.n; i++)
		buf_printf(&line, "%s%s", i ? " " : "", names.v[i]);
	if (!rc)
		rc = buf_ok(&line, e);
	if (!rc && names.n > 1)
		rc = strlist_add(&x->builds, line.data, e);
	if (names.n > *most)
		*most = names.n;
	buf_free(&line);
	strlist_free(&names);
	return rc;
}

/* No kernel of the experiment is another one's build. */
static int check_sides(const struct conf_experiment *x, struct err *e)
{
	for (size_t k = 0; k < x->kernels.n; k++) {
		struct strlist names = { 0 };
		int rc = conf_experiment_builds(x, k, &names, e);

		for (size_t i = 1; !rc && i < names.n; i++)
			if (strlist_has(&x->kernels, names.v[i]))
				rc = err_set(e, ERR_INPUT,
					     "%s is a build of %s: with "
					     "--builds they are one side",
					     names.v[i], names.v[0]);
		strlist_free(&names);
		if (rc)
			return -1;
	}
	return 0;
}

int ab_builds(const struct home *h, const struct ab_ask *a,
	      struct conf_experiment *x, struct strlist *notes, struct err *e)
{
	size_t most = 0;
	int all;

	if (!a->builds)
		return 0;
	for (size_t i = 0; i < a->kernels.n; i++)
		if (add_kernel(h, x, a->kernels.v[i], &most, notes, e))
			return -1;
	if (most < 2)
		return err_set(e, ERR_NOTFOUND,
			       "--builds, but no kernel has several: `ironrig "
			       "kernel add NAME ... --build-of %s' registers "
			       "another one",
			       a->kernels.v[0]);
	if (check_sides(x, e))
		return -1;
	/* each build at each position */
	all = (int)(a->kernels.n * most);
	if (!a->blocks && x->blocks < all)
		x->blocks = all;
	if (!a->max_blocks && x->max_blocks < all)
		x->max_blocks = all;
	return 0;
}
