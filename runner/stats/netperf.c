// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * netperf 2.4 to 2.7: the STREAM, MAERTS, RR and CRR tests, and omni's
 * KEY=VALUE form. Throughput_Mbps of a UDP_STREAM is what the other side
 * received; what was sent is send.Throughput_Mbps. Without a title (-P 0)
 * nothing says what the numbers are: refused.
 */
#include "extractors.h"

#include <string.h>

enum kind { NONE, STREAM, UDP_STREAM, RR, OMNI };
enum { COLUMNS = 12 };

struct test {
	enum kind kind;
	double to_mbps; /* factor of the unit of its header; 0: not seen */
	int lines;	/* of numbers so far */
	double rate;	/* omni's THROUGHPUT */
};

static const struct {
	const char *text;
	double to_mbps;
} unit[] = {
	/* SI for bits, powers of 1024 for bytes, as netperf has it */
	{ "10^6bits", 1 },	     { "10^3bits", 1e-3 },
	{ "10^9bits", 1e3 },	     { "MBytes", 8.388608 },
	{ "KBytes", 8192e-6 },	     { "GBytes", 8589.934592 },
};

static double unit_of(const char *line)
{
	for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
		if (strstr(line, unit[i].text))
			return unit[i].to_mbps;
	return 0;
}

static enum kind kind_of(const char *line)
{
	if (!strstr(line, " TEST") && !strstr(line, "Test from"))
		return NONE;
	if (strstr(line, "OMNI"))
		return OMNI;
	if (strstr(line, "UDP") && strstr(line, "STREAM"))
		return UDP_STREAM;
	if (strstr(line, "STREAM") || strstr(line, "MAERTS") ||
	    strstr(line, "SENDFILE"))
		return STREAM;
	if (strstr(line, "REQUEST/RESPONSE") ||
	    strstr(line, "Connect/Request/Response") ||
	    strstr(line, "Connect/Close"))
		return RR;
	return NONE;
}

static int put_mbps(struct stat_out *o, const char *name, double v,
		    struct err *e)
{
	return stat_put(o, "Mbps", STAT_HIGHER, v, e,
			"netperf.%sThroughput_Mbps", name);
}

/* Columns of CPU utilisation and service demand, with -c -C. */
static int put_cpu(struct stat_out *o, const double *v, int n,
		   const char *demand_unit, struct err *e)
{
	static const char *const name[] = { "local_cpu%", "remote_cpu%",
					    "local_demand", "remote_demand" };

	/* a side that was not asked for prints -1 */
	for (int i = 0; i < n && i < 4; i++)
		if (v[i] >= 0 &&
		    stat_put(o, i < 2 ? "%" : demand_unit, STAT_LOWER, v[i],
			     e, "netperf.%s", name[i]))
			return -1;
	return 0;
}

/* recv send message elapsed throughput [CPU …] */
static int stream(struct text *t, const struct test *x, const double *v,
		  int n, struct stat_out *o, struct err *e)
{
	double mbps;

	if (x->lines) /* -v 2: alignments, sizes of calls */
		return 0;
	if (n != 5 && n != 9)
		return text_bad(t, e, "not a line of a STREAM test");
	mbps = v[4] * x->to_mbps;
	if (put_mbps(o, "", mbps, e) ||
	    put_cpu(o, v + 5, n - 5, "us/KB", e))
		return -1;
	if (v[2] <= 0)
		return 0;
	return stat_put(o, "messages", STAT_NONE, mbps * 1e6 / 8 * v[3] / v[2],
			e, STAT_OPS);
}

/* socket message elapsed okay errors throughput; socket elapsed okay … */
static int udp_stream(struct text *t, const struct test *x, const double *v,
		      int n, struct stat_out *o, struct err *e)
{
	if (x->lines == 0) {
		if (n != 6 && n != 8)
			return text_bad(t, e, "not a line of a UDP_STREAM");
		if (stat_put(o, "messages", STAT_NONE, v[3], e, STAT_OPS) ||
		    stat_put(o, "messages", STAT_LOWER, v[4], e,
			     "netperf.send_errors"))
			return -1;
		return put_mbps(o, "send.", v[5] * x->to_mbps, e) ||
		       put_cpu(o, v + 6, n - 6 ? 1 : 0, "us/KB", e) ? -1 : 0;
	}
	if (x->lines > 1)
		return 0;
	if (n != 4 && n != 6)
		return text_bad(t, e, "not a receiver's line");
	return put_mbps(o, "", v[3] * x->to_mbps, e);
}

