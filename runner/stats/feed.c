// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Hands a text that comes in pieces to an extractor: whole, or, for a
 * monitor, as samples ("@NS" lines, the raw text behind each) sorted into the
 * windows of the iterations. What is in a sample is left to the monitors.
 *
 * A window is measured from the sample nearest to its start to the one
 * nearest to its end: the sampler takes one at each, a little before or
 * behind, and the regular ones in between.
 */
#include "series.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum {
	TEXT_MAX = 64 << 20,
	SAMPLE_MAX = 32 << 20, /* 288 CPUs' interrupts are 1.75 MB */
};
/*
 * How far outside of its window a sample may be and still stand for its edge:
 * reading every source once takes 0.1 s on 288 CPUs.
 */
#define SLACK_NS 1000000000LL

struct stat_feed {
	const struct stat_extractor *x;
	const char *name;
	struct stat_out *out;
	struct buf in;	/* what is not used yet */
	size_t looked;	/* bytes of it that hold no start of a next sample */
	unsigned int no; /* samples so far */
	unsigned int used;
	/* monitors only */
	struct stat_window all;
	const struct stat_window *window;
	size_t nwindow, w; /* w: the current one */
	bool open;	   /* a sample at or behind its start was seen */
	struct series s;
	struct buf last; /* the last sample, for when it is needed after all */
	int64_t last_ns;
	bool have_last, waiting; /* waiting: in the window, not parsed yet */
};

int stat_feed_new(const struct stat_extractor *x, const char *name,
		  const struct stat_window *window, size_t nwindow,
		  struct stat_out *out, struct stat_feed **feed,
		  struct err *e)
{
	struct stat_feed *f = calloc(1, sizeof(*f));

	if (!f)
		return err_set(e, ERR_LIMIT, "out of memory");
	f->x = x;
	f->name = name;
	f->out = out;
	f->all = (struct stat_window){ INT64_MIN, INT64_MAX };
	f->window = nwindow ? window : &f->all;
	f->nwindow = nwindow ? nwindow : 1;
	*feed = f;
	return 0;
}

void stat_feed_free(struct stat_feed *f)
{
	if (!f)
		return;
	buf_free(&f->in);
	buf_free(&f->last);
	series_free(&f->s);
	free(f);
}

/* ---- windows --------------------------------------------------------------- */

static int parse(struct stat_feed *f, int64_t ns, const char *p, size_t n,
		 struct err *e)
{
	struct sample t = { .at = p, .end = p + n };

	series_sample(&f->s, ns);
	if (f->x->monitor->parse(&f->s, &t, e))
		return err_prefix(e, "%s: @%lld", f->name, (long long)ns);
	series_sampled(&f->s);
	f->used++;
	return 0;
}

static int take_last(struct stat_feed *f, struct err *e)
{
	f->waiting = false;
	return parse(f, f->last_ns, buf_str(&f->last), f->last.len, e);
}

static int close_window(struct stat_feed *f, struct err *e)
{
	int rc = f->waiting ? take_last(f, e) : 0;

	f->out->run = (int)f->w + 1;
	if (!rc && f->s.samples)
		rc = f->x->monitor->finish(&f->s, f->out, e);
	series_window(&f->s);
	f->open = false;
	f->w++;
	return rc;
}

static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/* Opens the window when this sample is not before its start. */
static int open_window(struct stat_feed *f, int64_t ns, struct err *e)
{
	int64_t start = f->window[f->w].start_ns;

	if (ns < start)
		return 0;
	f->open = true;
	if (start == INT64_MIN || !f->have_last ||
	    distance(start, f->last_ns) > SLACK_NS ||
	    distance(start, f->last_ns) >= distance(ns, start))
		return 0;
	return take_last(f, e);
}

/* Whether a sample behind the end stands for it better than the last did. */
static bool ends_window(const struct stat_feed *f, int64_t ns)
{
	int64_t end = f->window[f->w].end_ns;

	if (distance(ns, end) > SLACK_NS)
		return false;
	return !f->s.samples || distance(ns, end) <= distance(end, f->last_ns);
}

static int place(struct stat_feed *f, int64_t ns, const char *p, size_t n,
		 struct err *e)
{
	while (f->w < f->nwindow) {
		if (!f->open && open_window(f, ns, e))
			return -1;
		if (!f->open)
			return 0;
		if (ns < f->window[f->w].end_ns) {
			if (f->s.samples && !f->x->monitor->levels) {
				f->waiting = true;
				return 0;
			}
			return parse(f, ns, p, n, e);
		}
		if (ends_window(f, ns)) {
			f->waiting = false;
			if (parse(f, ns, p, n, e))
				return -1;
		}
		if (close_window(f, e))
			return -1;
	}
	return 0;
}

