// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The built-in scaling workloads: the line of one run, or the CSV of a sweep.
 * Words are KEY=VALUE; unknown keys are skipped, since new ones may follow.
 */
#include "extractors.h"

#include <string.h>

enum key { TASKS, OPS, OPS_PER_S, PER_TASK, IDLE, MIN_OPS, MAX_OPS, KEYS };

static const char *const key[KEYS] = {
	"tasks", "ops", "ops_per_s", "per_task_ops_per_s", "idle_pct",
	"min_task_ops", "max_task_ops",
};

struct run {
	double v[KEYS];
	bool have[KEYS];
	bool threads, mode;
};

static int word(struct text *t, char *w, struct run *r, struct err *e)
{
	char *value = strchr(w, '=');

	if (!value)
		return 0;
	*value++ = '\0';
	if (!strcmp(w, "mode")) {
		r->mode = true;
		r->threads = !strcmp(value, "thread");
	}
	for (int i = 0; i < KEYS; i++) {
		/* "-": this could not be measured */
		if (strcmp(w, key[i]) != 0 || !strcmp(value, "-"))
			continue;
		if (text_number(t, &value, &r->v[i], e))
			return -1;
		r->have[i] = true;
	}
	return 0;
}

static int put(const struct run *r, struct stat_out *o, struct err *e)
{
	if (stat_put(o, "ops/s", STAT_HIGHER, r->v[PER_TASK], e,
		     "scale.per_%s_ops", r->threads ? "thread" : "process") ||
	    stat_put(o, "ops/s", STAT_HIGHER, r->v[OPS_PER_S], e,
		     "scale.ops_per_s") ||
	    stat_put(o, "ops", STAT_NONE, r->v[OPS], e, STAT_OPS))
		return -1;
	if (r->have[IDLE] && stat_put(o, "%", STAT_NONE, r->v[IDLE], e,
				      "scale.idle%%"))
		return -1;
	if (!r->have[MIN_OPS] || !r->have[MAX_OPS] || r->v[MAX_OPS] <= 0)
		return 0;
	return stat_put(o, "%", STAT_HIGHER,
			100 * r->v[MIN_OPS] / r->v[MAX_OPS], e,
			"scale.fairness%%");
}

static int run_line(struct text *t, char *p, struct stat_out *o,
		    struct err *e)
{
	struct run r = { .mode = false };
	char *w;

	for (w = text_word(&p); *w; w = text_word(&p))
		if (word(t, w, &r, e))
			return -1;
	if (!r.mode || !r.have[OPS] || !r.have[OPS_PER_S] || !r.have[PER_TASK])
		return err_set(e, ERR_FORMAT, "%s:%u: a run without all of "
			       "its figures", t->name, t->no);
	o->run++;
	return put(&r, o, e);
}

int scale_text(struct text *t, struct stat_out *o, struct err *e)
{
	while (text_next(t)) {
		char *p;

		if (willitscale_csv(t, "scale", o, e) < 0)
			return -1;
		p = text_after(t, "scale test=");
		if (p && run_line(t, p, o, e))
			return -1;
	}
	return o->run ? 0 : text_nothing(t, "run of scale", e);
}
