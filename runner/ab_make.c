// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * From what the user typed to an experiment that boxes are served from. Every
 * name is looked up first: a typing error costs a message, not a night.
 */
#include "ab.h"
#include "bootdir.h"
#include "boxview.h"
#include "collect.h"
#include "io.h"
#include "ipxe.h"
#include "kernel.h"
#include "near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { SAME_SECOND_MAX = 1000, FIXED_BLOCKS = 10, MOST_BLOCKS = 40 };

/* ---- names -------------------------------------------------------------------- */

static int unknown(const char *what, const char *name,
		   const struct strlist *have, const char *how, struct err *e)
{
	struct buf near = { 0 };

	near_names(have, name, &near);
	err_set(e, ERR_NOTFOUND, "no %s \"%.64s\"%s%s", what, name,
		buf_str(&near), have->n ? "" : how);
	buf_free(&near);
	return -1;
}

static int check_kernels(const struct home *h, const struct ab_ask *a,
			 struct err *e)
{
	struct strlist have = { 0 };
	int rc = kernel_list(h, &have, e);

	for (size_t i = 0; !rc && i < a->kernels.n; i++) {
		const char *name = a->kernels.v[i];

		if (!strlist_has(&have, name))
			rc = unknown("kernel", name, &have,
				     ": `ironrig kernel add' registers one", e);
		for (size_t k = 0; !rc && k < i; k++)
			if (!strcmp(name, a->kernels.v[k]))
				rc = err_set(e, ERR_INPUT,
					     "%s stands twice; to compare a "
					     "kernel with itself, `ironrig "
					     "kernel add %s-again --like %s'",
					     name, name, name);
	}
	strlist_free(&have);
	return rc;
}

static int check_jobs(const struct home *h, const struct ab_ask *a,
		      struct strlist *notes, struct err *e)
{
	struct strlist have;
	int rc = collect_names(h, "conf/jobs", ".cfg", &have, e);

	for (size_t i = 0; !rc && i < have.n; i++)
		have.v[i][strlen(have.v[i]) - 4] = '\0';
	for (size_t i = 0; !rc && i < a->jobs.n; i++) {
		struct buf text = { 0 };
		struct conf_job j;
		char path[128];

		snprintf(path, sizeof(path), "conf/jobs/%.64s.cfg",
			 a->jobs.v[i]);
		if (!strlist_has(&have, a->jobs.v[i])) {
			rc = unknown("job", a->jobs.v[i], &have,
				     ": conf/jobs/ of the home is empty", e);
			break;
		}
		rc = conf_job_load(h->fd, path, &j, NULL, e);
		if (rc)
			break;
		if (!j.primary.n) {
			buf_printf(&text, "job %s names no primary stat: "
				   "nothing of it gets a verdict", j.name);
			rc = buf_ok(&text, e);
			if (!rc)
				rc = strlist_add(notes, text.data, e);
		}
		buf_free(&text);
		conf_job_free(&j);
	}
	strlist_free(&have);
	return rc;
}

static int note(struct strlist *notes, struct err *e, const char *fmt,
		const char *box)
{
	struct buf text = { 0 };
	int rc;

	buf_printf(&text, fmt, box);
	rc = buf_ok(&text, e);
	if (!rc)
		rc = strlist_add(notes, text.data, e);
	buf_free(&text);
	return rc;
}

static bool has_key(const struct home *h, const char *box)
{
	char path[128];

	snprintf(path, sizeof(path), "keys/boxes/%.64s", box);
	return !faccessat(h->fd, path, F_OK, 0);
}

static int check_box(const struct home *h, const char *box,
		     const struct strlist *have, struct err *e)
{
	if (!strlist_has(have, box))
		return unknown("box", box, have,
			       ": `ironrig enroll' makes one known", e);
	if (has_key(h, box))
		return 0;
	return err_set(e, ERR_NOTFOUND,
		       "box %s has a host file but no key: `ironrig enroll %s'",
		       box, box);
}

