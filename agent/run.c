// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * One lease: is this the right kernel, fetch the job and its bundles, run it,
 * pack while sending, drop it when it is stored. How a job is run is
 * job_run()'s, how bytes get home the courier's.
 */
#include "run.h"
#include "ask.h"
#include "bring.h"
#include "io.h"
#include "job.h"
#include "members.h"
#include "num.h"
#include "pack.h"
#include "result.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECORD	  BOX_RUN_DIR "/lease" /* "run", "ship" or "drop" LEASE */
#define JOB_DIR   BOX_RUN_DIR "/jobs"
#define GET_MS	  120000
#define MARGIN_MS 30000 /* between a deadline of ours and being killed */
#define PACK_MS	  600000 /* 10 GB of raw result at 20 MB/s, level 3 on TCG */

int run_parse(const struct proto_words *w, struct lease *l,
	      char kernel[PROTO_LINE], struct err *e)
{
	int64_t attempt, block, position;

	memset(l, 0, sizeof(*l));
	if (w->n != 8 || !lease_ok(w->v[1]) || !conf_name_ok(w->v[2]) ||
	    num_i64(w->v[4], 0, INT32_MAX, &attempt, e) ||
	    (strcmp(w->v[5], "-") != 0 && !conf_name_ok(w->v[5])) ||
	    num_i64(w->v[6], 0, INT32_MAX, &block, e) ||
	    num_i64(w->v[7], 0, INT32_MAX, &position, e))
		return err_set(e, ERR_PEER, "next: a malformed lease");
	snprintf(l->id, sizeof(l->id), "%s", w->v[1]);
	snprintf(l->job, sizeof(l->job), "%s", w->v[2]);
	snprintf(kernel, PROTO_LINE, "%s", w->v[3]);
	snprintf(l->experiment, sizeof(l->experiment), "%s",
		 strcmp(w->v[5], "-") ? w->v[5] : "");
	l->attempt = (int)attempt;
	l->block = (int)block;
	l->position = (int)position;
	return 0;
}

static void record(const char *state, const char *id)
{
	char text[64];
	struct err e = ERR_INIT;

	snprintf(text, sizeof(text), "%s %s\n", state, id);
	if (io_replace_file(AT_FDCWD, RECORD, text, strlen(text), 0600, &e))
		kmsg_say("%s", e.msg);
}

/* The lease ends without a result; why is told and forgotten. */
static void give_up(struct box *b, const char *id, const struct err *why)
{
	kmsg_say("lease %s: %s", id, why->msg);
	ask_state(b, "failed", id, why->msg);
	unlink(RECORD);
}

static void tree_path(const char *id, char out[128])
{
	snprintf(out, 128, BOOT_RESULTS "/%s", id);
}

static void drop(const char *id, const char *file)
{
	char tree[128];
	struct err e = ERR_INIT;

	/* half a tree must not be packed and shipped again */
	record("drop", id);
	unlink(file);
	tree_path(id, tree);
	if (io_remove_tree(AT_FDCWD, tree, &e))
		kmsg_say("%s", e.msg);
	unlink(RECORD);
}

/* Packs and sends at once. The courier retries; its errors are final. */
static int pack_and_put(struct box *b, const char *id, const char *name,
			const char *file, struct err *e)
{
	char tree[128], sha[SHA256_HEX];
	int grow = -1, fd, rc;
	pid_t pid;

	tree_path(id, tree);
	unlink(file);
	if (pack_start(tree, file, &pid, &grow, e))
		return -1;
	/* the packer makes it before it forks */
	fd = open(file, O_RDONLY | O_CLOEXEC);
	rc = fd < 0 ? err_sys(e, "%s", file)
		    : courier_put(b->courier, name, fd, grow,
				  box_ms(b->host.ship_deadline_s) + PACK_MS,
				  sha, e);
	io_close(&fd);
	/* the courier heard the packer out, unless it failed before that */
	if (rc)
		kill(pid, SIGKILL);
	io_close(&grow);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return rc;
}

