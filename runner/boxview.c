// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A box as `status' and `queue --list' show it.
 */
#include "boxview.h"
#include "io.h"
#include "num.h"
#include "plain.h"
#include "planslot.h"
#include "runjob.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	STATE_FILE_MAX = 1 << 20,
	ASKS_MISSED = 3,     /* an idle box asks every idle_s */
	ASK_SLACK_S = 60,    /* a reconnect with its pauses */
	RUN_SLACK_S = 600,   /* tuning, set-up, packing and shipping */
};

const char *boxview_state_name(enum boxview_state s)
{
	static const char *const name[] = {
		[BOX_NEVER] = "never seen", [BOX_REFUSED] = "refused",
		[BOX_BOOTING] = "booting",  [BOX_RUNNING] = "running",
		[BOX_IDLE] = "idle",	    [BOX_SILENT] = "silent",
	};

	return name[s];
}

const char *boxview_end_name(enum plan_end end)
{
	static const char *const name[] = {
		[PLAN_ACTIVE] = "active",     [PLAN_FINISHED] = "finished",
		[PLAN_DECIDED] = "decided",   [PLAN_STOPPED] = "stopped",
		[PLAN_GIVEN_UP] = "given up", [PLAN_BLOCKED] = "no such kernel",
	};

	return name[end];
}

void boxview_age(int64_t s, char out[24])
{
	static const struct {
		int64_t s;
		char unit;
	} step[] = { { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' }, { 1, 's' } };
	size_t i = 0;

	if (s < 0)
		s = 0;
	while (i < 3 && s < 2 * step[i].s)
		i++;
	snprintf(out, 24, "%lld%c", (long long)(s / step[i].s), step[i].unit);
}

/* ---- reading ------------------------------------------------------------- */

/*
 * "TIME PHASE LEASE TEXT". A verb that was refused, or a problem of ours, is no
 * phase of the box: it stands beside the last one.
 */
static void take_state(char *line, struct boxview *v)
{
	const char *time = strsep(&line, " "), *phase = strsep(&line, " ");
	int64_t at_s;

	strsep(&line, " ");
	if (!phase || num_i64(time, 0, INT64_MAX, &at_s, NULL))
		return;
	v->since_s = at_s;
	if (!strcmp(phase, "error") || !strcmp(phase, "problem")) {
		v->complaints++;
		v->complaint_s = at_s;
		snprintf(v->complaint, sizeof(v->complaint), "%s",
			 line ? line : "-");
		return;
	}
	v->complaints = 0;
	snprintf(v->phase, sizeof(v->phase), "%s", phase);
}

static void read_state(int dir, const char *file, struct boxview *v)
{
	struct buf b = { 0 };
	struct err ignored;
	char *rest;
	int fd = io_open_own(dir, file, O_RDONLY, 0, &ignored);

	if (fd >= 0 && !io_slurp(fd, &b, STATE_FILE_MAX, &ignored)) {
		rest = b.data;
		/* a last line without its end is being written */
		for (char *l; rest && (l = strsep(&rest, "\n"));)
			if (rest) {
				plain_make(l, '?');
				take_state(l, v);
			}
	}
	io_close(&fd);
	buf_free(&b);
}

static int load(const struct home *home, struct boxview *v, struct err *e)
{
	char path[128];
	int dir, rc;

	snprintf(path, sizeof(path), "store/%s", v->host.box);
	dir = openat(home->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 && errno != ENOENT)
		return err_sys(e, "%s", path);
	rc = dir < 0 ? 0 : lease_log_read(dir, &v->log, e);
	if (dir >= 0 && !rc) {
		read_state(dir, "state", v);
		if (!*v->phase) { /* complaints alone: what was before them? */
			v->complaints = 0;
			read_state(dir, "state.old", v);
			read_state(dir, "state", v);
		}
	}
	io_close(&dir);
	if (rc)
		return -1;
	rc = plan_load(home, v->host.box, v->host.kernel, &v->plan, e);
	v->plan.in.log = &v->log;
	return rc;
}

/* ---- judging ------------------------------------------------------------- */

static enum boxview_state judge(const struct home *home, struct boxview *v,
				int64_t now_s)
{
	const struct lease_event *want = lease_last(&v->log, LEASE_WANT);
	const struct lease_event *run = lease_last(&v->log, LEASE_RUN);
	int64_t quiet_s = now_s - v->since_s, limit_s;
	enum boxview_state s = BOX_IDLE;
	struct conf_job job;
	struct err ignored;

	v->boot = lease_last(&v->log, LEASE_BOOT);
	if (!v->boot)
		return v->since_s ? BOX_REFUSED : BOX_NEVER;
	limit_s = (int64_t)ASKS_MISSED * v->host.idle_s + ASK_SLACK_S;
	if (want > v->boot && (!run || want > run)) {
		s = BOX_BOOTING;
		limit_s = v->host.boot_deadline_s;
	} else if (run && plan_run_state(&v->plan.in, run) == RUN_OPEN) {
		v->run = run;
		s = BOX_RUNNING;
		limit_s = RUN_SLACK_S + v->host.ship_deadline_s;
		if (!runjob_load(home, &v->log, run, &job, NULL, &ignored)) {
			limit_s += job.run_limit_ms / 1000;
			conf_job_free(&job);
		}
	}
	return quiet_s > limit_s ? BOX_SILENT : s;
}

int boxview_load(const struct home *home, const char *box, int64_t now_s,
		 struct boxview *v, struct err *e)
{
	char path[128];

	*v = (struct boxview){ .log = { .fd = -1 } };
	snprintf(path, sizeof(path), "conf/hosts/%s.cfg", box);
	if (!conf_name_ok(box) || faccessat(home->fd, path, F_OK, 0) < 0)
		return err_set(e, ERR_NOTFOUND, "no box \"%.64s\": it has no "
						"conf/hosts/BOX.cfg",
			       box);
	if (conf_host_load(home->fd, path, &v->host, NULL, e))
		return -1;
	if (load(home, v, e)) {
		boxview_free(v);
		return err_prefix(e, "box %s", box);
	}
	v->state = judge(home, v, now_s);
	return 0;
}

void boxview_free(struct boxview *v)
{
	plan_load_free(&v->plan);
	lease_log_close(&v->log);
	conf_host_free(&v->host);
}

int boxview_list(const struct home *home, struct strlist *boxes, struct err *e)
{
	int fd = openat(home->fd, "conf/hosts",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	int rc = 0;

	if (!d) {
		err_sys(e, "conf/hosts");
		io_close(&fd);
		return -1;
	}
	for (const struct dirent *de; !rc && (de = readdir(d));) {
		size_t n = strlen(de->d_name);
		char name[256];

		if (n < 5 || strcmp(de->d_name + n - 4, ".cfg") != 0)
			continue;
		memcpy(name, de->d_name, n - 4);
		name[n - 4] = '\0';
		if (conf_name_ok(name))
			rc = strlist_add(boxes, name, e);
	}
	closedir(d);
	strlist_sort(boxes);
	return rc;
}
