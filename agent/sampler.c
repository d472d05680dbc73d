// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The sampler: keeps files open, reads them into memory that was allocated
 * before, stamps and stores them. Parses nothing, so that a parser's fault
 * never costs a run, and forks nothing.
 *
 * Never among the sources: scaling_cur_freq, cpuinfo_cur_freq and
 * /proc/cpuinfo, which interrupt every CPU to answer.
 */
#include "sampler.h"
#include "cpulist.h"
#include "io.h"
#include "pathmatch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define KEEP_OPEN 64 /* files of one source; more are opened each time */
#define MATCHES	  65536 /* 8192 CPUs x 8 idle states */
#define WIDE	  64 /* CPUs from which one row a CPU is dear */
#define ROOM_MIN  262144 /* buffer: a sample may grow in the run */
#define ROOM_MAX  (64 << 20)
#define STAMP	  32 /* "@NS\n" */

/*
 * To add a monitor: a row. Microseconds per warm read, 2 CPUs, 6.18: slabinfo
 * 125, interrupts 36, vmstat 11, diskstats 4, stat 3, net_dev 3, meminfo 2.5,
 * buddyinfo 2, softirqs 1.5. Interrupts of 288 CPUs are 1.75 MB a read.
 */
/* clang-format off */
static const struct source sources[] = {
	{ "stat", "proc/stat", USUAL },
	{ "meminfo", "proc/meminfo", USUAL },
	{ "vmstat", "proc/vmstat", USUAL },
	{ "interrupts", "proc/interrupts", USUAL | SLOW_WHEN_WIDE },
	{ "softirqs", "proc/softirqs", USUAL | SLOW_WHEN_WIDE },
	{ "buddyinfo", "proc/buddyinfo", 0 },
	{ "cpufreq_stats", /* time_in_state, total_trans */
	  "sys/devices/system/cpu/cpufreq/policy*/stats/t[io][mt]*", SLOW },
	{ "cpuidle", /* name, time, usage */
	  "sys/devices/system/cpu/cpu*/cpuidle/state*/[ntu]*", SLOW },
	{ "diskstats", "proc/diskstats", 0 },
	{ "loadavg", "proc/loadavg", 0 },
	{ "net_dev", "proc/net/dev", 0 },
	{ "numa_vmstat", "sys/devices/system/node/node*/vmstat", 0 },
	{ "perf_counters", NULL, SLOW },
	{ "pressure_cpu", "proc/pressure/cpu", 0 },
	{ "pressure_io", "proc/pressure/io", 0 },
	{ "pressure_memory", "proc/pressure/memory", 0 },
	{ "schedstat", "proc/schedstat", SLOW_WHEN_WIDE },
	{ "slabinfo", "proc/slabinfo", SLOW },
	{ "uptime", "proc/uptime", 0 },
	{ "zoneinfo", "proc/zoneinfo", SLOW },
};
/* clang-format on */
#define SOURCES (sizeof(sources) / sizeof(sources[0]))

/* ---- reading ---- */

/*
 * Until the end of the file: files of several records come in pieces of a page
 * and more, whatever room they are given (seq_file).
 */
