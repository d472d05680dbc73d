// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * iperf3(1): the sums of a test, from its text or from its JSON (-J), whose
 * numbers have more digits. Streams are summed by iperf3 itself ([SUM]).
 */
#include "extractors.h"
#include "jsonread.h"

#include <stdio.h>
#include <string.h>

struct flow {
	bool sums;
	double bps[2]; /* sender, receiver */
	bool have[2];
	double retransmits, jitter_ms, lost_percent;
	bool have_retransmits, have_jitter;
};

struct test {
	bool udp;
	struct flow flow[2]; /* [1]: the other way round, of --bidir */
};

static bool any(const struct flow *x)
{
	return x->have[0] || x->have[1];
}

static int put_flow(const struct flow *x, const char *name, bool udp,
		    struct stat_out *o, struct err *e)
{
	static const char *const side[] = { "sender", "receiver" };

	for (int i = 0; i < 2; i++)
		if (x->have[i] &&
		    stat_put(o, "bps", STAT_HIGHER, x->bps[i], e,
			     "iperf.%s.%s.bps", name, side[i]))
			return -1;
	if (!udp && x->have_retransmits &&
	    stat_put(o, "segments", STAT_LOWER, x->retransmits, e,
		     "iperf.%s.retransmits", name))
		return -1;
	if (!x->have_jitter)
		return 0;
	if (stat_put(o, "ms", STAT_LOWER, x->jitter_ms, e, "iperf.%s.jitter",
		     name))
		return -1;
	return stat_put(o, "%", STAT_LOWER, x->lost_percent, e,
			"iperf.%s.lost%%", name);
}

static int put(const struct test *x, struct stat_out *o, struct err *e)
{
	o->run++;
	if (put_flow(&x->flow[0], x->udp ? "udp" : "tcp", x->udp, o, e))
		return -1;
	return any(&x->flow[1]) ?
		       put_flow(&x->flow[1],
				x->udp ? "udp.reverse" : "tcp.reverse", x->udp,
				o, e) :
		       0;
}

/* ---- text ------------------------------------------------------------------ */

