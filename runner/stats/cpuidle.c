// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * cpuidle's and cpufreq's statistics of sysfs, many files in a sample, each
 * behind a line "==> PATH <==": time and entries of each idle state, changes
 * of frequency and its mean, over all CPUs. CPUs that went or came inside the
 * window leave it without values.
 */
#include "extractors.h"

#include <string.h>

enum { TIME, USAGE, PATH_LEN = 160, STATES = 16, STATE_NAME = 32 };

/* The path of a "==> PATH <==" line into out; false: another line. */
static bool file_line(const struct sample *t, char *out)
{
	size_t n = (size_t)(t->eol - t->line);

	if (!sample_starts(t, "==> ") || n < 9 || n - 8 >= PATH_LEN ||
	    memcmp(t->eol - 4, " <==", 4) != 0)
		return false;
	memcpy(out, t->line + 4, n - 8);
	out[n - 8] = '\0';
	return true;
}

static void mix(struct series *s, const char *text)
{
	for (; *text; text++)
		s->shape = s->shape * 31 + (unsigned char)*text;
}

struct state {
	char name[STATE_NAME];
	double v[2];
};

struct idle {
	struct state state[STATES];
	unsigned int n, at;
};

/* The state with this name, which is the current one from now on. */
static int enter_state(struct idle *idle, const struct sample *t,
		       struct err *e)
{
	size_t n = (size_t)(t->eol - t->line);
	unsigned int i;

	if (!n || n >= STATE_NAME)
		return sample_bad(t, e, "not the name of a state");
	for (i = 0; i < idle->n; i++)
		if (strlen(idle->state[i].name) == n &&
		    !memcmp(idle->state[i].name, t->line, n))
			break;
	if (i == STATES)
		return sample_bad(t, e, "too many idle states");
	if (i == idle->n) {
		memcpy(idle->state[i].name, t->line, n);
		idle->n++;
	}
	idle->at = i;
	return 0;
}

static int parse_idle(struct series *s, struct sample *t, struct err *e)
{
	struct idle idle = { 0 };
	char path[PATH_LEN] = "";

	while (sample_line(t)) {
		const char *base;
		double v;

		if (file_line(t, path)) {
			mix(s, path);
			continue;
		}
		base = strrchr(path, '/');
		if (!base)
			return sample_bad(t, e, "no file's name before it");
		if (!strcmp(base, "/name")) {
			if (enter_state(&idle, t, e))
				return -1;
		} else if (!strcmp(base, "/time") || !strcmp(base, "/usage")) {
			if (sample_u64(t, &v, e))
				return -1;
			if (!idle.n)
				return sample_bad(t, e, "of no state");
			idle.state[idle.at].v[base[1] == 'u'] += v;
		}
	}
	for (unsigned int i = 0; i < idle.n; i++)
		for (unsigned int f = TIME; f <= USAGE; f++)
			if (series_add(s, idle.state[i].name,
				       strlen(idle.state[i].name), f,
				       idle.state[i].v[f], e))
				return -1;
	return 0;
}

static int finish_idle(const struct series *s, struct stat_out *o,
		       struct err *e)
{
	for (size_t i = 0; !s->reshaped && i < s->n; i++) {
		bool time = s->v[i].field == TIME;
		double d;

		if (series_delta(s, &s->v[i], &d) &&
		    stat_put(o, time ? "us" : "count", STAT_NONE, d, e,
			     "cpuidle.%s.%s", series_key(s, &s->v[i]),
			     time ? "time" : "usage"))
			return -1;
	}
	return 0;
}

enum { SWITCHES, TICKS /* of the first policy; then of the next ones */ };

/* total_trans: one number; time_in_state: lines "KHZ TICKS". */
static int parse_freq(struct series *s, struct sample *t, struct err *e)
{
	char path[PATH_LEN] = "";
	double switches = 0, khz, v;
	unsigned int policy = SWITCHES;

	while (sample_line(t)) {
		const char *word;
		size_t n;

		if (file_line(t, path)) {
			mix(s, path);
			policy += strstr(path, "/time_in_state") != NULL;
			continue;
		}
		if (strstr(path, "/total_trans")) {
			if (sample_u64(t, &v, e))
				return -1;
			switches += v;
			continue;
		}
		if (!strstr(path, "/time_in_state"))
			continue; /* trans_table */
		n = sample_word(t, &word);
		t->line = word;
		if (sample_u64(t, &khz, e) || sample_u64(t, &v, e) ||
		    series_add(s, word, n, policy, v, e))
			return -1;
	}
	return series_add(s, "switches", 8, SWITCHES, switches, e);
}

static int finish_freq(const struct series *s, struct stat_out *o,
		       struct err *e)
{
	double weighted = 0, ticks = 0, d;

	for (size_t i = 0; !s->reshaped && i < s->n; i++) {
		double khz = 0;

		if (!series_delta(s, &s->v[i], &d))
			return 0;
		if (s->v[i].field == SWITCHES) {
			if (stat_put(o, "count", STAT_NONE, d, e,
				     "cpufreq.total_trans"))
				return -1;
			continue;
		}
		for (const char *p = series_key(s, &s->v[i]); *p; p++)
			khz = khz * 10 + (*p - '0');
		weighted += khz * d;
		ticks += d;
	}
	if (ticks <= 0)
		return 0;
	return stat_put(o, "kHz", STAT_NONE, weighted / ticks, e,
			"cpufreq.mean_khz");
}

const struct monitor cpuidle_monitor = { .parse = parse_idle,
					 .finish = finish_idle };
const struct monitor cpufreq_monitor = { .parse = parse_freq,
					 .finish = finish_freq };