/* As at boot. What still does not answer then, the courier waits for. */
static void mend_network(struct box *b)
{
	int64_t until =
		io_monotonic_ns() + box_ms(b->host.ship_deadline_s) * 1000000;

	while (net_lost(&b->net) && io_monotonic_ns() < until) {
		struct err e = ERR_INIT;

		kmsg_say("network: taken down in the run, brought up again");
		phase_set(b->up, "network",
			  box_ms(2 * NET_PATIENCE_S + b->host.net.timeout_s) +
				  MARGIN_MS);
		net_down(&b->net, b->root);
		if (net_up(&b->net, b->root, &b->host,
			   cmdline_get(b->cmdline, "BOOTIF"), NULL, NULL, &e))
			kmsg_say("network: %s", e.msg);
	}
}

static int ship(struct box *b, const char *id, struct err *e)
{
	struct buf name = { 0 };
	char file[256];
	int rc;

	record("ship", id);
	mend_network(b);
	phase_set(b->up, "ship",
		  box_ms(b->host.ship_deadline_s) + PACK_MS + MARGIN_MS);
	if (result_file_name(b->host.box, id, &name, e)) {
		buf_free(&name);
		return -1;
	}
	snprintf(file, sizeof(file), BOOT_RESULTS "/%s", buf_str(&name));
	kmsg_say("shipping %s", buf_str(&name));
	rc = pack_and_put(b, id, buf_str(&name), file, e);
	if (!rc) {
		kmsg_say("%s is stored", buf_str(&name));
		phase_good(b->up);
		drop(id, file);
	} else if (e->kind == ERR_PEER) {
		/* refused for good: quota, or another result of that name */
		give_up(b, id, e);
		drop(id, file);
		rc = 0;
	}
	buf_free(&name);
	return rc;
}

static void on_phase(void *arg, const char *phase, int64_t deadline_ms)
{
	struct box *b = arg;
	char name[PHASE_NAME_SZ];

	snprintf(name, sizeof(name), "%s", phase);
	for (char *p = name; *p; p++)
		if (*p == ' ')
			*p = '-';
	phase_set(b->up, name, deadline_ms);
	kmsg_say("%s", phase);
}

/* One session of one boot runs a lease of one kernel, or says why not. */
static int right_kernel(struct box *b, const char *kernel, struct err *e)
{
	if (b->bad.n)
		return err_set(e, ERR_UNSUPPORTED, "image: %s", b->bad.v[0]);
	if (strcmp(kernel, "-") != 0 && strcmp(kernel, b->kernel) != 0)
		return err_set(e, ERR_CONFLICT,
			       "kernel %.100s runs, the lease is for %.100s",
			       b->kernel, kernel);
	return 0;
}

static int fetch(struct box *b, const struct lease *l, struct conf_job *job,
		 struct err *e)
{
	char name[128], file[sizeof(JOB_DIR) + 128];
	int64_t ms = box_ms(b->host.ship_deadline_s);

	phase_set(b->up, "fetch", 3 * ms + MARGIN_MS);
	snprintf(name, sizeof(name), "job/%s.cfg", l->job);
	/* the controller's name: job and testcase are called by it */
	snprintf(file, sizeof(file), JOB_DIR "/%s.cfg", l->job);
	if (io_mkdir_p(AT_FDCWD, JOB_DIR, 0755, e) || ask_host(b, ms, e) ||
	    ask_get(b, name, file, ASK_TEXT, ms, e) ||
	    conf_job_load(AT_FDCWD, file, job, NULL, e))
		return -1;
	/* the lease's name, whatever the file says of itself */
	free(job->name);
	job->name = strdup(l->job);
	if (!job->name)
		return err_set(e, ERR_LIMIT, "out of memory");
	for (size_t i = 0; i < job->bundles.n; i++)
		if (bring_bundle(b, job->bundles.v[i], e))
			return -1;
	return boot_memory(&b->host, e);
}