static int sample(struct stat_feed *f, int64_t ns, const char *p, size_t n,
		  struct err *e)
{
	if (f->have_last && ns < f->last_ns)
		return err_set(e, ERR_FORMAT, "%s: @%lld comes behind @%lld",
			       f->name, (long long)ns, (long long)f->last_ns);
	f->no++;
	if (place(f, ns, p, n, e))
		return -1;
	buf_reset(&f->last);
	buf_add(&f->last, p, n);
	f->last_ns = ns;
	f->have_last = true;
	return buf_ok(&f->last, e);
}

/* ---- samples --------------------------------------------------------------- */

/* "@NS\n" at p; the length of that line, or 0. */
static size_t header(const char *p, size_t n, int64_t *ns)
{
	size_t at = 1;
	int64_t v = 0;

	if (n < 3 || *p != '@')
		return 0;
	for (; at < n && p[at] >= '0' && p[at] <= '9'; at++) {
		if (v > (INT64_MAX - 9) / 10)
			return 0;
		v = v * 10 + (p[at] - '0');
	}
	if (at == 1 || at >= n)
		return 0;
	if (p[at] == '\r')
		at++;
	if (at >= n || p[at] != '\n')
		return 0;
	*ns = v;
	return at + 1;
}

/* Where the next sample starts behind from; n when there is none yet. */
static size_t next_header(const char *p, size_t from, size_t n)
{
	int64_t ns;

	for (size_t at = from; at < n; at++) {
		const char *nl = memchr(p + at, '\n', n - at);

		if (!nl)
			return n;
		at = (size_t)(nl - p);
		if (header(p + at + 1, n - at - 1, &ns))
			return at + 1;
	}
	return n;
}

/* Gives all samples but the last, which may not be whole yet (or all). */
static int samples(struct stat_feed *f, bool all, struct err *e)
{
	const char *p = buf_str(&f->in);
	size_t at = 0, n = f->in.len, from = f->looked;

	while (at < n) {
		size_t next = next_header(p, from > at ? from : at, n);
		int64_t ns;
		size_t head;

		if (next == n && !all)
			break;
		head = header(p + at, next - at, &ns);
		if (!head)
			return err_set(e, ERR_FORMAT,
				       "%s: no \"@nanoseconds\" line before "
				       "\"%.40s\"", f->name, p + at);
		if (sample(f, ns, p + at + head, next - at - head, e))
			return -1;
		at = next;
		from = at;
	}
	memmove(f->in.data, p + at, n - at + 1);
	f->in.len = n - at;
	/* a header may stand half at the end: look at its line again */
	f->looked = f->in.len > 32 ? f->in.len - 32 : 0;
	return 0;
}

int stat_feed_add(struct stat_feed *f, const void *p, size_t n, struct err *e)
{
	size_t max = f->x->monitor ? SAMPLE_MAX : TEXT_MAX;

	buf_add(&f->in, p, n);
	if (buf_ok(&f->in, e))
		return -1;
	if (f->x->monitor && samples(f, false, e))
		return -1;
	if (f->in.len > max)
		return err_set(e, ERR_LIMIT, "%s: more than %zu bytes",
			       f->name, max);
	return 0;
}

/*
 * A text that was cut (a full disk, a killed tool) ends anywhere, and half of
 * a number is a number too: a last line without its end is not read. JSON has
 * brackets, and its parser looks at them.
 */
static int check_whole(const struct stat_feed *f, struct err *e)
{
	const char *p = buf_str(&f->in), *zero;
	size_t n = f->in.len;
	unsigned int line = 1;

	zero = memchr(p, '\0', n);
	while (!zero && n && (p[n - 1] == ' ' || p[n - 1] == '\t'))
		n--;
	if (!zero && (!n || *p == '{' || strchr("\n\r}]", p[n - 1])))
		return 0;
	for (const char *at = p; at < (zero ? zero : p + n); at++)
		line += *at == '\n';
	return err_set(e, ERR_FORMAT, "%s:%u: %s", f->name, line,
		       zero ? "a zero byte in it" :
			      "the text ends within this line");
}

static int whole_text(struct stat_feed *f, struct err *e)
{
	struct text t;

	if (!f->in.data) {
		buf_puts(&f->in, "");
		if (buf_ok(&f->in, e))
			return -1;
	}
	if (check_whole(f, e))
		return -1;
	text_init(&t, f->name, f->in.data, f->in.len);
	return f->x->text(&t, f->out, e);
}

int stat_feed_end(struct stat_feed *f, struct err *e)
{
	if (!f->x->monitor)
		return whole_text(f, e);
	if (f->in.len && samples(f, true, e))
		return -1;
	if (f->open && close_window(f, e))
		return -1;
	if (!f->no)
		return err_set(e, ERR_FORMAT, "%s: no samples", f->name);
	if (!f->used)
		return err_set(e, ERR_FORMAT, "%s: none of %u samples is "
			       "inside an iteration", f->name, f->no);
	return 0;
}
