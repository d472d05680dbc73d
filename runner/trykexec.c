// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * `enroll BOX --try-kexec': the experiment, the waiting, and the line in the
 * host file.
 */
#include "trykexec.h"
#include "ab.h"
#include "boxview.h"
#include "io.h"
#include "tend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { POLL_MS = 500, HOST_FILE_MAX = 256 << 10, TRIES_MAX = 1000 };

static const char job_name[] = "try-kexec";
static const char job_text[] =
	"# Made by `ironrig enroll BOX --try-kexec'.\n"
	"description = \"whether a box that came by kexec is of use\";\n"
	"testcase = \"try-kexec\";\n"
	"command = \"true\";\n"
	"iterations = 1;\n"
	"time_limit = \"30s\";\n"
	"run_limit = \"60s\";\n";

/* ---- the experiment ---------------------------------------------------------------- */

static int make_job(const struct home *h, struct err *e)
{
	char path[64];

	snprintf(path, sizeof(path), "conf/jobs/%s.cfg", job_name);
	if (!faccessat(h->fd, path, F_OK, 0))
		return 0;
	return io_replace_file(h->fd, path, job_text, sizeof(job_text) - 1,
			       0644, e);
}

/* Under the folder's lock: a name that is free. */
static int find_name(const struct trykexec *t, char name[64], struct err *e)
{
	char path[128];

	for (int i = 1; i < TRIES_MAX; i++) {
		snprintf(name, 64, "try-kexec-%.40s-%d", t->box, i);
		snprintf(path, sizeof(path), "conf/experiments/%s.cfg", name);
		if (faccessat(t->home->fd, path, F_OK, 0) < 0)
			return 0;
	}
	return err_set(e, ERR_LIMIT, "kexec was tried too often");
}

static int start(const struct trykexec *t, const struct conf_host *host,
		 char name[64], struct err *e)
{
	char kind[] = "queue";
	struct conf_experiment x = {
		.name = name,
		.kind = kind,
		.count = 1,
		.blocks = 1,
		.max_blocks = 5,
		.boot = BOOT_KEXEC,
		.delta = .01,
		.alpha = .05,
		.attempts = 1,
		.created = 1, /* before whatever else it is to do */
	};
	int lock, rc;

	if (make_job(t->home, e) || ab_lock(t->home, &lock, e))
		return -1;
	rc = find_name(t, name, e);
	if (!rc)
		rc = strlist_add(&x.boxes, t->box, e);
	if (!rc)
		rc = strlist_add(&x.jobs, job_name, e);
	if (!rc)
		rc = strlist_add(&x.kernels, host->kernel, e);
	if (!rc)
		rc = ab_save(t->home, &x, e);
	close(lock);
	strlist_free(&x.boxes);
	strlist_free(&x.jobs);
	strlist_free(&x.kernels);
	return rc;
}

/* ---- waiting ------------------------------------------------------------------------ */

enum seen { SEEN_OPEN, SEEN_WORKS, SEEN_FAILED };

/* The last of the box's log that is of this experiment. */
static enum seen judge(const struct boxview *v, const char *name,
		       char text[256])
{
	const struct lease_event *end = NULL, *run = NULL;
	struct plan_progress p = { .end = PLAN_ACTIVE };

	for (size_t i = 0; i < v->plan.n; i++)
		if (!strcmp(v->plan.v[i].x->name, name))
			plan_progress(&v->plan.in, &v->plan.v[i], &p);
	for (size_t i = 0; i < v->log.n; i++)
		if (v->log.v[i].kind == LEASE_RUN &&
		    !strcmp(v->log.v[i].experiment, name))
			run = &v->log.v[i];
	if (run)
		end = lease_end(&v->log, run->lease);
	if (end && !strcmp(end->how, outcome_name(OUTCOME_OK)) &&
	    p.end == PLAN_FINISHED)
		return SEEN_WORKS;
	if (p.end == PLAN_ACTIVE && !end)
		return SEEN_OPEN;
	snprintf(text, 256, "%s",
		 p.end == PLAN_STOPPED && !run ?
			 "its kernel or firmware refuses kexec (see `ironrig "
			 "tail' and its console)" :
		 end ? "it did not come back from kexec with a result; its "
		       "console may say why" :
		       "the experiment was ended from outside");
	return SEEN_FAILED;
}

