// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What a job's commands see: parameters as shell variables, resolved for this
 * box, and an environment that is the same in every iteration and on every
 * kernel: its size alone shifts the stack, and with it the timing.
 */
#include "jobrun.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_DEFAULT                                                           \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"                   \
	"/sbin:/bin"

static int add(struct run *run, const char *name, const char *value,
	       struct err *e)
{
	struct buf b = { 0 };
	int rc;

	buf_printf(&b, "%s=%s", name, value);
	rc = buf_ok(&b, e);
	if (!rc)
		rc = strlist_add(&run->env, buf_str(&b), e);
	buf_free(&b);
	return rc;
}

/*
 * The agent's own folder is added last, so that `ironrig-agent scale` is found
 * wherever the agent was started from.
 */
static int add_path(struct run *run, struct err *e)
{
	struct buf b = { 0 };
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;
	int rc;

	buf_puts(&b, PATH_DEFAULT);
	exe[n > 0 ? n : 0] = '\0';
	slash = strrchr(exe, '/');
	if (slash && slash != exe) {
		*slash = '\0';
		if (!strstr(PATH_DEFAULT, exe))
			buf_printf(&b, ":%s", exe);
	}
	rc = add(run, "PATH", buf_str(&b), e);
	buf_free(&b);
	return rc;
}

static int resolve(struct run *run, struct err *e)
{
	const struct conf_job *job = run->job;

	run->as_run = *job;
	if (!job->nparam)
		return 0;
	run->as_run.param = calloc(job->nparam, sizeof(job->param[0]));
	if (!run->as_run.param) {
		run->as_run.nparam = 0;
		return err_set(e, ERR_LIMIT, "out of memory");
	}
	for (size_t i = 0; i < job->nparam; i++) {
		struct buf value = { 0 };

		run->as_run.param[i].name = job->param[i].name;
		if (conf_param_resolve(&job->param[i], run->online, &value,
				       e)) {
			buf_free(&value);
			return err_prefix(e, "parameter %s",
					  job->param[i].name);
		}
		/* owned here, see jobenv_free() */
		run->as_run.param[i].value = strdup(buf_str(&value));
		buf_free(&value);
		if (!run->as_run.param[i].value)
			return err_set(e, ERR_LIMIT, "out of memory");
	}
	return 0;
}

int jobenv_make(struct run *run, struct err *e)
{
	const struct conf_job *job = &run->as_run;

	if (resolve(run, e) || add_path(run, e) ||
	    add(run, "HOME", run->rq->work_dir, e) ||
	    add(run, "LC_ALL", "C", e))
		return -1;
	for (size_t i = 0; i < job->nparam; i++)
		if (add(run, job->param[i].name, job->param[i].value, e))
			return -1;
	for (size_t i = 0; i < job->env.n; i++)
		if (strlist_add(&run->env, job->env.v[i], e))
			return -1;
	run->envp = calloc(run->env.n + 1, sizeof(run->envp[0]));
	if (!run->envp)
		return err_set(e, ERR_LIMIT, "out of memory");
	memcpy(run->envp, run->env.v, run->env.n * sizeof(run->envp[0]));
	return 0;
}

void jobenv_free(struct run *run)
{
	if (run->as_run.param != run->job->param) {
		for (size_t i = 0; i < run->as_run.nparam; i++)
			free(run->as_run.param[i].value);
		free(run->as_run.param);
	}
	free(run->envp);
	strlist_free(&run->env);
}
