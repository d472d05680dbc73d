// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The profile of a run. Symbols are looked up here, on the box: kernel modules
 * and programs of a bundle exist nowhere else.
 */
#include "profile.h"
#include "exec.h"
#include "io.h"
#include "quote.h"
#include "jobrun.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATA	   "perf.data"
#define DATA_MAX   (16 << 20) /* system-wide call graphs of minutes are more */
#define REPORT_MS  300000
#define REPORT_MAX (16 << 20)

/* Self time by program, object and symbol: what two profiles are compared by.
 */
#define REPORT                                                                 \
	"perf report -i " DATA " --stdio --no-children -g none -F "            \
	"overhead,comm,dso,symbol"

char *profile_command(const struct conf_job *job)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s -o " DATA " -- sh -ec ", job->profile.command);
	quote_word(job->command, &b);
	return b.failed ? (buf_free(&b), NULL) : b.data;
}

static void report(struct run *run)
{
	struct pump out = { .rd = -1, .wr = -1, .out = -1, .null = -1 };
	struct exec_request rq = {
		.text = REPORT,
		.cwd = run->rq->work_dir,
		.env = run->envp,
		.group = &run->setup,
		.out = &out,
		.err = &run->output,
		.nofile = run->job->limit.nofile,
		.limit_ms = REPORT_MS,
		.grace_ms = 2000,
		.stop = run->rq->stop,
	};
	struct exec_outcome o;
	struct err e = ERR_INIT;

	jobcmd_phase(run, "profile-report", REPORT_MS);
	if (pump_open(run->out, "profile/report.txt", REPORT_MAX, &out, &e) ||
	    exec_run(&rq, &o, &e))
		jobout_log(run, "profile: %s", e.msg);
	else if (o.exit_code)
		jobout_log(run, "perf report: exit %d", o.exit_code);
	pump_close(&out);
}

void profile_report(struct run *run)
{
	struct buf data = { 0 };
	struct err e = ERR_INIT;
	struct stat st;
	int work = open(run->rq->work_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (work < 0 || fstatat(work, DATA, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		jobout_log(run, "profile: there is no " DATA);
		io_close(&work);
		return;
	}
	report(run);
	if (st.st_size > DATA_MAX)
		jobout_log(run, "profile: " DATA " of %lld bytes is not kept",
			   (long long)st.st_size);
	else if (io_read_file(work, DATA, &data, DATA_MAX, &e))
		jobout_log(run, "profile: %s", e.msg);
	else
		jobout_file(run, "profile/" DATA, &data);
	unlinkat(work, DATA, 0);
	buf_free(&data);
	close(work);
}
