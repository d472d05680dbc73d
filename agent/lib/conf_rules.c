// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Rules between keys: a path must name parameters, an A/B experiment needs two
 * kernels. Single values are conf_form.c's business.
 */
#include "conf_rules.h"
#include "conf_experiment.h"
#include "conf_near.h"

#include <stdlib.h>
#include <string.h>

static void set_default(struct conf_load *l, char **to, const char *value)
{
	if (*to || !value)
		return;
	*to = strdup(value);
	if (!*to)
		conf_load_note(l, 0, "", "out of memory");
}

static void check_require(struct conf_load *l, const struct conf_tune *t)
{
	unsigned int line = conf_load_line(l, "tune.require");

	for (size_t i = 0; i < t->require.n; i++) {
		const struct conf_key *k = conf_schema_tune;
		const char *name = t->require.v[i];
		struct buf near = { 0 };
		bool found;

		while (k->path && strcmp(k->path, name) != 0)
			k++;
		if (k->path && strcmp(name, "require") != 0)
			continue;
		found = conf_near_key(conf_schema_tune, name, &near);
		conf_load_note(l, line, "tune.require",
			       "\"%.64s\" is not a knob of this group%s%s",
			       name, found ? ", the nearest is " : "",
			       found ? buf_str(&near) : "");
		buf_free(&near);
	}
}

void conf_rules_host(void *conf, struct conf_load *l)
{
	struct conf_host *h = conf;

	set_default(l, &h->group, h->box);
	check_require(l, &h->tune);
	if (h->net.gateway && !h->net.address)
		conf_load_note(l, conf_load_line(l, "net.gateway"),
			       "net.gateway",
			       "needs net.address: DHCP brings its own");
	for (size_t i = 0; i < h->net.nworkload; i++)
		if (!h->net.workload[i].nic && !h->net.workload[i].mac)
			conf_load_note(l, conf_load_line(l, "net.workload"),
				       "net.workload",
				       "card %zu has neither nic nor mac",
				       i + 1);
}

static bool has_param(const struct conf_job *j, const char *name)
{
	for (size_t i = 0; i < j->nparam; i++)
		if (!strcmp(j->param[i].name, name))
			return true;
	return false;
}

static void check_path(struct conf_load *l, const struct conf_job *j)
{
	for (size_t i = 0; i < j->path.n; i++)
		if (!has_param(j, j->path.v[i]))
			conf_load_note(l, conf_load_line(l, "path"), "path",
				       "\"%.64s\" is not one of params",
				       j->path.v[i]);
}

/* Not given: every parameter, in the order written. */
static void default_path(struct conf_load *l, struct conf_job *j)
{
	if (cfgtree_get(l->root, "path"))
		return;
	for (size_t i = 0; i < j->nparam; i++)
		if (strlist_add(&j->path, j->param[i].name, NULL))
			conf_load_note(l, 0, "", "out of memory");
}

static void default_run_limit(struct conf_job *j)
{
	int64_t iterations = j->iterations + j->warmup + j->profile.record;
	int64_t once = (int64_t)(j->setup.n + j->teardown.n);
	int64_t each = (int64_t)j->cleanup.n;

	/* counts below 20000, durations below 30 days: no overflow */
	if (!j->run_limit_ms)
		j->run_limit_ms = 60000 + once * j->setup_limit_ms +
				  iterations * (j->time_limit_ms +
						each * j->setup_limit_ms);
}

void conf_rules_job(void *conf, struct conf_load *l)
{
	struct conf_job *j = conf;

	set_default(l, &j->testcase, j->name);
	default_path(l, j);
	check_path(l, j);
	check_require(l, &j->tune);
	default_run_limit(j);
	if (cfgtree_get(l->root, "run_limit") &&
	    j->time_limit_ms > j->run_limit_ms)
		conf_load_note(l, conf_load_line(l, "run_limit"), "run_limit",
			       "is shorter than time_limit, of one iteration");
}

static void check_twice(struct conf_load *l, const char *key,
			const struct strlist *names)
{
	for (size_t i = 1; i < names->n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(names->v[i], names->v[k]))
				conf_load_note(l, conf_load_line(l, key), key,
					       "\"%.64s\" stands twice",
					       names->v[i]);
}

void conf_rules_experiment(void *conf, struct conf_load *l)
{
	struct conf_experiment *x = conf;
	bool ab = x->kind && !strcmp(x->kind, "ab");

	check_twice(l, "boxes", &x->boxes);
	check_twice(l, "kernels", &x->kernels);
	check_twice(l, "jobs", &x->jobs);
	conf_experiment_words(x, l);
	if (ab && x->kernels.n < 2)
		conf_load_note(l, conf_load_line(l, "kernels"), "kernels",
			       "%s kernel, expected the base and a head",
			       x->kernels.n ? "one" : "no");
	if (x->kind && !ab && x->kernels.n > 1)
		conf_load_note(l, conf_load_line(l, "kernels"), "kernels",
			       "%zu kernels, expected one for kind \"queue\"",
			       x->kernels.n);
	if (ab && x->until_decided && x->max_blocks < 5)
		conf_load_note(l, conf_load_line(l, "max_blocks"), "max_blocks",
			       "%d, but nothing is decided below 5",
			       x->max_blocks);
}
