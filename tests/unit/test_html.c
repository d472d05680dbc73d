// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The report as a page: all that the mail says is in it, whatever a box wrote
 * is text in it, and it needs nothing else.
 */
#include "report/html.h"
#include "report/htmlout.h"
#include "tap.h"
#include "unit/report_data.h"

#define NASTY "<script>alert(1)</script>&\"'\x01\xff"

static const struct show UTF8 = { .width = 80, .prose = 1000000 };

/* ---- a reader of HTML, as strict as XML -----------------------------------
 */

/* Elements that are open; the first thing wrong in *wrong. */
struct reader {
	char open[64][16];
	size_t n;
	char wrong[200];
	struct buf text;
};

static void complain(struct reader *r, const char *what, const char *at)
{
	if (!*r->wrong)
		snprintf(r->wrong, sizeof(r->wrong), "%s: %.60s", what, at);
}

static bool known(const char *name)
{
	static const char *const tag[] = {
		"html",	 "head",   "meta",	 "title", "style",    "body",
		"h1",	 "h2",	   "h3",	 "p",	  "pre",      "br",
		"table", "thead",  "tbody",	 "tr",	  "th",	      "td",
		"small", "figure", "figcaption", "span",  "div",      "svg",
		"line",	 "rect",   "circle",	 "text",  "!DOCTYPE",
	};

	for (size_t i = 0; i < sizeof(tag) / sizeof(tag[0]); i++)
		if (!strcmp(name, tag[i]))
			return true;
	return false;
}

/* at is behind '<'; returns what is behind '>'. Attributes are quoted. */
static const char *read_tag(struct reader *r, const char *at)
{
	bool end = *at == '/', empty = false;
	char name[16] = "";
	const char *from = at;

	at += end;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, " />\n"), at);
	at += strlen(name);
	if (!known(name))
		complain(r, "unknown element", from);
	while (*at && *at != '>') {
		const char *q = at;

		if (*at == '"')
			q = strchr(at + 1, '"');
		if (!q)
			break;
		if (*at == '<' || *at == '\'')
			complain(r, "not an attribute", from);
		empty = *at == '/';
		at = q + 1;
	}
	if (!*at)
		complain(r, "never ends", from);
	if (end && (!r->n || strcmp(r->open[--r->n], name) != 0))
		complain(r, "closes another", from);
	if (!end && !empty && strcmp(name, "meta") != 0 &&
	    strcmp(name, "br") != 0 && *name != '!' && r->n < 64)
		snprintf(r->open[r->n++], 16, "%s", name);
	buf_puts(&r->text, strcmp(name, "small") != 0 ? " " : "");
	return at + (*at == '>');
}

static const char *read_entity(struct reader *r, const char *at)
{
	static const char *const entity[][2] = {
		{ "&amp;", "&" },   { "&lt;", "<" },  { "&gt;", ">" },
		{ "&quot;", "\"" }, { "&#39;", "'" },
	};

	for (size_t i = 0; i < sizeof(entity) / sizeof(entity[0]); i++)
		if (!strncmp(at, entity[i][0], strlen(entity[i][0]))) {
			buf_puts(&r->text, entity[i][1]);
			return at + strlen(entity[i][0]);
		}
	complain(r, "no entity", at);
	return at + 1;
}

static void read_page(const char *page, struct reader *r)
{
	const char *style = strstr(page, "<style>");

	for (const char *at = page; *at;) {
		if (at == style)
			at = strstr(at, "</style>") + 8;
		else if (*at == '<')
			at = read_tag(r, at + 1);
		else if (*at == '&')
			at = read_entity(r, at);
		else if (*at == '>' || (unsigned char)*at == 0x7f ||
			 ((unsigned char)*at < ' ' && !strchr("\n\t", *at)))
			complain(r, "a bare character", at++);
		else
			buf_add(&r->text, at++, 1);
	}
	if (r->n)
		complain(r, "never closed", r->open[r->n - 1]);
}

/* ---- the page -------------------------------------------------------------
 */

static void page_of(const struct compare *c, struct evidence *ev,
		    struct reader *r, struct buf *page)
{
	const struct mail_ask ask = { .reported_by = "rig " NASTY,
				      .now_s = 1764524700 };