static int measure(struct box *b, const struct lease *l,
		   const struct conf_job *job, struct err *e)
{
	char name[65], id[SHA256_HEX];
	bool known = !members_word(b->kernel, name, id, NULL);
	struct job_request rq = {
		.host = &b->host,
		.job = job,
		.root = b->root,
		.work_dir = BOOT_WORK,
		.out_dir = BOOT_RESULTS,
		.lease = l->id,
		.experiment = *l->experiment ? l->experiment : NULL,
		.kernel = known ? name : NULL,
		.kernel_id = known ? id : NULL,
		.boot_id = b->boot_id,
		.boot_mode = box_mode(b),
		.prev_kernel = cmdline_get(b->cmdline, IMAGE_ARG_PREV),
		.block = l->block,
		.position = l->position,
		.attempt = l->attempt,
		.on_phase = on_phase,
		.arg = b,
		.stop = b->stop,
	};
	struct result r = { 0 };
	int rc = job_run(&rq, &r, e);

	if (!rc)
		kmsg_say("job %s: %s%s%s", l->job, outcome_name(r.outcome),
			 r.reason ? ": " : "", r.reason ? r.reason : "");
	result_free(&r);
	return rc;
}

/* What this boot and the one before left, beside what job_run() gathered. */
static void add_evidence(struct box *b, const char *id,
			 const struct crash *crash)
{
	struct buf log = { 0 };
	struct err e = ERR_INIT;
	char path[192];

	snprintf(path, sizeof(path), BOOT_RESULTS "/%s/meta/crash", id);
	if (crash_copy(b->root, crash, path, &e))
		kmsg_say("crash evidence: %s", e.msg);
	snprintf(path, sizeof(path), BOOT_RESULTS "/%s/meta/session.log", id);
	if (io_read_file(AT_FDCWD, KMSG_LOG, &log, 2 * KMSG_LOG_MAX, &e) ||
	    io_replace_file(AT_FDCWD, path, buf_str(&log), log.len, 0644, &e))
		kmsg_say("session.log: %s", e.msg);
	buf_free(&log);
}

int run_lease(struct box *b, const struct proto_words *w, struct crash *crash,
	      struct lease *l, struct err *e)
{
	char kernel[PROTO_LINE];
	struct conf_job job = { 0 };
	struct err why = ERR_INIT;

	if (run_parse(w, l, kernel, e))
		return -1;
	kmsg_note("lease %s job %s boot_id %s kernel %s", l->id, l->job,
		  b->boot_id, b->kernel);
	kmsg_say("lease %s: job %s, attempt %d", l->id, l->job, l->attempt);
	record("run", l->id);
	if (right_kernel(b, kernel, &why) || fetch(b, l, &job, &why) ||
	    measure(b, l, &job, &why)) {
		conf_job_free(&job);
		give_up(b, l->id, &why);
		return 0;
	}
	conf_job_free(&job);
	record("ship", l->id); /* it has ended: from here on it is not lost */
	add_evidence(b, l->id, crash);
	if (ship(b, l->id, e))
		return -1;
	crash_forget(b->root, crash);
	return 0;
}

int run_resume(struct box *b, char id[33], struct err *e)
{
	char line[64], tree[128], file[256];
	struct err why = ERR_INIT;
	struct buf name = { 0 };

	if (io_read_line(AT_FDCWD, RECORD, line, sizeof(line), NULL))
		return 0;
	if (strncmp(line, "ship ", 5) && strncmp(line, "run ", 4) &&
	    strncmp(line, "drop ", 5))
		return 0;
	snprintf(id, 33, "%.32s", strchr(line, ' ') + 1);
	if (!lease_ok(id))
		return 0;
	if (line[0] == 's')
		return ship(b, id, e) ? -1 : 1;
	tree_path(id, tree);
	if (io_remove_tree(AT_FDCWD, tree, &why))
		kmsg_say("%s", why.msg);
	if (line[0] == 'd') {
		if (result_file_name(b->host.box, id, &name, &why))
			kmsg_say("%s", why.msg);
		snprintf(file, sizeof(file), BOOT_RESULTS "/%s",
			 buf_str(&name));
		buf_free(&name);
		drop(id, file);
		return 1;
	}
	err_set(&why, ERR_TIMEOUT,
		"the agent's session died or was overdue in the run");
	give_up(b, id, &why);
	return 1;
}
