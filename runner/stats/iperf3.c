// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * iperf3(1): the sums of a test, from its text or from its JSON (-J), whose
 * numbers have more digits. Streams are summed by iperf3 itself ([SUM]).
 */
#include "extractors.h"
#include "jsonread.h"

#include <string.h>

struct test {
	bool udp, sums;
	double bps[2]; /* sender, receiver */
	bool have[2];
	double retransmits, jitter_ms, lost_percent;
	bool have_retransmits, have_jitter;
};

static int put(const struct test *x, struct stat_out *o, struct err *e)
{
	static const char *const side[] = { "sender", "receiver" };
	const char *proto = x->udp ? "udp" : "tcp";

	o->run++;
	for (int i = 0; i < 2; i++)
		if (x->have[i] &&
		    stat_put(o, "bps", STAT_HIGHER, x->bps[i], e,
			     "iperf.%s.%s.bps", proto, side[i]))
			return -1;
	if (x->have_retransmits &&
	    stat_put(o, "segments", STAT_LOWER, x->retransmits, e,
		     "iperf.tcp.retransmits"))
		return -1;
	if (!x->have_jitter)
		return 0;
	if (stat_put(o, "ms", STAT_LOWER, x->jitter_ms, e,
		     "iperf.udp.jitter"))
		return -1;
	return stat_put(o, "%", STAT_LOWER, x->lost_percent, e,
			"iperf.udp.lost%%");
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
static int rates(struct text *t, char *p, struct test *x, int side,
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
	if (!x->udp) {
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

static int summary(struct text *t, struct test *x, int side, struct err *e)
{
	bool sum = strstr(t->line, "[SUM]") != NULL;
	char *p = strstr(t->line, " sec ");

	if (x->sums && !sum)
		return 0;
	if (!sum && x->have[side])
		return 0; /* one of several streams: [SUM] follows */
	if (!p)
		return text_bad(t, e, "not a summary of iperf3");
	x->sums |= sum;
	return rates(t, p + 5, x, side, e);
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

static int scalar(void *arg, const struct json_value *v, struct err *e)
{
	struct report *r = arg;
	struct test *x = &r->x;
	const char *p = v->path;

	if (!strcmp(p, "error") && v->string) {
		buf_puts(&r->error, v->string);
		return buf_ok(&r->error, e);
	}
	if (!strcmp(p, "start.test_start.protocol") && v->string)
		x->udp = !strcmp(v->string, "UDP");
	if (v->string)
		return 0;
	if (!strcmp(p, "end.sum_sent.bits_per_second")) {
		x->bps[0] = v->number;
		x->have[0] = true;
	} else if (!strcmp(p, "end.sum_received.bits_per_second") ||
		   (!strcmp(p, "end.sum.bits_per_second") && !x->have[1])) {
		x->bps[1] = v->number;
		x->have[1] = true;
	} else if (!strcmp(p, "end.sum_sent.retransmits")) {
		x->retransmits = v->number;
		x->have_retransmits = true;
	} else if (!strcmp(p, "end.sum.jitter_ms")) {
		x->jitter_ms = v->number;
		x->have_jitter = true;
	} else if (!strcmp(p, "end.sum.lost_percent")) {
		x->lost_percent = v->number;
	}
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
	if (!rc && !r.x.have[0] && !r.x.have[1])
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
	if (text_after(t, "iperf3: error") || text_after(t, "iperf3: interrupt"))
		return text_bad(t, e, "iperf3 failed");
	if (strstr(t->line, "Datagrams"))
		x->udp = true;
	if (ends_with(t->line, "sender"))
		return summary(t, x, 0, e);
	if (ends_with(t->line, "receiver"))
		return summary(t, x, 1, e);
	if (!text_after(t, "iperf Done."))
		return 0;
	if (!x->have[0] && !x->have[1])
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
	if (x.have[0] || x.have[1]) /* cut before its last line: not whole */
		return text_nothing(t, "\"iperf Done.\" behind the figures", e);
	return o->run ? 0 : text_nothing(t, "finished test", e);
}