	*r = (struct reader){ .n = 0 };
	html_page(&UTF8, c, ev, &ask, page);
	read_page(buf_str(page), r);
	is_str(r->wrong, "", "well-formed");
	ok(page->len < HTML_MAX, "%zu bytes", page->len);
}

/* Of the table's frame, which is drawn otherwise. */
static bool is_frame(const char *word)
{
	static const char *const frame[] = { "%stddev", "\\",	       "|",
					     "p_adj",	"detectable:", "change",
					     "stat" };

	if (strspn(word, "-") == strlen(word))
		return true;
	for (size_t i = 0; i < sizeof(frame) / sizeof(frame[0]); i++)
		if (!strcmp(word, frame[i]))
			return true;
	return false;
}

/* Every word of the text report is in the page's text. */
static void complete(const struct compare *c)
{
	const struct mail_ask ask = { .reported_by = "rig " NASTY,
				      .now_s = 1764524700 };
	struct buf text = { 0 }, page = { 0 };
	struct evidence ev;
	struct reader r;
	size_t words = 0, missing = 0;
	char *save;

	evidence(&ev, "drop_monitor: Add packet alert mode");
	page_of(c, &ev, &r, &page);
	forget(&ev);
	evidence(&ev, "drop_monitor: Add packet alert mode");
	mail_text(&UTF8, c, &ev, &ask, &text);
	forget(&ev);
	for (char *w = strtok_r(text.data, " \n\t", &save); w;
	     w = strtok_r(NULL, " \n\t", &save), words++) {
		/* a title's colon is a heading's weight there */
		if (w[strlen(w) - 1] == ':')
			w[strlen(w) - 1] = '\0';
		if (!is_frame(w) && !strstr(w, "alert(1)") &&
		    !strstr(buf_str(&r.text), w) && !missing++)
			is_str("", w, "in the page");
	}
	ok(words > 200 && !missing, "all %zu words of the text are there",
	   words);
	has(&page, "aria-label=\"Mean of each boot: scale.ops\"",
	    "a figure's name");
	buf_free(&r.text);
	buf_free(&text);
	buf_free(&page);
}

static size_t count(const struct buf *b, const char *what)
{
	size_t n = 0;

	for (const char *at = buf_str(b); (at = strstr(at, what)); at++)
		n++;
	return n;
}

static void figures(const struct compare *c)
{
	struct buf page = { 0 };
	struct evidence ev;
	struct reader r;

	evidence(&ev, "x");
	page_of(c, &ev, &r, &page);
	is_int(count(&page, "<svg "), 2, "two figures a primary");
	is_int(count(&page, "<circle class=\"base\""), BLOCKS, "boots of base");
	is_int(count(&page, "<rect class=\"head\""), BLOCKS, "boots of head");
	is_int(count(&page, "<line class=\"pair\""), BLOCKS, "joined");
	is_int(count(&page, "class=\"band\""), 1, "the band of delta");
	is_int(count(&page, "<line class=\"ci\""), 1, "the interval");
	is_int(count(&page, "nan") + count(&page, "inf\""), 0, "finite places");
	ok(strstr(buf_str(&page), "prefers-color-scheme: dark"), "dark too");
	is_int(count(&page, "http:") + count(&page, "https:") +
		       count(&page, "url(") + count(&page, "@import") +
		       count(&page, "src=") + count(&page, "href=") +
		       count(&page, "<script"),
	       0, "it loads nothing");
	ok(strstr(buf_str(&page), "content=\"default-src 'none';"),
	   "and could not");
	forget(&ev);
	buf_free(&r.text);
	buf_free(&page);
}

static void set(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
}

