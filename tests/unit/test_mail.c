// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The report: what a kernel developer who reads only the mail must find in it.
 */
#include "report/layout.h"
#include "report/mail.h"
#include "report/tojson.h"
#include "tap.h"
#include "unit/report_data.h"

static size_t longest(const char *text, const char *from)
{
	size_t most = 0;

	for (const char *p = strstr(text, from); p; p = strchr(p, '\n')) {
		char line[512];

		p += *p == '\n';
		if (!*p)
			break;
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(p, "\n"), p);
		if (show_width(line) > most)
			most = show_width(line);
	}
	return most;
}

static void mail(const struct compare *c)
{
	const struct show s = { .ascii = false, .width = 80, .prose = 72 };
	struct mail_ask ask = { .headers = true,
				.reply_to = "1@x",
				.reported_by = "rig <rig@example.org>",
				.closes = "https://example.org/1",
				.now_s = 1764524700 };
	struct evidence ev;
	struct buf b = { 0 };
	struct err e = ERR_INIT;

	evidence(&ev, "drop_monitor: Add packet alert mode");
	if (strlist_add(&ask.to, "a@example.org", &e))
		return;
	mail_text(&s, c, &ev, &ask, &b);
	has(&b,
	    "Subject: [98ffbd6cd2b2] (\"drop_monitor: Add packet alert "
	    "mode\"): scale.ops -17.463% [-17.488, -17.438] % REGRESSION",
	    "what changed, in the subject");
	has(&b, "Date: Sun, 30 Nov 2025 17:45:00 +0000", "UTC");
	has(&b, "To: a@example.org", "recipients are printed");
	has(&b, "In-Reply-To: <1@x>", "in its thread");
	has(&b, "charset=utf-8", "its characters");
	has(&b,
	    "changes beyond \u221217.488 \u2026 \u221217.438 % ruled out "
	    "(95 %)",
	    "how much, how sure");
	has(&b, "REGRESSION detectable: 1.0", "how small could be seen");
	has(&b,
	    "288 threads Intel(R) Xeon Phi(TM) CPU 7295 @ 1.50GHz with "
	    "82G memory (box knm2)",
	    "on what machine");
	has(&b, "nr_task: 100%", "parameters");
	has(&b, "0 of 18 runs were unstable", "was it quiet");
	has(&b,
	    "Tuned and held: governor performance. Asked for in vain: "
	    "turbo 0 (got nothing: No such file or directory)",
	    "what was tuned");
	has(&b,
	    "steal 0 unchanged. This machine does not tell: "
	    "thermal_throttle.",
	    "the proof");
	has(&b, "build-id 8f2c, gcc 12.2.0, config: kernels/v6.1-patch/config",
	    "with which config");
	has(&b, "#!/bin/sh echo go", "how to run it again");
	has(&b, "efficiency.cpu_us_per_op", "CPU time per operation");
	has(&b, "mpstat.cpu.all.idle%", "CPU utilisation");
	has(&b, "7.05% +7.00% _raw_spin_lock", "the profile");
	has(&b,
	    "| Reported-by: rig <rig@example.org> | Closes: "
	    "https://example.org/1",
	    "tags");
	has(&b,
	    "1 of 4 functions and 1 of 3 per-CPU symbols have another "
	    "address modulo 64",
	    "layout");
	has(&b, "0 -> 32", "a per-CPU symbol that moved");
	if (!ok(longest(buf_str(&b), "\n\n") <= 80, "within 80 columns"))
		puts(buf_str(&b));
	ok(b.len < MAIL_MAX, "%zu bytes", b.len);
	forget(&ev);
	buf_free(&b);
	strlist_free(&ask.to);
}

