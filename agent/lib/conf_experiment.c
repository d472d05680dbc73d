// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What is more than one word in an experiment's file. "KERNEL BUILD BUILD": the
 * builds of a kernel that has more than itself; "JOB 9": the iterations of a
 * job's runs. What a plan makes of them is not decided here.
 */
#include "conf_experiment.h"
#include "conf.h"
#include "conf_form.h"
#include "num.h"

#include <stdlib.h>
#include <string.h>

/* The next word of *s (blanks between) into out; false: there is none. */
static bool word(const char **s, char out[CONF_BUILD_NAME])
{
	const char *p = *s + strspn(*s, " ");
	size_t n = strcspn(p, " ");

	*s = p + n;
	if (!n)
		return false;
	/* a longer one is no name: builds_ok() says so */
	if (n >= CONF_BUILD_NAME)
		n = CONF_BUILD_NAME - 1;
	memcpy(out, p, n);
	out[n] = '\0';
	return true;
}

/* ---- builds -------------------------------------------------------------- */

static bool builds_ok(const char *s)
{
	char name[CONF_BUILD_NAME];
	size_t n = 0;

	while (word(&s, name)) {
		if (!conf_name_ok(name))
			return false;
		n++;
	}
	return n >= 2 && n <= CONF_BUILDS_MAX;
}

const struct conf_form conf_form_builds = {
	builds_ok,
	"a kernel's name and those of 1 to 15 other builds of it, with blanks "
	"between",
	NULL
};

int conf_experiment_builds(const struct conf_experiment *x, size_t i,
			   struct strlist *out, struct err *e)
{
	const char *kernel = x->kernels.v[i];
	char name[CONF_BUILD_NAME];

	for (size_t k = 0; k < x->builds.n; k++) {
		const char *s = x->builds.v[k];

		if (!word(&s, name) || strcmp(name, kernel) != 0)
			continue;
		do
			if (strlist_add(out, name, e))
				return -1;
		while (word(&s, name));
		return 0;
	}
	return strlist_add(out, kernel, e);
}

/* ---- iterations ---------------------------------------------------------- */

/* "JOB N"; 0: it is none, or not that job's (NULL: any). */
static int iterations_of(const char *s, const char *job)
{
	char name[CONF_BUILD_NAME], number[CONF_BUILD_NAME];
	char more[CONF_BUILD_NAME];
	int64_t n;

	if (!word(&s, name) || !word(&s, number) || word(&s, more) ||
	    !conf_name_ok(name) || (job && strcmp(name, job) != 0) ||
	    num_i64(number, 1, CONF_ITERATIONS_MAX, &n, NULL))
		return 0;
	return (int)n;
}

static bool iterations_ok(const char *s)
{
	return iterations_of(s, NULL);
}

const struct conf_form conf_form_iterations = {
	iterations_ok,
	"a job's name and the number of its iterations, such as \"lock1 9\"",
	NULL
};

int conf_experiment_iterations(const struct conf_experiment *x, const char *job)
{
	int n = 0;

	for (size_t i = 0; !n && i < x->iterations.n; i++)
		n = iterations_of(x->iterations.v[i], job);
	return n;
}

static void check_iterations(const struct conf_experiment *x,
			     struct conf_load *l)
{
	for (size_t i = 0; i < x->iterations.n; i++) {
		const char *s = x->iterations.v[i];
		char name[CONF_BUILD_NAME];

		if (word(&s, name) && !strlist_has(&x->jobs, name))
			conf_load_note(l, conf_load_line(l, "iterations"),
				       "iterations",
				       "\"%.64s\" is not among the jobs", name);
	}
}

/* ---- both ---------------------------------------------------------------- */

/* A build stands for one kernel only, and once. */
static void check_builds(const struct conf_experiment *x, struct conf_load *l)
{
	unsigned int line = conf_load_line(l, "builds");
	struct strlist seen = { 0 };
	char name[CONF_BUILD_NAME];

	for (size_t i = 0; i < x->builds.n; i++) {
		const char *s = x->builds.v[i];

		for (bool first = true; word(&s, name); first = false) {
			if (first && !strlist_has(&x->kernels, name))
				conf_load_note(l, line, "builds",
					       "\"%.64s\" is not among the "
					       "kernels",
					       name);
			if (strlist_has(&seen, name) ||
			    (!first && strlist_has(&x->kernels, name)))
				conf_load_note(l, line, "builds",
					       "\"%.64s\" stands twice", name);
			if (strlist_add(&seen, name, NULL))
				conf_load_note(l, 0, "", "out of memory");
		}
	}
	strlist_free(&seen);
}

void conf_experiment_words(const struct conf_experiment *x, struct conf_load *l)
{
	check_builds(x, l);
	check_iterations(x, l);
}
