// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What results that came mean for the experiments they belong to: the looks of
 * those that stop by looking, and the number of iterations. Whoever collects
 * attends to them, so that nobody has to wait for one; the plan reads what is
 * written down here.
 */
#include "ab.h"
#include "boxview.h"
#include "collect.h"
#include "io.h"
#include "num.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	LOOKS_MAX = 1 << 20
}; /* bytes of a file of looks */

struct teller {
	ab_say_fn *line;
	void *arg;
};

static void tell(const struct teller *to, const char *fmt, ...)
	PRINTF_LIKE(2, 3);

static void tell(const struct teller *to, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (to->line)
		to->line(to->arg, line);
}

/* Blocks kept over all boxes, by the plan: it costs no statistics. */
static int kept(const struct home *h, const struct conf_experiment *x,
		size_t *out, bool *active, struct err *e)
{
	struct plan_progress p;
	struct boxview v;

	*out = 0;
	*active = false;
	if (!x->boxes.n)
		return 0;
	/* a box that was removed: nobody goes on with it */
	if (boxview_load(h, x->boxes.v[0], time(NULL), &v, e))
		return e->kind == ERR_NOTFOUND ? 0 : -1;
	for (size_t i = 0; i < v.plan.n; i++)
		if (!strcmp(v.plan.v[i].x->name, x->name)) {
			plan_progress(&v.plan.in, &v.plan.v[i], &p);
			*out = (size_t)p.done;
			*active = p.end == PLAN_ACTIVE;
		}
	boxview_free(&v);
	return 0;
}

/* ---- looking ----------------------------------------------------------------
 */

/* The blocks that the last look saw; 0: none was taken. */
static int last_look(const struct home *h, const char *name, size_t *blocks,
		     struct err *e)
{
	struct buf b = { 0 };
	char path[160], *at, *line;
	int64_t n;

	*blocks = 0;
	snprintf(path, sizeof(path), "conf/experiments/%.64s.looks", name);
	if (faccessat(h->fd, path, F_OK, 0) < 0 && errno == ENOENT)
		return 0;
	if (io_read_file(h->fd, path, &b, LOOKS_MAX, e))
		return -1;
	at = b.data;
	/* a last line without its end was never finished */
	while ((line = at ? strsep(&at, "\n") : NULL) && at) {
		line[strcspn(line, " ")] = '\0';
		if (!num_i64(line, 0, INT32_MAX, &n, NULL))
			*blocks = (size_t)n;
	}
	buf_free(&b);
	return 0;
}

/* Under the lock: who else attends to it looks at other blocks. */
static int look(const struct home *h, const struct conf_experiment *x,
		const struct teller *to, struct err *e)
{
	struct ab_look l;
	size_t looked;
	char why[384];

	if (ab_decided(h, x->name))
		return 0;
	if (last_look(h, x->name, &looked, e) || ab_look(h, x, &l, e))
		return -1;
	if (l.blocks <= looked || l.blocks == (size_t)-1)
		return 0;
	if (ab_note_look(h, x->name, l.blocks, l.settled, l.of, e))
		return -1;
	tell(to, "%s: look after %zu blocks: %zu of %zu settled; %s", x->name,
	     l.blocks, l.settled, l.of, l.text);
	if (l.settled < l.of)
		return 0;
	snprintf(why, sizeof(why), "after %zu blocks: %s", l.blocks, l.text);
	return ab_decide(h, x->name, why, e);
}

/* ---- attending
 * ---------------------------------------------------------------- */

static int choose(const struct home *h, const struct conf_experiment *x,
		  const struct teller *to, struct err *e)
{
	struct buf why = { 0 };
	int rc = ab_choose_iterations(h, x->name, &why, e);

	if (!rc)
		rc = buf_ok(&why, e);
	if (!rc && why.len)
		tell(to, "%s: %s", x->name, why.data);
	buf_free(&why);
	return rc;
}

int ab_attend(const struct home *h, const struct conf_experiment *x,
	      ab_say_fn *say, void *arg, struct err *e)
{
	bool chooses = x->iterations_auto && !x->iterations_from;
	const struct teller to = { say, arg };
	size_t looked, have;
	int lock, rc = 0;
	bool active;

	if ((!x->until_decided && !chooses) || x->stopped ||
	    ab_decided(h, x->name))
		return 0;
	if (last_look(h, x->name, &looked, e) || kept(h, x, &have, &active, e))
		return -1;
	chooses = chooses && active && have >= AB_CHOOSE_BLOCKS;
	if ((!x->until_decided || have <= looked) && !chooses)
		return 0;
	if (ab_lock(h, &lock, e))
		return -1;
	if (x->until_decided && have > looked)
		rc = look(h, x, &to, e);
	if (!rc && chooses && !ab_decided(h, x->name))
		rc = choose(h, x, &to, e);
	close(lock);
	return rc;
}

int ab_attend_all(const struct home *h, ab_say_fn *say, void *arg,
		  struct err *e)
{
	const struct teller to = { say, arg };
	struct strlist files;
	int rc = collect_names(h, "conf/experiments", ".cfg", &files, e);

	for (size_t i = 0; !rc && i < files.n; i++) {
		struct conf_experiment x;
		struct err why = ERR_INIT;
		char path[300];

		snprintf(path, sizeof(path), "conf/experiments/%.255s",
			 files.v[i]);
		/* one broken file is its own; `status' tells of it */
		if (conf_experiment_load(h->fd, path, &x, NULL, &why))
			continue;
		if (!strcmp(x.kind, "ab") && ab_attend(h, &x, say, arg, &why))
			tell(&to, "experiment %s: %s", x.name, why.msg);
		conf_experiment_free(&x);
	}
	strlist_free(&files);
	return rc;
}
