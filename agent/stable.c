// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Reads what shows whether a machine stayed quiet, before and after each
 * window, and sums up. What follows from an unstable run is the controller's.
 */
#include "stable.h"
#include "cpulist.h"
#include "io.h"
#include "pathmatch.h"
#include "num.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPUS "sys/devices/system/cpu/"

/* A change of 1 % is what reports look for by default: steal of that size is
 * as large as the effect.
 */
#define STEAL_MAX  0.01
#define CLOCK_MIN  0.97 /* MPERF itself is good to about 1 % over a second */
#define MSR_MPERF  0xe7 /* Intel SDM 4, table 2-2; AMD APM 2, appendix A */
#define MSR_APERF  0xe8
#define PATHS	   65536
#define FILE_BYTES (16 << 20) /* /proc/interrupts of 288 CPUs is 1.75 MB */

enum count {
	THROTTLE,
	MCE,
	STEAL,
	TICKS,
	COUNTS
};
enum state {
	CLOCKSOURCE,
	ONLINE,
	GOVERNOR,
	TURBO,
	STATES
};

struct snapshot {
	bool known[COUNTS];
	uint64_t count[COUNTS];
};

struct stable {
	int root;
	struct strlist throttle; /* paths */
	struct snapshot at, first, last;
	uint64_t sum[COUNTS];
	bool known[COUNTS];
	struct buf state[STATES]; /* at the first window's start */
	struct buf changed[STATES]; /* the first other one, if any */
	bool differs[STATES];
	unsigned int windows;
	struct cpulist online;
	uint64_t *aperf, *mperf; /* at the window's start; CPULIST_MAX */
	bool clock_known;
	double clock_min;
};

/* ---- counts ---- */

static bool throttle(const struct stable *s, uint64_t *sum)
{
	char line[32];
	uint64_t v;

	*sum = 0;
	for (size_t i = 0; i < s->throttle.n; i++) {
		if (io_read_line(s->root, s->throttle.v[i], line, sizeof(line),
				 NULL) ||
		    num_u64(line, UINT64_MAX, &v, NULL))
			return false;
		*sum += v;
	}
	return s->throttle.n > 0;
}

/* The sum over the CPUs of one row of /proc/interrupts: "MCE:  0  0  text". */
static bool row_sum(const char *text, const char *row, uint64_t *sum)
{
	const char *at = strstr(text, row);
	char *end;

	if (!at)
		return false;
	for (at += strlen(row); *at == ' '; at = end) {
		while (*at == ' ')
			at++;
		if (*at < '0' || *at > '9')
			break;
		*sum += strtoull(at, &end, 10);
	}
	return true;
}

static bool mce(const struct stable *s, uint64_t *sum)
{
	static const char *const row[] = { " MCE:", " THR:", " DFR:" };
	struct buf b = { 0 };
	bool any = false;

	*sum = 0;
	if (!io_read_file(s->root, "proc/interrupts", &b, FILE_BYTES, NULL))
		for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
			any |= row_sum(buf_str(&b), row[i], sum);
	buf_free(&b);
	return any;
}

/* "cpu  user nice system idle iowait irq softirq steal guest guest_nice":
 * guest time is in user already (proc(5)).
 */
static bool steal(const struct stable *s, uint64_t *stolen, uint64_t *all)
{
	char line[512], *at = line + sizeof("cpu ") - 1;

	if (io_read_line(s->root, "proc/stat", line, sizeof(line), NULL) ||
	    strncmp(line, "cpu ", 4) != 0)
		return false;
	*all = 0;
	for (int i = 0; i < 8; i++) {
		char *end;

		*stolen = strtoull(at, &end, 10);
		if (end == at)
			return false;
		*all += *stolen;
		at = end;
	}
	return true;
}

static void snap(const struct stable *s, struct snapshot *n)
{
	n->known[THROTTLE] = throttle(s, &n->count[THROTTLE]);
	n->known[MCE] = mce(s, &n->count[MCE]);
	n->known[STEAL] = steal(s, &n->count[STEAL], &n->count[TICKS]);
	n->known[TICKS] = n->known[STEAL];
}

