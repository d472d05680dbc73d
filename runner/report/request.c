// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Options shared by compare and report, and the way from them to a filled
 * comparison. Grouping is match.c's, judgement compare.c's.
 */
#include "request.h"
#include "conf.h"
#include "../kernel.h"
#include "io.h"
#include "match.h"
#include "num.h"
#include "pool.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Seeds the draws of the exact tests. */
#define SEED 4

/* clang-format off */
const char request_help[] =
"  --box B, --job J    of this box or job only\n"
"  --experiment X      the blocks of this experiment only\n"
"  --stat GLOB         these stats; one named in full gets a verdict\n"
"  --all               every stat, also those that do not differ (compare's\n"
"                      table)\n"
"  --independent       unpaired boots were interleaved or independent\n"
"  --aa                one kernel against itself: its boots in two halves\n"
"  --delta 1%          the smallest change that matters; without %, in units,\n"
"                      for stats that are compared in their own unit\n"
"  --alpha 0.05        chance of a false alarm, over all verdicts\n"
"  --layout-floor 2%   what builds of one commit differ by\n"
"  --json              one object, see ironrig(1)\n"
"  --wide, --ascii     one row a stat; no UTF-8\n";
/* clang-format on */

/* As num_share(), and above 0. */
static int parse_size(const char *text, double *out, bool *percent,
		      struct err *e)
{
	double v = 0;

	if (num_share(text, &v, percent, e))
		return -1;
	if (!(v > 0) || (*percent && v >= 1))
		return err_set(e, ERR_INPUT, "%s is not a positive size", text);
	*out = v;
	return 0;
}

static int take_delta(const char *text, struct request *r, struct err *e)
{
	bool percent;
	double v = 0;

	if (parse_size(text, &v, &percent, e))
		return -1;
	r->delta_given = true;
	r->delta_percent |= percent;
	r->delta_units |= !percent;
	if (percent)
		r->rule.delta = v;
	else
		r->rule.delta_units = v;
	return 0;
}

static int take_floor(const char *text, struct request *r, struct err *e)
{
	bool percent;

	if (parse_size(text, &r->rule.floor, &percent, e))
		return -1;
	return percent ? 0
		       : err_set(e, ERR_INPUT, "%s: a percentage is meant",
				 text);
}

static int take_alpha(const char *text, struct request *r, struct err *e)
{
	double v;

	if (num_double(text, &v, e))
		return -1;
	if (!(v > 0) || !(v < .5))
		return err_set(e, ERR_INPUT, "%s is not in 0 < alpha < 0.5",
			       text);
	r->alpha_given = true;
	r->rule.alpha = v;
	return 0;
}

static void take_flag(int opt, const char *arg, struct request *r)
{
	switch (opt) {
	case REQUEST_JSON:
		r->json = true;
		break;
	case REQUEST_WIDE:
		r->wide = true;
		break;
	case REQUEST_ASCII:
		r->show.ascii = true;
		break;
	case REQUEST_ALL:
		r->all = true;
		break;
	case REQUEST_AA:
		r->rule.aa = true;
		break;
	case REQUEST_INDEPENDENT:
		r->independent = true;
		break;
	case REQUEST_BOX:
		r->box = arg;
		break;
	case REQUEST_JOB:
		r->job = arg;
		break;
	case REQUEST_STAT:
		r->stat = arg;
		break;
	default:
		r->experiment = arg;
		break;
	}
}

int request_option(int opt, const char *arg, struct request *r, struct err *e)
{
	switch (opt) {
	case REQUEST_DELTA:
		return take_delta(arg, r, e);
	case REQUEST_ALPHA:
		return take_alpha(arg, r, e);
	case REQUEST_FLOOR:
		return take_floor(arg, r, e);
	default:
		take_flag(opt, arg, r);
		return 0;
	}
}

const char *request_contradiction(const struct request *r, bool is_table)
{
	if (r->rule.linear && r->delta_percent)
		return "with --linear, --delta is in units: without %";
	if (r->rule.linear && !isnan(r->rule.floor))
		return "--layout-floor is for stats compared by ratio, not "
		       "with --linear";
	if (!is_table && r->wide)
		return "--wide is for tables of text";
	if (!is_table && r->all)
		return "--all is for tables of text: --json has every stat";
	return NULL;
}

const char *request_unused(const struct request *r, const struct compare *c)
{
	size_t linear = 0;

	for (size_t i = 0; i < c->ngroup; i++)
		for (size_t k = 0; k < c->group[i].nstat; k++)
			linear += c->group[i].stat[k].primary &&
				  c->group[i].stat[k].linear;
	if (!c->primaries)
		return NULL;
	if (!linear && r->delta_units && !r->delta_percent)
		return "--delta in units is for stats that are compared in "
		       "their own unit, and there is none: --delta N%, or "
		       "--linear";
	if (linear < c->primaries)
		return NULL;
	if (r->delta_percent && !r->delta_units)
		return "--delta in percent is for stats that are compared by "
		       "ratio, and there is none (values that are 0 or less, "
		       "or percentages): --delta N, in units";
	if (!isnan(r->rule.floor))
		return "--layout-floor is for stats that are compared by "
		       "ratio, and there is none";
	return NULL;
}