static enum seen look(const struct trykexec *t, const char *name,
		      char text[256], struct err *e)
{
	enum seen s;
	struct boxview v;
	struct tend did;

	if (tend_box(t->home, t->box, time(NULL), &did, e) ||
	    boxview_load(t->home, t->box, time(NULL), &v, e)) {
		snprintf(text, 256, "%s", e->msg);
		return SEEN_FAILED;
	}
	if (did.did == TEND_CYCLED && t->say)
		t->say(t->arg, did.text);
	s = judge(&v, name, text);
	boxview_free(&v);
	if (s == SEEN_OPEN && tend_lost(&did)) {
		snprintf(text, 256, "%.250s", did.text);
		return SEEN_FAILED;
	}
	return s;
}

/* Nobody waits for it any more: the box is not to be surprised by it later. */
static int drop(const struct trykexec *t, const char *name, struct err *e)
{
	struct conf_experiment x;
	char path[128];
	int lock, rc;

	snprintf(path, sizeof(path), "conf/experiments/%s.cfg", name);
	if (ab_lock(t->home, &lock, e))
		return -1;
	rc = conf_experiment_load(t->home->fd, path, &x, NULL, e);
	if (!rc) {
		x.stopped = true;
		rc = ab_save(t->home, &x, e);
		conf_experiment_free(&x);
	}
	close(lock);
	return rc;
}

/* ---- the host file -------------------------------------------------------------------- */

/* The text with its line "boot = ..." replaced, or one more line. */
static void set_boot(char *text, struct buf *out)
{
	static const char line[] = "boot = \"kexec\";\n";
	char *rest = text;
	bool done = false;

	for (char *l; (l = strsep(&rest, "\n"));) {
		size_t blank = strspn(l, " \t");

		if (!rest && !*l)
			break; /* behind the last newline */
		if (!strncmp(l + blank, "boot", 4) &&
		    strchr(" \t=", l[blank + 4]) && !done) {
			buf_puts(out, line);
			done = true;
		} else {
			buf_printf(out, "%s\n", l);
		}
	}
	if (!done)
		buf_puts(out, line);
}

static int edit_host(const struct trykexec *t, struct err *e)
{
	struct buf was = { 0 }, now = { 0 };
	struct conf_host host;
	char path[128], draft[160];
	int rc;

	snprintf(path, sizeof(path), "conf/hosts/%s.cfg", t->box);
	snprintf(draft, sizeof(draft), "%s.draft", path);
	rc = io_read_file(t->home->fd, path, &was, HOST_FILE_MAX, e);
	if (!rc) {
		set_boot(was.data, &now);
		rc = buf_ok(&now, e);
	}
	if (!rc)
		rc = io_replace_file(t->home->fd, draft, now.data, now.len,
				     0644, e);
	if (!rc)
		rc = conf_host_load(t->home->fd, draft, &host, NULL, e);
	if (!rc) {
		/* a file in another style than one key a line */
		if (host.boot != BOOT_KEXEC)
			rc = err_set(e, ERR_INPUT,
				     "kexec works, but %s was not understood: "
				     "write boot = \"kexec\"; into it",
				     path);
		conf_host_free(&host);
	}
	unlinkat(t->home->fd, draft, 0);
	if (!rc)
		rc = io_replace_file(t->home->fd, path, now.data, now.len,
				     0644, e);
	buf_free(&was);
	buf_free(&now);
	return rc;
}

/* ---- all of it --------------------------------------------------------------------------- */

static int try(const struct trykexec *t, const struct conf_host *host,
	       bool *works, char text[256], struct err *e)
{
	enum seen s = SEEN_OPEN;
	char name[64];

	if (!host->kernel)
		return err_set(e, ERR_INPUT,
			       "it has no home kernel to try: kernel = NAME in "
			       "its host file");
	if (start(t, host, name, e))
		return -1;
	if (t->say)
		t->say(t->arg, name);
	while (s == SEEN_OPEN && !*t->stop) {
		s = look(t, name, text, e);
		if (s == SEEN_OPEN)
			usleep(POLL_MS * 1000);
	}
	if (s == SEEN_WORKS) {
		*works = true;
		return edit_host(t, e);
	}
	if (s == SEEN_OPEN)
		snprintf(text, 256, "interrupted");
	return drop(t, name, e);
}

int trykexec_run(const struct trykexec *t, bool *works, char text[256],
		 struct err *e)
{
	struct conf_host host;
	char path[128];
	int rc;

	*works = false;
	text[0] = '\0';
	snprintf(path, sizeof(path), "conf/hosts/%s.cfg", t->box);
	if (conf_host_load(t->home->fd, path, &host, NULL, e))
		return -1;
	rc = try(t, &host, works, text, e);
	conf_host_free(&host);
	return rc;
}