/* ---- states ---- */

static void governors(const struct stable *s, struct buf *out)
{
	struct strlist seen = { 0 };
	char path[128], line[64];

	for (int i = cpulist_next(&s->online, 0); i >= 0;
	     i = cpulist_next(&s->online, (unsigned int)i + 1)) {
		snprintf(path, sizeof(path),
			 CPUS "cpu%d/cpufreq/"
			      "scaling_governor",
			 i);
		if (io_read_line(s->root, path, line, sizeof(line), NULL) ||
		    strlist_has(&seen, line) || strlist_add(&seen, line, NULL))
			continue;
	}
	strlist_sort(&seen);
	for (size_t i = 0; i < seen.n; i++)
		buf_printf(out, "%s%s", i ? "," : "", seen.v[i]);
	strlist_free(&seen);
}

static void one_line(int root, const char *path, const char *prefix,
		     struct buf *out)
{
	char line[4096];

	if (!out->len && !io_read_line(root, path, line, sizeof(line), NULL))
		buf_printf(out, "%s%s", prefix, line);
}

static void states(const struct stable *s, struct buf out[STATES])
{
	one_line(s->root,
		 "sys/devices/system/clocksource/clocksource0/"
		 "current_clocksource",
		 "", &out[CLOCKSOURCE]);
	one_line(s->root, CPUS "online", "", &out[ONLINE]);
	governors(s, &out[GOVERNOR]);
	one_line(s->root, CPUS "intel_pstate/no_turbo", "no_turbo ",
		 &out[TURBO]);
	one_line(s->root, CPUS "cpufreq/boost", "boost ", &out[TURBO]);
}

static void compare_states(struct stable *s)
{
	struct buf now[STATES] = { 0 };

	states(s, now);
	for (int i = 0; i < STATES; i++) {
		if (!s->differs[i] &&
		    strcmp(buf_str(&now[i]), buf_str(&s->state[i])) != 0) {
			s->differs[i] = true;
			buf_puts(&s->changed[i], buf_str(&now[i]));
		}
		buf_free(&now[i]);
	}
}

/* ---- the busy clock ---- */