/* All that comes from elsewhere means ill. */
static void nasty(struct compare *c)
{
	struct compare_group *g = &c->group[0];
	struct buf page = { 0 };
	struct evidence ev;
	struct err e = ERR_INIT;
	struct reader r;
	struct compare_failure *f = compare_add_failure(g, NASTY, &e);

	f->head = 1;
	f->crash = true;
	f->file = strdup(NASTY);
	f->reason = strdup(NASTY);
	set(&g->name, NASTY);
	set(&g->box, NASTY);
	set(&g->job, NASTY);
	set(&g->base.kernel, NASTY);
	set(&g->head.kernel, NASTY);
	for (size_t i = 0; i < g->nstat; i++) {
		set(&g->stat[i].name,
		    i == 3 ? "perf-profile.self." NASTY "." NASTY : NASTY);
		set(&g->stat[i].unit, NASTY);
	}
	evidence(&ev, NASTY);
	ev.base.r.cpu_model = ev.head.r.cpu_model = (char *)NASTY;
	ev.head.r.build_id = ev.head.r.release = (char *)NASTY;
	ev.head.kernel.compiler = ev.head.kernel.append = (char *)NASTY;
	ev.head.file = (char *)NASTY;
	buf_puts(&ev.head.reproduce, NASTY "\n\t" NASTY "\n");
	buf_puts(&ev.base.config_text, "CONFIG_A=" NASTY "\n");
	buf_puts(&ev.head.config_text, "CONFIG_B=" NASTY "\n");
	buf_puts(&ev.failure[0].text, NASTY "\n");
	ev.failure[0].where = strdup(NASTY);
	knob[0].asked = proof[0].name = param[0].value = (char *)NASTY;
	page_of(c, &ev, &r, &page);
	is_int(count(&page, "<script"), 0, "no script");
	ok(count(&r.text, "<script>alert(1)</script>&\"'\ufffd\ufffd") > 20,
	   "text it is, %zu times", count(&r.text, "<script>alert"));
	free(ev.failure[0].where);
	buf_free(&ev.failure[0].text);
	buf_free(&ev.base.config_text);
	buf_free(&ev.head.config_text);
	forget(&ev);
	buf_free(&r.text);
	buf_free(&page);
}

static void texts(void)
{
	struct buf b = { 0 };

	htmlout_paragraphs(&b, "a\nb <\n\n\tc\n\n\td\n\ne\n  f\n\n\n");
	is_str(buf_str(&b),
	       "<p>a<br>\nb &lt;</p>\n<pre>\tc\n\n\td</pre>\n<p>e</p>\n"
	       "<pre>  f</pre>\n",
	       "paragraphs, and preformatted ones with their empty lines");
	buf_reset(&b);
	htmlout_paragraphs(&b, "\n\n");
	is_str(buf_str(&b), "", "nothing");
	htmlout_text(&b, "\u00e9\xc3");
	is_str(buf_str(&b), "\u00e9\ufffd", "half a character at the end");
	buf_free(&b);
}

/* More groups and boots than there is room for. */
static void large(void)
{
	struct compare c = { .rule = COMPARE_RULE_DEFAULT };
	struct dist *d = dist_new(1);
	struct evidence *ev = calloc(200, sizeof(*ev));
	struct buf page = { 0 };
	struct err e = ERR_INIT;
	struct reader r;
	static double v[2][3000];
	int rc = 0;

	for (int i = 0; i < 3000; i++) {
		v[0][i] = 1e12 + i % 7;
		v[1][i] = 1e12 - i % 11;
	}
	for (int k = 0; k < 200 && ev; k++) {
		struct compare_group *g = compare_add_group(&c, &e);
		struct compare_stat *st;

		set(&g->name, "t/p/b");
		set(&g->job, "j");
		set(&g->box, "b");
		set(&g->base.kernel, "k");
		set(&g->head.kernel, "l");
		g->design = k % 2 ? COMPARE_BLOCKS : COMPARE_INDEPENDENT;
		g->n_base = g->n_head = k ? 50 : 3000;
		st = compare_add_stat(g, "s", "ops", &e);
		st->primary = true;
		for (size_t i = 0; i < g->n_base; i++) {
			st->base[i] = (struct sample_boot){ &v[0][i], 1, 0 };
			st->head[i] = (struct sample_boot){ &v[1][i], 1, 0 };
		}
	}
	rc = compare_evaluate(&c, d, &e);
	ok(!rc && ev, "200 groups, one of 3,000 boots");
	page_of(&c, ev, &r, &page);
	has(&r.text, "more groups, less urgent, are left out", "says so");
	buf_free(&r.text);
	buf_free(&page);
	compare_free(&c);
	free(ev);
	dist_free(d);
}

int main(void)
{
	struct compare c;

	fill(&c);
	complete(&c);
	figures(&c);
	nasty(&c);
	compare_free(&c);
	texts();
	large();
	return done_testing();
}