/* *kexec: every box is known to boot by it. */
static int check_boxes(const struct home *h, const struct ab_ask *a,
		       bool *kexec, struct strlist *notes, struct err *e)
{
	struct strlist have = { 0 };
	int rc = boxview_list(h, &have, e);
	char group[65] = "";

	*kexec = true;
	for (size_t i = 0; !rc && i < a->boxes.n; i++) {
		const char *box = a->boxes.v[i];
		struct conf_host host;
		char path[128];

		snprintf(path, sizeof(path), "conf/hosts/%.64s.cfg", box);
		if (check_box(h, box, &have, e) ||
		    conf_host_load(h->fd, path, &host, NULL, e)) {
			rc = -1;
			break;
		}
		*kexec &= host.boot == BOOT_KEXEC;
		if (i && strcmp(group, host.group) != 0)
			rc = err_set(e, ERR_INPUT,
				     "box %s is of group %.40s, %s of %.40s: "
				     "results of different groups do not "
				     "belong together",
				     a->boxes.v[0], group, box, host.group);
		snprintf(group, sizeof(group), "%.64s", host.group);
		if (!rc && !host.power.cycle && !host.power.off)
			rc = note(notes, e, "box %s has no power command: a "
				  "kernel that hangs or dies early keeps it "
				  "until somebody switches it off and on",
				  box);
		conf_host_free(&host);
	}
	strlist_free(&have);
	return rc;
}

/* ---- filling in ------------------------------------------------------------------ */

static int copy_list(struct strlist *to, const struct strlist *from,
		     struct err *e)
{
	for (size_t i = 0; i < from->n; i++)
		if (strlist_add(to, from->v[i], e))
			return -1;
	return 0;
}

/* So many of every job, when a number was given. */
static int fill_iterations(const struct ab_ask *a, struct conf_experiment *x,
			   struct err *e)
{
	char word[96];

	for (size_t i = 0; a->iterations && i < a->jobs.n; i++) {
		snprintf(word, sizeof(word), "%.64s %d", a->jobs.v[i],
			 (int)a->iterations);
		if (strlist_add(&x->iterations, word, e))
			return -1;
	}
	return 0;
}

static int fill(const struct ab_ask *a, bool kexec, struct conf_experiment *x,
		struct err *e)
{
	*x = (struct conf_experiment){
		.kind = strdup("ab"),
		.count = 1,
		.blocks = a->blocks ? (int)a->blocks : FIXED_BLOCKS,
		.until_decided = a->until_decided,
		.max_blocks = a->max_blocks ? (int)a->max_blocks : MOST_BLOCKS,
		.jobs_share_boot = a->share_boot,
		.boot = a->boot_given ? a->boot :
			kexec	      ? BOOT_KEXEC :
					BOOT_FIRMWARE,
		.seed = a->seed,
		.delta = a->delta > 0 ? a->delta : 0.01,
		.alpha = a->alpha > 0 ? a->alpha : 0.05,
		.attempts = 3,
		.iterations_auto = !a->iterations && !a->own_iterations,
	};
	if (!x->kind || (a->name && !(x->name = strdup(a->name))))
		return err_set(e, ERR_LIMIT, "out of memory");
	if (!a->seed_given &&
	    getrandom(&x->seed, sizeof(x->seed), 0) != sizeof(x->seed))
		return err_sys(e, "getrandom");
	/* people copy it by hand */
	if (!a->seed_given)
		x->seed %= 1000000000;
	if (copy_list(&x->kernels, &a->kernels, e) ||
	    copy_list(&x->boxes, &a->boxes, e) ||
	    copy_list(&x->jobs, &a->jobs, e))
		return -1;
	return fill_iterations(a, x, e);
}

int ab_make(const struct home *h, const struct ab_ask *a,
	    struct conf_experiment *x, struct strlist *notes, struct err *e)
{
	bool kexec;

	*x = (struct conf_experiment){ 0 };
	if (a->name && !conf_name_ok(a->name))
		return err_set(e, ERR_INPUT,
			       "\"%.64s\" is no name for an experiment",
			       a->name);
	if (a->until_decided && a->max_blocks && a->max_blocks < 5)
		return err_set(e, ERR_INPUT, "--max-blocks %d: nothing is "
					     "decided below 5",
			       (int)a->max_blocks);
	if (check_kernels(h, a, e) || check_jobs(h, a, notes, e) ||
	    check_boxes(h, a, &kexec, notes, e))
		return -1;
	if (!fill(a, kexec, x, e) && !ab_builds(h, a, x, notes, e))
		return 0;
	conf_experiment_free(x);
	return -1;
}

/* ---- starting ----------------------------------------------------------------------- */

static bool taken(const struct home *h, const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), "conf/experiments/%s.cfg", name);
	return !faccessat(h->fd, path, F_OK, 0);
}

