// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Stats from result.cfg itself: what GNU time(1) shows of the command, named
 * as lkp-tests does; the observer's cost; CPU time per operation.
 */
#include "ofresult.h"

static double seconds(const struct result_iter *i)
{
	return (double)(i->end_ns - i->start_ns) / 1e9;
}

int ofresult_iteration(const struct result_iter *i, struct stat_out *o,
		       struct err *e)
{
	const double s = seconds(i);
	const double cpu = (double)(i->utime_us + i->stime_us) / 1e6;
	const struct {
		const char *name, *unit;
		enum stat_better better;
		double value;
	} v[] = {
		{ "elapsed_time", "s", STAT_LOWER, s },
		{ "user_time", "s", STAT_LOWER, (double)i->utime_us / 1e6 },
		{ "system_time", "s", STAT_LOWER, (double)i->stime_us / 1e6 },
		{ "percent_of_cpu_this_job_got", "%", STAT_NONE,
		  s > 0 ? 100 * cpu / s : 0 },
		{ "maximum_resident_set_size", "kB", STAT_LOWER,
		  (double)i->maxrss_kb },
		{ "minor_page_faults", "faults", STAT_LOWER,
		  (double)i->minflt },
		{ "major_page_faults", "faults", STAT_LOWER,
		  (double)i->majflt },
		{ "file_system_inputs", "blocks", STAT_NONE,
		  (double)i->inblock },
		{ "file_system_outputs", "blocks", STAT_NONE,
		  (double)i->oublock },
		{ "voluntary_context_switches", "switches", STAT_NONE,
		  (double)i->nvcsw },
		{ "involuntary_context_switches", "switches", STAT_NONE,
		  (double)i->nivcsw },
	};

	if (s <= 0)
		return 0; /* imported: nobody knows when it ran */
	/* negative: the machine did not tell */
	for (size_t k = 0; k < sizeof(v) / sizeof(v[0]); k++)
		if (v[k].value >= 0 &&
		    stat_put(o, v[k].unit, v[k].better, v[k].value, e,
			     "time.%s", v[k].name))
			return -1;
	if (i->cgroup_cpu_us < 0)
		return 0;
	return stat_put(o, "s", STAT_LOWER, (double)i->cgroup_cpu_us / 1e6, e,
			"time.cgroup_cpu_time");
}

int ofresult_run(const struct result *r, struct stat_out *o, struct err *e)
{
	double s = 0;

	for (size_t i = 0; i < r->niter; i++)
		if (!r->iter[i].warmup && !r->iter[i].profile)
			s += seconds(&r->iter[i]);
	o->run = 0;
	if (s <= 0 || r->agent_cpu_us < 0)
		return 0;
	return stat_put(o, "us/s", STAT_LOWER, (double)r->agent_cpu_us / s, e,
			"agent.cpu_us_per_s");
}

int ofresult_efficiency(const struct result_iter *i, double ops,
			struct stat_out *o, struct err *e)
{
	/* the cgroup's time has daemons in it that nobody waited for */
	int64_t us = i->cgroup_cpu_us >= 0 ? i->cgroup_cpu_us :
					     i->utime_us + i->stime_us;

	if (ops <= 0 || us <= 0)
		return 0;
	return stat_put(o, "us/op", STAT_LOWER, (double)us / ops, e,
			"efficiency.cpu_us_per_op");
}