static bool msr(const struct stable *s, int cpu, uint64_t v[2])
{
	char path[64];
	int fd;
	bool good;

	snprintf(path, sizeof(path), "dev/cpu/%d/msr", cpu);
	fd = openat(s->root, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	good = pread(fd, &v[0], 8, MSR_APERF) == 8 &&
	       pread(fd, &v[1], 8, MSR_MPERF) == 8;
	close(fd);
	return good;
}

/* At a window's start notes the counters, at its end the lowest ratio. */
static void clocks(struct stable *s, bool end)
{
	uint64_t v[2];

	for (int i = cpulist_next(&s->online, 0); i >= 0;
	     i = cpulist_next(&s->online, (unsigned int)i + 1)) {
		if (!msr(s, i, v))
			return;
		if (end && v[1] > s->mperf[i]) {
			double ratio = (double)(v[0] - s->aperf[i]) /
				       (double)(v[1] - s->mperf[i]);

			if (!s->clock_known || ratio < s->clock_min)
				s->clock_min = ratio;
			s->clock_known = true;
		}
		s->aperf[i] = v[0];
		s->mperf[i] = v[1];
	}
}

/* ---- windows ---- */

struct stable *stable_new(int root, struct err *e)
{
	struct stable *s = calloc(1, sizeof(*s));

	if (s) {
		s->root = root;
		s->aperf = calloc(CPULIST_MAX, sizeof(s->aperf[0]));
		s->mperf = calloc(CPULIST_MAX, sizeof(s->mperf[0]));
	}
	if (!s || !s->aperf || !s->mperf) {
		err_set(e, ERR_LIMIT, "out of memory");
		goto fail;
	}
	if (pathmatch(root, CPUS "cpu*/thermal_throttle/*_throttle_count",
		      PATHS, &s->throttle, e))
		goto fail;
	return s;
fail:
	stable_free(s);
	return NULL;
}

void stable_window_begin(struct stable *s)
{
	if (cpulist_online(s->root, &s->online, NULL))
		s->online = (struct cpulist){ 0 };
	if (s->windows)
		compare_states(s);
	else
		states(s, s->state);
	clocks(s, false);
	snap(s, &s->at);
	if (!s->windows)
		s->first = s->at;
}

void stable_window_end(struct stable *s)
{
	struct snapshot now;

	snap(s, &now);
	for (int i = 0; i < COUNTS; i++) {
		bool both = now.known[i] && s->at.known[i];

		if (both && now.count[i] >= s->at.count[i])
			s->sum[i] += now.count[i] - s->at.count[i];
		s->known[i] = both && (s->known[i] || !s->windows);
	}
	s->last = now;
	clocks(s, true);
	compare_states(s);
	s->windows++;
}

/* ---- the verdict ---- */

static int add(struct result *r, const char *name, const char *before,
	       const char *after, bool known, bool good, struct err *e)
{
	struct result_proof *p =
		reallocarray(r->proof, r->nproof + 1, sizeof(*p));

	if (!p)
		return err_set(e, ERR_LIMIT, "out of memory");
	r->proof = p;
	p = &r->proof[r->nproof++];
	*p = (struct result_proof){
		.name = strdup(name),
		.before = strdup(known ? before : ""),
		.after = strdup(known ? after : ""),
		.known = known,
		.ok = known && good,
	};
	if (!p->name || !p->before || !p->after)
		return err_set(e, ERR_LIMIT, "out of memory");
	if (known && !good)
		r->stable = false;
	return 0;
}

static int add_count(const struct stable *s, struct result *r, enum count c,
		     const char *name, struct err *e)
{
	uint64_t last = s->first.count[c] + s->sum[c];
	char before[32], after[32];

	snprintf(before, sizeof(before), "%llu",
		 (unsigned long long)s->first.count[c]);
	snprintf(after, sizeof(after), "%llu", (unsigned long long)last);
	return add(r, name, before, after, s->known[c], !s->sum[c], e);
}

static int add_share(const struct stable *s, struct result *r, struct err *e)
{
	double share = s->sum[TICKS]
			       ? (double)s->sum[STEAL] / (double)s->sum[TICKS]
			       : 0;
	char after[32];

	snprintf(after, sizeof(after), "%.4f", share);
	return add(r, "steal", "0.0000", after, s->known[STEAL],
		   share <= STEAL_MAX, e);
}

/* Free to vary where turbo or the governor lets it. */
static int add_clock(const struct stable *s, struct result *r, struct err *e)
{
	const char *turbo = buf_str(&s->state[TURBO]);
	bool fixed =
		(!strcmp(turbo, "no_turbo 1") || !strcmp(turbo, "boost 0")) &&
		!strcmp(buf_str(&s->state[GOVERNOR]), "performance");
	char after[32];

	snprintf(after, sizeof(after), "%.3f", s->clock_min);
	return add(r, "clock", fixed ? "1.000" : "free", after, s->clock_known,
		   !fixed || s->clock_min >= CLOCK_MIN, e);
}

int stable_finish(const struct stable *s, struct result *r, struct err *e)
{
	static const char *const name[STATES] = { "clocksource", "online",
						  "governor", "turbo" };

	r->stable = s->windows > 0;
	if (!s->windows)
		return 0;
	for (int i = 0; i < STATES; i++) {
		const struct buf *now = s->differs[i] ? &s->changed[i]
						      : &s->state[i];

		if (add(r, name[i], buf_str(&s->state[i]), buf_str(now),
			s->state[i].len || s->differs[i], !s->differs[i], e))
			return -1;
	}
	if (add_count(s, r, THROTTLE, "thermal_throttle", e) ||
	    add_count(s, r, MCE, "mce", e) || add_share(s, r, e))
		return -1;
	return add_clock(s, r, e);
}

void stable_free(struct stable *s)
{
	if (!s)
		return;
	for (int i = 0; i < STATES; i++) {
		buf_free(&s->state[i]);
		buf_free(&s->changed[i]);
	}
	strlist_free(&s->throttle);
	free(s->aperf);
	free(s->mperf);
	free(s);
}