/* "ab" and the time, so that a list of them is in order; under the lock. */
static int find_name(const struct home *h, struct conf_experiment *x,
		     struct err *e)
{
	time_t now = (time_t)x->created;
	char stamp[32], name[64];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "ab%Y%m%d-%H%M%S", &tm);
	for (int i = 1; i < SAME_SECOND_MAX; i++) {
		snprintf(name, sizeof(name), "%s", stamp);
		if (i > 1)
			snprintf(name, sizeof(name), "%s-%d", stamp, i);
		if (taken(h, name))
			continue;
		x->name = strdup(name);
		return x->name ? 0 : err_set(e, ERR_LIMIT, "out of memory");
	}
	return err_set(e, ERR_LIMIT, "too many experiments in one second");
}

/* One that has a script may be in the middle of another experiment's boot. */
static int point(const struct home *h, const struct conf_experiment *x,
		 const char *box, struct err *e)
{
	struct conf_host host;
	struct bootdir boot;
	char path[128], script[32];
	int rc;

	snprintf(path, sizeof(path), "conf/hosts/%s.cfg", box);
	if (conf_host_load(h->fd, path, &host, NULL, e))
		return -1;
	rc = host.net.mac ? bootdir_open(h, &boot, e) : 0;
	if (!rc && host.net.mac) {
		ipxe_script_name(host.net.mac, script);
		if (faccessat(boot.fd, script, F_OK, 0) < 0)
			rc = ipxe_write_box(h, &host,
					    host.kernel ? host.kernel :
							  x->kernels.v[0],
					    NULL, e);
		bootdir_close(&boot);
	}
	conf_host_free(&host);
	return rc;
}

int ab_start(const struct home *h, struct conf_experiment *x, struct err *e)
{
	int lock, rc = 0;

	x->created = time(NULL);
	if (ab_lock(h, &lock, e))
		return -1;
	if (!x->name)
		rc = find_name(h, x, e);
	else if (taken(h, x->name))
		rc = err_set(e, ERR_CONFLICT,
			     "experiment %s exists: --resume %s goes on with "
			     "it",
			     x->name, x->name);
	if (!rc)
		rc = ab_save(h, x, e);
	close(lock);
	for (size_t i = 0; !rc && i < x->boxes.n; i++)
		if (x->boot == BOOT_FIRMWARE)
			rc = point(h, x, x->boxes.v[i], e);
	return rc;
}

/* ---- going on ------------------------------------------------------------------------- */

enum { ATTEMPTS = 3, ATTEMPTS_MAX = 100 };

/* Dropped blocks stay in the plan's count: it has to allow for more. */
static int forgive(const struct home *h, struct conf_experiment *x,
		   struct err *e)
{
	for (size_t i = 0; i < x->boxes.n; i++) {
		struct plan_progress p;
		struct boxview v;

		if (boxview_load(h, x->boxes.v[i], time(NULL), &v, e))
			return -1;
		for (size_t k = 0; k < v.plan.n; k++) {
			if (strcmp(v.plan.v[k].x->name, x->name) != 0)
				continue;
			plan_progress(&v.plan.in, &v.plan.v[k], &p);
			if (p.end == PLAN_GIVEN_UP)
				x->attempts = p.failed + ATTEMPTS;
		}
		boxview_free(&v);
	}
	if (x->attempts > ATTEMPTS_MAX)
		x->attempts = ATTEMPTS_MAX;
	return 0;
}

int ab_resume(const struct home *h, struct conf_experiment *x, int blocks,
	      int max_blocks, struct err *e)
{
	if (ab_decided(h, x->name))
		return err_set(e, ERR_CONFLICT,
			       "experiment %s is decided: `ironrig compare' "
			       "tells how",
			       x->name);
	if (x->until_decided ? blocks : max_blocks)
		return err_set(e, ERR_INPUT, "experiment %s has %s", x->name,
			       x->until_decided ? "--max-blocks" : "--blocks");
	if (max_blocks && max_blocks < 5)
		return err_set(e, ERR_INPUT,
			       "--max-blocks %d: nothing is decided below 5",
			       max_blocks);
	if (blocks)
		x->blocks = blocks;
	if (max_blocks)
		x->max_blocks = max_blocks;
	x->stopped = false;
	return forgive(h, x, e);
}
