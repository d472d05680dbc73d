// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A box that was told to kexec and could not. Boots by kexec and by firmware
 * differ, so that an experiment goes on by neither half: an A/B experiment
 * starts over by firmware under a name of its own, any other stops.
 */
#include "receive.h"
#include "ab.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The boot that the box was told of last, when it was one by kexec. */
static bool last_want(const struct lease_log *l, struct lease_event *want)
{
	if (!l->n || l->v[l->n - 1].kind != LEASE_WANT)
		return false;
	*want = l->v[l->n - 1];
	return !strcmp(want->mode, "kexec");
}

/*
 * The new one is there before the old one stops: who waits for it sees either
 * of them. created stays, so that it keeps its place in the box's order.
 */
static int firmware_one(const struct home *h, const struct conf_experiment *x,
			struct err *e)
{
	struct conf_experiment over = *x; /* borrows all but the name */
	char name[128], path[192];

	snprintf(name, sizeof(name), "%.64s" AB_OVER, x->name);
	snprintf(path, sizeof(path), "conf/experiments/%s.cfg", name);
	if (!conf_name_ok(name))
		return err_set(e, ERR_LIMIT, "no room for " AB_OVER
					     " in the experiment's name");
	if (!faccessat(h->fd, path, F_OK, 0))
		return 0; /* another box of it was first */
	over.name = name;
	over.boot = BOOT_FIRMWARE;
	if (x->iterations_auto) { /* by another time for a boot */
		over.iterations = (struct strlist){ 0 };
		over.iterations_from = 0;
		over.iterations_why = NULL;
	}
	return ab_save(h, &over, e);
}

static int start_over(const struct home *h, struct conf_experiment *x,
		      struct err *e)
{
	int rc = strcmp(x->kind, "ab") != 0 ? 0 : firmware_one(h, x, e);

	x->stopped = true;
	/* with or without a new one: by kexec it cannot go on */
	return ab_save(h, x, rc ? NULL : e) || rc ? -1 : 0;
}

int receive_start_over(const struct receive *r, struct err *e)
{
	struct conf_experiment x = { 0 };
	struct lease_event want;
	struct lease_log l;
	char path[160];
	int lock, rc = 0;

	if (lease_log_open(r->store, &l, e))
		return -1;
	if (!last_want(&l, &want)) {
		lease_log_close(&l);
		return 0;
	}
	if (ab_lock(r->home, &lock, e)) {
		lease_log_close(&l);
		return -1;
	}
	snprintf(path, sizeof(path), "conf/experiments/%s.cfg",
		 want.experiment);
	rc = conf_experiment_load(r->home->fd, path, &x, NULL, e);
	if (!rc && !x.stopped)
		rc = start_over(r->home, &x, e);
	conf_experiment_free(&x);
	close(lock);
	lease_log_close(&l);
	if (!rc)
		receive_note(r, "kexec-refused", NULL, want.experiment);
	return rc;
}