static void ascii(const struct compare *c)
{
	const struct show s = { .ascii = true, .width = 80, .prose = 72 };
	struct mail_ask ask = { .headers = true };
	struct evidence ev;
	struct buf b = { 0 };
	bool seven = true;
	const char *line;

	evidence(&ev, "f\u00fcnf");
	mail_text(&s, c, &ev, &ask, &b);
	for (const char *p = strstr(buf_str(&b), "Date:"); *p; p++)
		if ((unsigned char)*p & 0x80 && strncmp(p, "\u00fc", 2) &&
		    strncmp(p - 1, "\u00fc", 2))
			seven = false;
	ok(seven, "--ascii: nothing but what others named");
	has(&b, "=?UTF-8?Q?", "a title that is not ASCII is encoded");
	has(&b, "charset=utf-8", "and the body that names it is UTF-8");
	forget(&ev);
	buf_reset(&b);
	evidence(&ev, "a title of seventy bytes, which is longer than most "
		      "subjects of mails have been until today");
	mail_text(&s, c, &ev, &ask, &b);
	has(&b, "charset=us-ascii", "an ASCII body says so");
	line = strstr(buf_str(&b), "Subject:");
	ok(strcspn(line, "\n") <= 78 && line[strcspn(line, "\n") + 1] == ' ',
	   "a long subject is folded");
	forget(&ev);
	buf_free(&b);
}

static void nothing_known(const struct compare *c)
{
	const struct show s = { .ascii = true, .width = 80, .prose = 80 };
	struct mail_ask ask = { .headers = false };
	struct evidence ev = { .base = { .have = false } };
	struct buf b = { 0 };

	mail_text(&s, c, &ev, &ask, &b);
	has(&b, "machine and parameters are not known", "without results");
	has(&b, "Is it alignment? Not known", "without maps");
	has(&b, "build-id not known", "without a registry");
	ok(!strstr(buf_str(&b), "Subject:"), "--text has no headers");
	buf_reset(&b);
	tojson_report(c, &ev, &b);
	has(&b, "\"machine\":null", "JSON: null");
	buf_free(&b);
}

static void times(struct compare *c)
{
	const struct show s = { .width = 80, .prose = 80 };
	struct mail_ask ask = { .headers = false };
	struct evidence ev = { .base = { .have = false } };
	struct compare_side *side[] = { &c->group[0].base, &c->group[0].head };
	struct buf b = { 0 };

	for (int i = 0; i < 2; i++) {
		struct compare_side was = *side[i];

		side[i]->first_s = side[i]->last_s = 0;
		mail_text(&s, c, &ev, &ask, &b);
		has(&b,
		    "Runs from 2025-11-30 17:45 UTC to 2025-11-30 20:31 UTC",
		    "the known times, where one side was imported");
		buf_reset(&b);
		*side[i] = was;
	}
	buf_free(&b);
}

static void one_image(struct compare *c)
{
	const struct show s = { .width = 80, .prose = 80 };
	struct mail_ask ask = { .headers = false };
	struct compare_group *g = &c->group[0];
	struct evidence ev;
	struct buf b = { 0 };

	evidence(&ev, "x");
	mail_text(&s, c, &ev, &ask, &b);
	has(&b, "\u22120.4 pp", "a change of a percentage is in points");
	has(&b, "one build: layout not ruled out", "two images");
	forget(&ev);
	buf_reset(&b);
	g->base.build_id = strdup("8f2c");
	g->head.build_id = strdup("8f2c");
	evidence(&ev, "x");
	mail_text(&s, c, &ev, &ask, &b);
	has(&b, "one image on both sides: the same layout", "one image");
	has(&b, "Is it alignment? Not of the kernel's code and data",
	    "its layout is not asked about");
	ok(!strstr(buf_str(&b), "address modulo 64"), "nor its maps");
	forget(&ev);
	free(g->base.build_id);
	free(g->head.build_id);
	g->base.build_id = g->head.build_id = NULL;
	buf_free(&b);
}

static void long_name(struct compare *c)
{
	const struct show s = { .width = 80, .prose = 72 };
	struct mail_ask ask = { .headers = false };
	struct compare_stat *st = &c->group[0].stat[0];
	char *was = st->name;
	struct evidence ev;
	struct buf b = { 0 };

	st->name = strdup("a.name.of.a.primary.stat.that.is.longer.than.what."
			  "is.left.of.80");
	evidence(&ev, "x");
	mail_text(&s, c, &ev, &ask, &b);
	if (!ok(longest(buf_str(&b), "1 primary") <= 80,
		"a long name: within 80 columns"))
		puts(buf_str(&b));
	forget(&ev);
	buf_free(&b);
	free(st->name);
	st->name = was;
}

