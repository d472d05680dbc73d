// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A run as JSON, the same in ls, show and export.
 */
#include "runjson.h"

#include <string.h>
#include <time.h>

void runjson_time(int64_t unix_s, char out[RUNJSON_TIME])
{
	time_t t = (time_t)unix_s;
	struct tm tm;

	if (unix_s <= 0 || !gmtime_r(&t, &tm) ||
	    !strftime(out, RUNJSON_TIME, "%Y-%m-%dT%H:%M:%SZ", &tm))
		memcpy(out, "-", 2);
}

static void text(struct jsonout *j, const char *key, const char *value)
{
	if (*value)
		jsonout_string(j, key, value);
	else
		jsonout_null(j, key);
}

void runjson_stat(struct jsonout *j, const struct index_stat *s)
{
	jsonout_open(j, NULL, '{');
	jsonout_string(j, "stat", s->name);
	jsonout_string(j, "unit", s->unit);
	jsonout_string(j, "better", index_better_name(s->better));
	jsonout_bool(j, "per_run", s->per_run);
	jsonout_open(j, "values", '[');
	for (size_t i = 0; i < s->n; i++)
		jsonout_number(j, NULL, s->value[i]);
	jsonout_close(j, ']');
	jsonout_close(j, '}');
}

void runjson(struct jsonout *j, const struct index_run *r)
{
	char start[RUNJSON_TIME], end[RUNJSON_TIME];

	runjson_time(r->start_s, start);
	runjson_time(r->end_s, end);
	text(j, "lease", r->lease);
	text(j, "box", r->box);
	text(j, "group", r->group);
	text(j, "job", r->job);
	text(j, "testcase", r->testcase);
	text(j, "params_path", r->params_path);
	text(j, "kernel", r->kernel);
	text(j, "job_id", r->job_id);
	text(j, "kernel_id", r->kernel_id);
	text(j, "build_id", r->build_id);
	text(j, "release", r->release);
	text(j, "boot_id", r->boot_id);
	text(j, "boot_mode", r->boot_mode);
	text(j, "prev_kernel", r->prev_kernel);
	text(j, "experiment", r->experiment);
	jsonout_integer(j, "block", r->block);
	jsonout_integer(j, "position", r->position);
	jsonout_integer(j, "attempt", r->attempt);
	text(j, "start", start);
	text(j, "end", end);
	text(j, "outcome", outcome_name(r->outcome));
	text(j, "reason", r->reason);
	jsonout_bool(j, "stable", r->stable);
	jsonout_integer(j, "iterations", r->iterations);
	jsonout_integer(j, "planned", r->planned);
	text(j, "cpu_model", r->cpu_model);
	jsonout_integer(j, "cpus_online", r->cpus_online);
	jsonout_integer(j, "memory_kb", r->memory_kb);
	text(j, "file", r->file);
	jsonout_integer(j, "bytes", r->bytes);
	jsonout_open(j, "primary", '[');
	for (size_t i = 0; i < r->primary.n; i++)
		jsonout_string(j, NULL, r->primary.v[i]);
	jsonout_close(j, ']');
	text(j, "notes", r->notes);
}
