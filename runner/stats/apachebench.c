// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ab(1), 1.3 to 2.3. time_per_request is the first of its two lines (over one
 * connection), as in lkp-tests. A run that ab gave up has no figures, so what
 * it said instead is the error.
 */
#include "extractors.h"

#include <stdio.h>
#include <string.h>

static const struct text_label label[] = {
	{ "Requests per second:", "requests_per_second", "req/s",
	  STAT_HIGHER },
	{ "Transfer rate:", "transfer_rate", "KB/s", STAT_HIGHER },
	{ "Failed requests:", "failed_requests", "requests", STAT_LOWER },
	{ "Non-2xx responses:", "non_2xx_responses", "requests", STAT_LOWER },
	{ "Write errors:", "write_errors", "errors", STAT_LOWER },
	{ "Time taken for tests:", "test_time", "s", STAT_NONE },
};

/* "Connect: 0 0 0.0 0 1"; without [+/-sd] and median before 2.0 */
static int connection_time(struct text *t, char *p, const char *row,
			   struct stat_out *o, struct err *e)
{
	static const char *const five[] = { "min", "mean", "sd", "median",
					    "max" };
	static const char *const three[] = { "min", "mean", "max" };
	double v[5];
	int n = text_numbers(t, p, v, 5, e);

	if (n < 0)
		return -1;
	if (n != 3 && n != 5)
		return text_bad(t, e, "not connection times");
	for (int i = 0; i < n; i++)
		if (stat_put(o, "ms", STAT_LOWER, v[i], e,
			     "apachebench.connection_time.%s.%s", row,
			     n == 5 ? five[i] : three[i]))
			return -1;
	return 0;
}

/* "  99%     11" and " 100%     31 (longest request)" */
static int percentile(struct text *t, struct stat_out *o, struct err *e)
{
	char *p = t->line, *q;
	double percent, v;

	if (text_number(t, &p, &percent, e))
		return -1;
	q = p + 1;
	if (text_number(t, &q, &v, e))
		return -1;
	return stat_put(o, "ms", STAT_LOWER, v, e,
			"apachebench.max_latency.%.0f%%", percent);
}

static bool is_percentile(const char *line)
{
	const char *p = line + strspn(line, " ");

	p += strspn(p, "0123456789");
	return p > line && *p == '%' && p[1] == ' ' && text_is_number(p + 1);
}

static int time_per_request(struct text *t, char *p, bool *seen,
			    struct stat_out *o, struct err *e)
{
	const char *name = *seen ? "time_per_request_across" :
				   "time_per_request";
	double v;

	if (text_number(t, &p, &v, e))
		return -1;
	*seen = true;
	return stat_put(o, "ms", STAT_LOWER, v, e, "apachebench.%s", name);
}

/* With -r it goes on, and "requests" that nobody answered come fast. */
static int transferred(struct text *t, char *p, struct err *e)
{
	double v;

	if (text_number(t, &p, &v, e))
		return -1;
	return v > 0 ? 0 : text_bad(t, e, "every request failed");
}

static int complete(struct text *t, char *p, struct stat_out *o,
		    struct err *e)
{
	double v;

	if (text_number(t, &p, &v, e) ||
	    stat_put(o, "requests", STAT_NONE, v, e,
		     "apachebench.complete_requests"))
		return -1;
	return stat_put(o, "req", STAT_NONE, v, e, STAT_OPS);
}

static int line(struct text *t, bool *seen, struct stat_out *o, struct err *e)
{
	static const char *const row[] = { "Connect", "Processing", "Waiting",
					   "Total" };
	static const char *const key[] = { "connect", "processing", "waiting",
					   "total" };
	char *p;

	if ((p = text_after(t, "Time per request:")))
		return time_per_request(t, p, seen, o, e);
	if ((p = text_after(t, "Complete requests:")))
		return complete(t, p, o, e);
	if ((p = text_after(t, "Total transferred:")))
		return transferred(t, p, e);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if ((p = text_after(t, row[i])) && *p == ':')
			return connection_time(t, p + 1, key[i], o, e);
	if (is_percentile(t->line))
		return percentile(t, o, e);
	return text_labelled(t, label, sizeof(label) / sizeof(label[0]),
			     "apachebench", o, e) < 0 ? -1 : 0;
}

/*
 * What ab says when it gives up stands on a line of its own or behind the dots
 * of its progress. Elsewhere it is from a page that -v shows.
 */
static bool gave_up(const char *line)
{
	const char *dots = strstr(line, "(be patient)");

	if (dots) {
		line = dots + strlen("(be patient)");
		line += strspn(line, ".");
	}
	return !strncmp(line, "apr_", 4) || !strncmp(line, "ab: ", 4) ||
	       !strncmp(line, "Test aborted", 12);
}

int apachebench_text(struct text *t, struct stat_out *o, struct err *e)
{
	/* report: from "Server Software" on; before it -v shows pages */
	bool running = false, report = false, seen = false, done = false;

	while (text_next(t)) {
		char *p = strstr(t->line, "This is ApacheBench");

		if (strstr(t->line, "(be patient)")) {
			running = true;
			seen = false;
		}
		if (gave_up(t->line))
			return text_bad(t, e, "ab gave up");
		if (p && running && !done)
			return text_bad(t, e, "the run before has no figures");
		if (p)
			report = false;
		if (text_after(t, "Server Software:")) {
			o->run++;
			report = true;
			done = false;
		}
		if (!report)
			continue;
		if (text_after(t, "Requests per second:"))
			done = true;
		if (line(t, &seen, o, e))
			return -1;
	}
	return done ? 0 : text_nothing(t, "requests per second", e);
}