/* send recv request response elapsed rate [CPU …], then two sizes */
static int rr(struct text *t, const struct test *x, const double *v, int n,
	      struct stat_out *o, struct err *e)
{
	if (x->lines)
		return 0;
	if (n != 6 && n != 10)
		return text_bad(t, e, "not a line of an RR test");
	if (x->to_mbps) /* -f m: bits, of both directions */
		return put_mbps(o, "", v[5] * x->to_mbps, e);
	if (stat_put(o, "tps", STAT_HIGHER, v[5], e,
		     "netperf.Throughput_tps") ||
	    stat_put(o, "transactions", STAT_NONE, v[5] * v[4], e, STAT_OPS))
		return -1;
	return put_cpu(o, v + 6, n - 6, "us/Tr", e);
}

static int numbers(struct text *t, struct test *x, struct stat_out *o,
		   struct err *e)
{
	double v[COLUMNS];
	int n = text_numbers(t, t->line, v, COLUMNS, e);
	int rc = 0;

	if (n < 0)
		return -1;
	if (x->kind == NONE || x->kind == OMNI)
		return text_bad(t, e, "numbers without netperf's title");
	if (x->kind != RR && !x->to_mbps)
		return text_bad(t, e, "numbers of an unknown unit");
	if (x->kind == STREAM)
		rc = stream(t, x, v, n, o, e);
	else if (x->kind == UDP_STREAM)
		rc = udp_stream(t, x, v, n, o, e);
	else
		rc = rr(t, x, v, n, o, e);
	x->lines++;
	return rc;
}

/* THROUGHPUT=43680.75, then THROUGHPUT_UNITS=10^6bits/s */
static int omni(struct text *t, struct test *x, struct stat_out *o,
		struct err *e)
{
	char *p = text_after(t, "THROUGHPUT=");

	if (p)
		return text_number(t, &p, &x->rate, e);
	p = text_after(t, "THROUGHPUT_UNITS=");
	if (!p)
		return 0;
	x->lines++;
	if (!strcmp(p, "Trans/s"))
		return stat_put(o, "tps", STAT_HIGHER, x->rate, e,
				"netperf.Throughput_tps");
	if (unit_of(p) <= 0)
		return text_bad(t, e, "an unknown unit");
	return put_mbps(o, "", x->rate * unit_of(p), e);
}

static bool complete(const struct test *x)
{
	return x->lines >= (x->kind == UDP_STREAM ? 2 : 1);
}

static int line(struct text *t, struct test *x, struct stat_out *o,
		struct err *e)
{
	enum kind kind = kind_of(t->line);

	if (kind != NONE) {
		if (x->kind != NONE && !complete(x))
			return text_bad(t, e, "the test before has no figures");
		*x = (struct test){ .kind = kind };
		o->run++;
		return 0;
	}
	if (strstr(t->line, "establish control") ||
	    strstr(t->line, "netperf: ") ||
	    strstr(t->line, "recv_response"))
		return text_bad(t, e, "netperf failed");
	if (x->kind == OMNI)
		return omni(t, x, o, e);
	if (text_is_number(t->line) && !strstr(t->line, "bits"))
		return numbers(t, x, o, e);
	if (unit_of(t->line) > 0)
		x->to_mbps = unit_of(t->line);
	return 0;
}

int netperf_text(struct text *t, struct stat_out *o, struct err *e)
{
	struct test x = { .kind = NONE };

	while (text_next(t))
		if (line(t, &x, o, e))
			return -1;
	return complete(&x) ? 0 : text_nothing(t, "figures of a test", e);
}