static size_t read_fd(int fd, char *to, size_t room)
{
	size_t n = 0;

	while (n < room) {
		ssize_t got = pread(fd, to + n, room - n, (off_t)n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	return n;
}

static size_t read_files(const struct sampler *s, const struct sampled *m,
			 char *to, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nfile; i++) {
		const struct sampler_file *f = &m->file[i];
		int fd = f->fd;

		if (m->nfile > 1) {
			int len = snprintf(to + n, room - n, "==> %s <==\n",
					   f->path);

			if (len < 0 || (size_t)len >= room - n)
				break;
			n += (size_t)len;
		}
		if (fd < 0)
			fd = openat(s->root, f->path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		n += read_fd(fd, to + n, room - n);
		if (f->fd < 0)
			close(fd);
	}
	return n;
}

static void take(struct sampler *s, struct sampled *m)
{
	size_t len = (size_t)snprintf(s->text, STAMP, "@%lld\n",
				      (long long)io_monotonic_ns());

	if (m->counters)
		len += counters_read(m->counters, s->text + len,
				     s->room - len - 1);
	else
		len += read_files(s, m, s->text + len, s->room - len - 1);
	if (s->text[len - 1] != '\n')
		s->text[len++] = '\n';
	if (m->lost || io_write_all(m->out, s->text, len, NULL))
		m->lost++; /* and no more: half a sample may stand there */
}

void sampler_take(struct sampler *s, bool slow)
{
	for (size_t i = 0; i < s->n; i++)
		if (slow || !s->v[i].slow)
			take(s, &s->v[i]);
}

/* ---- the child's loop ---- */

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Waits for a word until the time comes. 0: time, 1: word, -1: ctl closed. */
static int wait_for(int ctl, int64_t until, char *word)
{
	struct pollfd p = { .fd = ctl, .events = POLLIN };
	int64_t left = until - io_monotonic_ns();
	struct timespec t = { 0 };
	int n;

	if (left > 0) {
		t.tv_sec = left / 1000000000;
		t.tv_nsec = left % 1000000000;
	}
	n = ppoll(&p, 1, until ? &t : NULL, NULL);
	if (n <= 0)
		return 0;
	return recv(ctl, word, 1, 0) == 1 ? 1 : -1;
}

void sampler_serve(struct sampler *s, int ctl)
{
	int64_t next = 0, slow = 0, spent;
	char word;

	for (;;) {
		int got = wait_for(ctl, next, &word);
		int64_t now = io_monotonic_ns();

		if (got < 0)
			return;
		if (!got) {
			bool due = slow && now >= slow;

			if (!next || now < next)
				continue;
			sampler_take(s, due);
			/* a late sample shifts no later one */
			while (next <= now)
				next += s->interval_ns;
			while (due && slow <= now)
				slow += s->slow_ns;
			continue;
		}
		spent = cpu_ns();
		sampler_take(s, true);
		if (word == 'b') {
			now = io_monotonic_ns();
			next = now + s->interval_ns;
			slow = s->slow_ns ? now + s->slow_ns : 0;
			spent = cpu_ns();
		} else {
			next = slow = 0;
		}
		if (send(ctl, &spent, sizeof(spent), MSG_NOSIGNAL) < 0)
			return;
	}
}

/* ---- opening ---- */

static bool chosen(const struct source *src, const struct monitor_request *rq)
{
	if (rq->drop && strlist_has(rq->drop, src->name))
		return false;
	return src->flags & USUAL ||
	       (rq->add && strlist_has(rq->add, src->name));
}

static int open_files(struct sampler *s, struct sampled *m, struct err *e)
{
	struct strlist paths = { 0 };
	int rc = pathmatch(s->root, m->source->pattern, MATCHES, &paths, e);

	if (!rc && paths.n) {
		m->file = calloc(paths.n, sizeof(m->file[0]));
		if (!m->file)
			rc = err_set(e, ERR_LIMIT, "out of memory");
	}
	for (size_t i = 0; !rc && i < paths.n; i++) {
		struct sampler_file *f = &m->file[m->nfile];
		int fd = openat(s->root, paths.v[i], O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			continue; /* told when none is left */
		f->fd = paths.n <= KEEP_OPEN ? fd : -1;
		if (f->fd < 0)
			close(fd);
		f->path = strdup(paths.v[i]);
		m->nfile++;
		if (!f->path)
			rc = err_set(e, ERR_LIMIT, "out of memory");
	}
	strlist_free(&paths);
	return rc;
}

static int open_source(struct sampler *s, const struct source *src,
		       unsigned int cpus, int out, struct buf *notes,
		       struct err *e)
{
	struct sampled *m = &s->v[s->n];

	*m = (struct sampled){ .source = src, .out = -1 };
	m->slow = src->flags & SLOW ||
		  (src->flags & SLOW_WHEN_WIDE && cpus > WIDE);
	s->n++; /* from here on sampler_close() sees it */
	if (!src->pattern) {
		if (counters_open(s->root, &m->counters, notes, e))
			return -1;
	} else if (open_files(s, m, e)) {
		return -1;
	}
	if (!m->counters && !m->nfile) {
		buf_printf(notes, "monitor %s: this kernel has no %s\n",
			   src->name,
			   src->pattern ? src->pattern : "perf events");
		s->n--;
		return 0;
	}
	m->out = openat(out, src->name,
			O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	return m->out < 0 ? err_sys(e, "monitor/%s", src->name) : 0;
}

/* Twice the largest sample there is now. */
static int make_room(struct sampler *s, struct err *e)
{
	size_t room = ROOM_MIN, need;

	for (;;) {
		free(s->text);
		s->text = malloc(room);
		if (!s->text)
			return err_set(e, ERR_LIMIT, "out of memory");
		need = 0;
		for (size_t i = 0; i < s->n; i++) {
			struct sampled *m = &s->v[i];
			size_t n = m->counters
					   ? counters_read(m->counters, s->text,
							   room)
					   : read_files(s, m, s->text, room);

			if (n > need)
				need = n;
		}
		if (need * 2 + STAMP < room || room >= ROOM_MAX)
			break;
		room *= 2;
	}
	s->room = room;
	memset(s->text, 0, room); /* every page is there before the workload */
	return 0;
}

static void unknown_names(const struct strlist *l, struct buf *notes)
{
	for (size_t i = 0; l && i < l->n; i++) {
		bool known = false;

		for (size_t j = 0; j < SOURCES; j++)
			known |= !strcmp(sources[j].name, l->v[i]);
		if (!known)
			buf_printf(notes, "there is no monitor \"%s\"\n",
				   l->v[i]);
	}
}

int sampler_open(const struct monitor_request *rq, struct sampler *s,
		 struct buf *notes, struct err *e)
{
	struct cpulist online;
	unsigned int cpus = 1;
	int out, rc = 0;

	*s = (struct sampler){ .root = rq->root };
	s->interval_ns = rq->interval_ms * 1000000;
	s->slow_ns = rq->slow_interval_ms * 1000000;
	unknown_names(rq->add, notes);
	unknown_names(rq->drop, notes);
	if (!cpulist_online(rq->root, &online, NULL))
		cpus = cpulist_count(&online);
	s->v = calloc(SOURCES, sizeof(s->v[0]));
	if (!s->v)
		return err_set(e, ERR_LIMIT, "out of memory");
	if (mkdirat(rq->out, "monitor", 0755) < 0 && errno != EEXIST)
		return err_sys(e, "monitor");
	out = openat(rq->out, "monitor", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (out < 0)
		return err_sys(e, "monitor");
	for (size_t i = 0; !rc && i < SOURCES; i++)
		if (chosen(&sources[i], rq))
			rc = open_source(s, &sources[i], cpus, out, notes, e);
	close(out);
	return rc ? rc : make_room(s, e);
}

void sampler_close(struct sampler *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct sampled *m = &s->v[i];

		for (size_t j = 0; j < m->nfile; j++) {
			io_close(&m->file[j].fd);
			free(m->file[j].path);
		}
		free(m->file);
		counters_free(m->counters);
		io_close(&m->out);
	}
	free(s->v);
	free(s->text);
	*s = (struct sampler){ .root = -1 };
}