void request_fit_terminal(struct request *r)
{
	const char *no_colour = getenv("NO_COLOR");
	struct winsize size = { .ws_col = 0 };
	bool tty = isatty(STDOUT_FILENO);

	r->show.colour = tty && !(no_colour && *no_colour);
	if (tty && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		size.ws_col = 0;
	r->show.width = r->wide || size.ws_col >= TABLE_WIDE ? TABLE_WIDE : 80;
	r->show.prose = 80;
}

/* A line each (runner/ab.h); without the file nobody knows. */
static unsigned int count_looks(const struct home *h, const char *experiment)
{
	struct buf text = { 0 }, path = { 0 };
	struct err ignored;
	unsigned int n = 0;

	buf_printf(&path, "conf/experiments/%s.looks", experiment);
	if (!io_read_file(h->fd, buf_str(&path), &text, 1 << 20, &ignored))
		for (size_t i = 0; i < text.len; i++)
			n += text.data[i] == '\n';
	buf_free(&path);
	buf_free(&text);
	return n;
}

/*
 * Each group's experiments say whether their blocks were looked at on the way,
 * and with which delta and alpha. A file that is gone says nothing.
 */
static int ask_experiments(const struct home *h, const struct request *r,
			   struct compare *c, struct compare_group *g,
			   struct err *e)
{
	for (size_t i = 0; i < g->experiments.n; i++) {
		struct conf_experiment x;
		struct buf path = { 0 };
		int rc;

		buf_printf(&path, "conf/experiments/%s.cfg",
			   g->experiments.v[i]);
		rc = faccessat(h->fd, buf_str(&path), R_OK, 0)
			     ? 1
			     : conf_experiment_load(h->fd, buf_str(&path), &x,
						    NULL, e);
		buf_free(&path);
		if (rc > 0)
			continue;
		if (rc)
			return -1;
		g->sequential |= x.until_decided;
		if (x.until_decided)
			g->looks += count_looks(h, x.name);
		if (!r->delta_given && x.delta > 0)
			c->rule.delta = x.delta;
		if (!r->alpha_given && x.alpha > 0)
			c->rule.alpha = x.alpha;
		conf_experiment_free(&x);
	}
	return 0;
}

/*
 * What stands for a kernel: its builds, unless the other side is one of them.
 * A/A takes one binary.
 */
static int ask_builds(const struct home *h, const struct request *r,
		      const struct buf *name, int n, struct strlist *builds,
		      struct err *e)
{
	bool apart = true;

	for (int i = 0; i < n; i++)
		if (kernel_builds(h, buf_str(&name[i]), true, &builds[i], e))
			return -1;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			apart &= i == k ||
				 !strlist_has(&builds[i], buf_str(&name[k]));
	for (int i = 0; i < n && (!apart || r->rule.aa); i++)
		strlist_free(&builds[i]);
	return 0;
}

static int fill(const struct home *h, struct index *x, const struct request *r,
		const struct buf *name, int n, struct compare *c, struct err *e)
{
	struct strlist builds[64] = { { 0 } };
	const char *head[64];
	const int heads = r->rule.aa ? 1 : n - 1;
	const struct match_query q = {
		.base = buf_str(&name[0]),
		.head = head,
		.nhead = (size_t)heads,
		.base_builds = &builds[0],
		.head_builds = &builds[n > 1],
		.box = r->box,
		.job = r->job,
		.experiment = r->experiment,
		.stat = r->stat,
		.independent = r->independent,
		.aa = r->rule.aa,
	};
	int rc;

	for (int i = 0; i < heads; i++)
		head[i] = buf_str(&name[n > 1 ? i + 1 : 0]);
	rc = ask_builds(h, r, name, n, builds, e);
	if (!rc)
		rc = match_load(x, &q, c, e);
	for (size_t i = 0; !rc && i < c->ngroup; i++)
		rc = ask_experiments(h, r, c, &c->group[i], e);
	if (!rc)
		rc = pool_load(h, x, c, e);
	for (int i = 0; i < n; i++)
		strlist_free(&builds[i]);
	return rc;
}

static int check_names(const struct request *r, const struct buf *name, int n,
		       struct err *e)
{
	for (int i = 1; i < n; i++) {
		bool same = !strcmp(buf_str(&name[0]), buf_str(&name[i]));

		if (same && !r->rule.aa)
			return err_set(e, ERR_INPUT,
				       "%s and %s are one kernel: --aa splits "
				       "its boots",
				       buf_str(&name[0]), buf_str(&name[i]));
		if (!same && r->rule.aa)
			return err_set(e, ERR_INPUT,
				       "--aa takes one kernel, not %s and %s",
				       buf_str(&name[0]), buf_str(&name[i]));
	}
	return 0;
}

int request_load(const char *home, const struct request *r, char *const *kernel,
		 int n, struct compare *c, struct err *e)
{
	struct buf name[64] = { { 0 } };
	struct index *x;
	struct home h;
	int rc = -1;

	if (n > 64)
		return err_set(e, ERR_LIMIT, "more than 63 heads");
	if (index_open_home(home, &h, &x, e))
		return -1;
	for (int i = 0; i < n; i++)
		if (index_kernel(x, kernel[i], &name[i], e))
			goto out;
	c->rule = r->rule;
	if (!check_names(r, name, n, e))
		rc = fill(&h, x, r, name, n, c, e);
out:
	for (int i = 0; i < n; i++)
		buf_free(&name[i]);
	index_close(x);
	home_close(&h);
	return rc;
}

int request_evaluate(struct compare *c, struct err *e)
{
	struct dist *d = dist_new(SEED);
	int rc;

	if (!d)
		return err_set(e, ERR_LIMIT, "out of memory");
	rc = compare_evaluate(c, d, e);
	dist_free(d);
	return rc;
}