static void headers(const struct compare *c)
{
	const struct show s = { .width = 80, .prose = 72 };
	struct mail_ask ask = { .reply_to = "a\nBcc: x" };
	struct err e = ERR_INIT;
	struct buf b = { 0 };
	struct evidence ev;

	ok(mail_check(&ask, &e), "no headers through the back door");
	ask.reply_to = "<a@b>";
	ok(!mail_check(&ask, &e), "a plain one is fine");
	ok(!strlist_add(&ask.to, "J\u00f6rg <j\u00f6rg@example.org>", &e) &&
		   mail_check(&ask, &e),
	   "an address is ASCII");
	strlist_free(&ask.to);
	ok(!strlist_add(&ask.to, "J\u00f6rg M <j@example.org>", &e) &&
		   !strlist_add(&ask.to, "k@example.org", &e) &&
		   !mail_check(&ask, &e),
	   "a name need not be");
	ask.headers = true;
	evidence(&ev, "x");
	mail_text(&s, c, &ev, &ask, &b);
	ok(strstr(buf_str(&b), "To: =?UTF-8?Q?J=C3=B6rg=20M?= <j@example.org>,"
			       "\n k@example.org\n") != NULL,
	   "it is encoded, the address is not");
	forget(&ev);
	strlist_free(&ask.to);
	buf_free(&b);
}

static void layouts(void)
{
	struct strlist wanted = { 0 };
	char bad[] = "ffffffff81000000 T a\nnonsense\n", good[] = "0 T a\n";
	struct layout l;
	struct err e = ERR_INIT;

	ok(layout_compare(bad, good, &wanted, &l, &e), "a file that is no map");
	is_str(e.msg, "not a line of System.map: \"nonsense\"", "is named");
	ok(!layout_compare(base_map, head_map, &wanted, &l, &e), "two maps");
	is_int(l.percpu_moved, 1, "one per-CPU symbol moved");
	is_int(l.text_symbols, 4, "a name that stands twice is left out");
	is_int(l.section[0].size[1] - l.section[0].size[0], 0x400, "text grew");
	is_int(l.resized, 2, "functions of another size");
	layout_free(&l);
}

static void add_line(struct buf *b, int at, const char *name, int i)
{
	buf_printf(b, "%016x T %s%03d\n", at, name, i);
}

/* 300 functions grow; the one that the profile shows is the last by name. */
static void many_resized(void)
{
	char want[] = "z000", *v[] = { want };
	struct strlist wanted = { v, 1 };
	struct buf base = { 0 }, head = { 0 };
	struct layout l;
	struct err e = ERR_INIT;

	for (int i = 0; i <= 300; i++) {
		add_line(&base, i * 64, i < 300 ? "a" : "z", i % 300);
		add_line(&head, i * 128, i < 300 ? "a" : "z", i % 300);
	}
	add_line(&base, 301 * 64, "zz", 0);
	add_line(&head, 301 * 128, "zz", 0);
	ok(!layout_compare(base.data, head.data, &wanted, &l, &e),
	   "two maps of 302 functions");
	is_int(l.resized, 301, "all but the last grew");
	ok(l.n == 1 && layout_resized(&l.symbol[0]),
	   "among them the one of the profile");
	layout_free(&l);
	buf_free(&base);
	buf_free(&head);
}

/* What Debian's packages have at its place. */
static void stubs(const struct compare *c)
{
	const struct show s = { .ascii = true, .width = 80, .prose = 80 };
	const char stub[] = "ffffffffffffffff B The real System.map is in "
			    "the linux-image-<version>-dbg package\n";
	struct mail_ask ask = { .headers = false };
	struct evidence ev = { .base = { .have = false } };
	struct buf b = { 0 };

	buf_puts(&ev.base.map, stub);
	buf_puts(&ev.head.map, stub);
	mail_text(&s, c, &ev, &ask, &b);
	has(&b, "no function in common", "stubs are no evidence");
	ok(!strstr(buf_str(&b), "0 of 0"), "and count nothing");
	evidence_free(&ev);
	buf_free(&b);
}

int main(void)
{
	struct compare c;

	fill(&c);
	mail(&c);
	ascii(&c);
	nothing_known(&c);
	headers(&c);
	one_image(&c);
	long_name(&c);
	times(&c);
	stubs(&c);
	many_resized();
	compare_free(&c);
	layouts();
	return done_testing();
}
