// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * sysbench(1) 0.4 to 1.0: cpu, memory, threads, mutex, fileio and the
 * database tests.
 */
#include "extractors.h"

#include <string.h>

static const struct text_label label[] = {
	{ "events per second:", "events_per_second", "events/s",
	  STAT_HIGHER },
	{ "reads/s:", "reads_per_s", "/s", STAT_HIGHER },
	{ "writes/s:", "writes_per_s", "/s", STAT_HIGHER },
	{ "fsyncs/s:", "fsyncs_per_s", "/s", STAT_HIGHER },
	{ "read, MiB/s:", "read_MiBps", "MiB/s", STAT_HIGHER },
	{ "written, MiB/s:", "written_MiBps", "MiB/s", STAT_HIGHER },
	{ "min:", "latency.min", "ms", STAT_LOWER },
	{ "avg:", "latency.avg", "ms", STAT_LOWER },
	{ "max:", "latency.max", "ms", STAT_LOWER },
};

/* "transactions: 1000 (99.5 per sec.)": the number in brackets */
static int in_brackets(struct text *t, const char *name, const char *unit,
		       struct stat_out *o, struct err *e)
{
	char *p = strchr(t->line, '(');
	double v;

	if (!p || (!strstr(p, "per sec") && !strstr(p, "/sec")))
		return 0;
	p++;
	if (text_number(t, &p, &v, e))
		return -1;
	return stat_put(o, unit, STAT_HIGHER, v, e, "sysbench.%s", name);
}

/* "95th percentile: 0.21", "approx.  95 percentile: 0.21ms" before 1.0 */
static int percentile(struct text *t, char *p, struct stat_out *o,
		      struct err *e)
{
	double percent, v;

	if (text_number(t, &p, &percent, e))
		return -1;
	p = strchr(p, ':');
	if (!p)
		return text_bad(t, e, "not a percentile");
	p++;
	if (text_number(t, &p, &v, e))
		return -1;
	return stat_put(o, "ms", STAT_LOWER, v, e, "sysbench.latency.%.0fth",
			percent);
}

struct run {
	double seconds, events;
	bool rate; /* it said events per second itself */
};

static int line(struct text *t, struct run *r, struct stat_out *o,
		struct err *e)
{
	char *p;

	if ((p = text_after(t, "total time:")))
		return text_number(t, &p, &r->seconds, e);
	if ((p = text_after(t, "total number of events:")))
		return text_number(t, &p, &r->events, e);
	if (text_after(t, "transactions:"))
		return in_brackets(t, "transactions_per_s", "/s", o, e);
	if (text_after(t, "queries:"))
		return in_brackets(t, "queries_per_s", "/s", o, e);
	if (strstr(t->line, " transferred ("))
		return in_brackets(t, "transfer_MiBps", "MiB/s", o, e);
	if (text_after(t, "events per second:"))
		r->rate = true;
	p = text_after(t, "approx.");
	if (!p)
		p = t->line;
	if (text_is_number(p) && strstr(p, " percentile:"))
		return percentile(t, p, o, e);
	return text_labelled(t, label, sizeof(label) / sizeof(label[0]),
			     "sysbench", o, e) < 0 ? -1 : 0;
}

static int end_run(const struct run *r, struct stat_out *o, struct err *e)
{
	if (!r->rate && r->seconds > 0 &&
	    stat_put(o, "events/s", STAT_HIGHER, r->events / r->seconds, e,
		     "sysbench.events_per_second"))
		return -1;
	return stat_put(o, "events", STAT_NONE, r->events, e, STAT_OPS);
}

int sysbench_text(struct text *t, struct stat_out *o, struct err *e)
{
	struct run r = { 0 };

	while (text_next(t)) {
		if (!strncmp(t->line, "FATAL:", 6))
			return text_bad(t, e, "sysbench failed");
		if (strstr(t->line, "Running the test with following")) {
			o->run++;
			r = (struct run){ 0 };
		}
		if (o->run && line(t, &r, o, e))
			return -1;
		/* the last of the general figures, in every version */
		if (o->run && text_after(t, "execution time (avg/stddev)") &&
		    end_run(&r, o, e))
			return -1;
	}
	if (!o->run || r.events <= 0)
		return text_nothing(t, "finished run of sysbench", e);
	return 0;
}
