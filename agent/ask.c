// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * hello, state and get over the courier, which does the retrying. next and
 * put stand where their answers lead on: session.c and lease.c.
 */
#include "ask.h"
#include "num.h"
#include "version.h"

#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#define HOST_FILE  BOX_RUN_DIR "/host.cfg"
#define STATE_MS   15000 /* then the run goes on without it */
#define STATE_TEXT 200

int ask_verb(struct box *b, int64_t ms, const char *want,
	     struct proto_words *answer, struct err *e, const char *fmt, ...)
{
	char words[PROTO_LINE];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	if (n < 0 || n >= (int)sizeof(words))
		return err_set(e, ERR_LIMIT, "request too long");
	if (courier_call(b->courier, words, -1, 0, ms, answer, e))
		return -1;
	if (!want || (answer->n && !strcmp(answer->v[0], want)))
		return 0;
	return err_set(e, ERR_PEER, "\"%.40s\" answered with \"%.80s\"", words,
		       answer->n ? answer->v[0] : "");
}

static int64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void set_clock(int64_t ns)
{
	int64_t off = ns - clock_ns();
	struct timespec t = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	if (llabs(off) <= ASK_CLOCK_MS * 1000000LL)
		return;
	if (clock_settime(CLOCK_REALTIME, &t) < 0)
		kmsg_say("clock: %s", strerrordesc_np(errno));
}

int ask_hello(struct box *b, int64_t ms, struct err *e)
{
	struct proto_words a;
	int64_t ns;

	if (ask_verb(b, ms, "hello", &a, e, "hello %s %s %s %s", b->boot_id,
		     IRONRIG_VERSION, b->kernel, box_mode(b)))
		return -1;
	if (a.n < 3 || num_i64(a.v[2], 0, INT64_MAX, &ns, e))
		return err_set(e, ERR_PEER, "hello: a malformed answer");
	if (strcmp(a.v[1], b->host.box) != 0)
		return err_set(e, ERR_CONFLICT,
			       "the controller takes this key for box %.64s",
			       a.v[1]);
	set_clock(ns);
	return 0;
}

/* proto.h: words hold [A-Za-z0-9._+:%/-] only; '_' stands for blanks. */
static void word(const char *text, char out[STATE_TEXT])
{
	size_t n = 0;

	for (; *text && n < STATE_TEXT - 1; text++) {
		bool fits = (*text >= 'a' && *text <= 'z') ||
			    (*text >= 'A' && *text <= 'Z') ||
			    strchr("0123456789._+:%/-", *text);

		if (fits || !n || out[n - 1] != '_')
			out[n++] = fits ? *text : '_';
	}
	out[n] = '\0';
}

void ask_state(struct box *b, const char *phase, const char *lease,
	       const char *text)
{
	char w[STATE_TEXT] = "";
	struct proto_words a;
	struct err e = ERR_INIT;
	int rc;

	if (text)
		word(text, w);
	if (*w)
		rc = ask_verb(b, STATE_MS, "ok", &a, &e, "state %s %s %s",
			      phase, lease ? lease : "-", w);
	else if (lease)
		rc = ask_verb(b, STATE_MS, "ok", &a, &e, "state %s %s", phase,
			      lease);
	else
		rc = ask_verb(b, STATE_MS, "ok", &a, &e, "state %s", phase);
	if (rc)
		kmsg_say("state %s: %s", phase, e.msg);
}

uint64_t ask_member(void)
{
	struct sysinfo s;

	return sysinfo(&s) < 0 ? ASK_TEXT :
				 (uint64_t)s.totalram * s.mem_unit / 4;
}

int ask_get(struct box *b, const char *name, const char *path, uint64_t most,
	    int64_t ms, struct err *e)
{
	char part[256], words[PROTO_LINE];
	struct proto_words a;
	int fd, rc;

	snprintf(part, sizeof(part), "%s.part", path);
	snprintf(words, sizeof(words), "get %s", name);
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "%s", part);
	rc = courier_call(b->courier, words, fd, most, ms, &a, e);
	if (close(fd) < 0 && !rc)
		rc = err_sys(e, "%s", part);
	if (!rc && rename(part, path) < 0)
		rc = err_sys(e, "%s", path);
	if (!rc)
		return 0;
	unlink(part);
	return err_prefix(e, "get %s", name);
}

int ask_host(struct box *b, int64_t ms, struct err *e)
{
	struct conf_host h = { 0 };

	if (ask_get(b, "host.cfg", HOST_FILE, ASK_TEXT, ms, e) ||
	    conf_host_load(AT_FDCWD, HOST_FILE, &h, NULL, e))
		return -1;
	if (strcmp(h.box, b->host.box) != 0) {
		err_set(e, ERR_CONFLICT, "host.cfg is of box %.64s", h.box);
		conf_host_free(&h);
		return -1;
	}
	conf_host_free(&b->host);
	b->host = h;
	return 0;
}