static double factor(const char *unit)
{
	static const struct {
		const char *name;
		double factor;
	} known[] = {
		{ "bits/sec", 1 },	  { "Kbits/sec", 1e3 },
		{ "Mbits/sec", 1e6 },	  { "Gbits/sec", 1e9 },
		{ "Tbits/sec", 1e12 },	  { "Bytes/sec", 8 },
		{ "KBytes/sec", 8192 },	  { "MBytes/sec", 8388608 },
		{ "GBytes/sec", 8589934592.0 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(unit, known[i].name))
			return known[i].factor;
	return 0;
}

/* Behind "sec": TRANSFER UNIT RATE UNIT, then Retr, or jitter and losses */
static int rates(struct text *t, char *p, struct flow *x, bool udp, int side,
		 struct err *e)
{
	double v, f;

	if (text_number(t, &p, &v, e))
		return -1;
	text_word(&p);
	if (text_number(t, &p, &v, e))
		return -1;
	f = factor(text_word(&p));
	if (f <= 0)
		return text_bad(t, e, "an unknown unit of bitrate");
	x->bps[side] = v * f;
	x->have[side] = true;
	if (!udp) {
		if (side == 0 && text_is_number(p)) {
			x->have_retransmits = true;
			return text_number(t, &p, &x->retransmits, e);
		}
		return 0;
	}
	if (side == 0 || !text_is_number(p))
		return 0;
	x->have_jitter = true;
	if (text_number(t, &p, &x->jitter_ms, e))
		return -1;
	p = strchr(p, '(');
	if (!p)
		return text_bad(t, e, "no share of lost datagrams");
	p++;
	return text_number(t, &p, &x->lost_percent, e);
}

static int summary(struct text *t, struct test *test, int side, struct err *e)
{
	/* the roles that --bidir prints, of client and server */
	bool reverse = strstr(t->line, "[RX-C]") || strstr(t->line, "[TX-S]");
	struct flow *x = &test->flow[reverse];
	bool sum = strstr(t->line, "[SUM]") != NULL;
	char *p = strstr(t->line, " sec ");

	if (x->sums && !sum)
		return 0;
	if (!sum && x->have[side])
		return 0; /* one of several streams: [SUM] follows */
	if (!p)
		return text_bad(t, e, "not a summary of iperf3");
	x->sums |= sum;
	return rates(t, p + 5, x, test->udp, side, e);
}

static bool ends_with(const char *line, const char *word)
{
	size_t n = strlen(line), w = strlen(word);

	while (n && line[n - 1] == ' ')
		n--;
	return n >= w && !memcmp(line + n - w, word, w);
}

/* ---- JSON ------------------------------------------------------------------ */

struct report {
	struct test x;
	struct buf error;
};

/* p: behind "end.sum" */
static void sum_value(struct flow *x, bool udp, const char *p, double v)
{
	if (!strcmp(p, "_sent.bits_per_second")) {
		x->bps[0] = v;
		x->have[0] = true;
	} else if (!strcmp(p, "_received.bits_per_second") ||
		   (!strcmp(p, ".bits_per_second") && !x->have[1])) {
		x->bps[1] = v;
		x->have[1] = true;
	} else if (!strcmp(p, "_sent.retransmits")) {
		x->retransmits = v;
		x->have_retransmits = true;
	} else if (udp && (!strcmp(p, ".jitter_ms") ||
			   !strcmp(p, "_received.jitter_ms"))) {
		x->jitter_ms = v;
		x->have_jitter = true;
	} else if (!strcmp(p, ".lost_percent") ||
		   !strcmp(p, "_received.lost_percent")) {
		x->lost_percent = v;
	}
}

static int scalar(void *arg, const struct json_value *v, struct err *e)
{
	static const char sum[] = "end.sum", reverse[] = "_bidir_reverse";
	struct report *r = arg;
	struct test *x = &r->x;
	const char *p = v->path, *way;
	char name[64];

	if (!strcmp(p, "error") && v->string) {
		buf_puts(&r->error, v->string);
		return buf_ok(&r->error, e);
	}
	if (!strcmp(p, "start.test_start.protocol") && v->string)
		x->udp = !strcmp(v->string, "UDP");
	if (v->string || strncmp(p, sum, strlen(sum)) != 0)
		return 0;
	p += strlen(sum);
	way = strstr(p, reverse);
	if (!way) {
		sum_value(&x->flow[0], x->udp, p, v->number);
		return 0;
	}
	snprintf(name, sizeof(name), "%.*s%s", (int)(way - p), p,
		 way + strlen(reverse));
	sum_value(&x->flow[1], x->udp, name, v->number);
	return 0;
}

static int json(struct text *t, struct stat_out *o, struct err *e)
{
	struct report r = { .x = { .udp = false } };
	unsigned int line = t->no;
	int rc = jsonread_walk(t, scalar, &r, e);

	if (!rc && r.error.len)
		rc = err_set(e, ERR_FORMAT, "%s:%u: iperf3 failed: %s",
			     t->name, t->no, buf_str(&r.error));
	if (!rc && !any(&r.x.flow[0]))
		rc = err_set(e, ERR_FORMAT, "%s:%u: JSON without the sums of a "
			     "test", t->name, line);
	if (!rc)
		rc = put(&r.x, o, e);
	buf_free(&r.error);
	return rc;
}

static int line(struct text *t, struct test *x, struct stat_out *o,
		struct err *e)
{
	if (jsonread_starts(t))
		return json(t, o, e);
	if (strstr(t->line, "iperf3: error") ||
	    strstr(t->line, "iperf3: interrupt"))
		return text_bad(t, e, "iperf3 failed");
	if (strstr(t->line, "Datagrams"))
		x->udp = true;
	if (ends_with(t->line, "sender"))
		return summary(t, x, 0, e);
	if (ends_with(t->line, "receiver"))
		return summary(t, x, 1, e);
	if (!ends_with(t->line, "iperf Done.")) /* behind --title's or a date */
		return 0;
	if (!any(&x->flow[0]))
		return text_bad(t, e, "no figures before it");
	if (put(x, o, e))
		return -1;
	*x = (struct test){ .udp = false };
	return 0;
}

int iperf3_text(struct text *t, struct stat_out *o, struct err *e)
{
	struct test x = { .udp = false };

	while (text_next(t))
		if (line(t, &x, o, e))
			return -1;
	if (any(&x.flow[0])) /* cut before its last line: not whole */
		return text_nothing(t, "\"iperf Done.\" behind the figures", e);
	return o->run ? 0 : text_nothing(t, "finished test", e);
}
