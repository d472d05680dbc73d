/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PROFILE_H
#define IRONRIG_PROFILE_H

#include "conf.h"

/*
 * The profile iteration: the job's command under perf-record(1) (or what
 * profile.command says), then its text report. The data stays in the work
 * folder as perf.data; a small one goes into the result too.
 */
struct run;

/* "PROFILER -o perf.data -- sh -ec 'COMMAND'"; heap, NULL: out of memory. */
char *profile_command(const struct conf_job *job);
/* profile/report.txt, and profile/perf.data when it is small. */
void profile_report(struct run *run);

#endif
