// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The messages between the session and PID 1: written on one side, parsed on
 * the other. What they lead to is decided in init.c.
 */
#include "phase.h"
#include "num.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_MS    10000
#define PHASE_MAX_MS (400LL * 86400000) /* a year and a month */

int phase_pair(int fd[2], struct err *e)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0)
		return err_sys(e, "socketpair");
	return 0;
}

static void tell(int fd, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void tell(int fd, const char *fmt, ...)
{
	char text[PHASE_TEXT];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n > 0 && n < (int)sizeof(text))
		send(fd, text, (size_t)n, MSG_NOSIGNAL);
}

void phase_set(int fd, const char *name, int64_t ms)
{
	tell(fd, "phase %s %lld", name, (long long)ms);
}

void phase_box(int fd, const char *name)
{
	tell(fd, "box %s", name);
}

void phase_fallback(int fd, enum last_op op)
{
	tell(fd, "fallback %s", last_name(op));
}

void phase_good(int fd)
{
	tell(fd, "good");
}

void phase_last(int fd, enum last_op op)
{
	tell(fd, "last %s", last_name(op));
	_exit(0);
}

int phase_watchdog(int fd, const char *device, int timeout_s, struct err *e)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char text[PHASE_TEXT];
	ssize_t n;

	tell(fd, "watchdog %s %d", device, timeout_s);
	if (poll(&p, 1, ANSWER_MS) != 1)
		return err_set(e, ERR_TIMEOUT, "PID 1 does not answer");
	n = recv(fd, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return err_set(e, ERR_PEER, "PID 1 is gone");
	text[n] = '\0';
	if (!strcmp(text, "ok"))
		return 0;
	return err_set(e, ERR_UNSUPPORTED, "%s",
		       strncmp(text, "error ", 6) ? text : text + 6);
}

void phase_answer(int fd, const char *why)
{
	if (why)
		tell(fd, "error %.240s", why);
	else
		tell(fd, "ok");
}

static int op(const char *s, struct phase_msg *m)
{
	m->op = last_parse(s);
	return m->op == LAST_NONE ? -1 : 0;
}

int phase_parse(const char *text, struct phase_msg *m, struct err *e)
{
	static const struct {
		const char *word;
		int words;
	} verb[] = {
		[PHASE_SET] = { "phase", 3 },
		[PHASE_BOX] = { "box", 2 },
		[PHASE_WATCHDOG] = { "watchdog", 3 },
		[PHASE_FALLBACK] = { "fallback", 2 },
		[PHASE_GOOD] = { "good", 1 },
		[PHASE_LAST] = { "last", 2 },
	};
	char copy[PHASE_TEXT], *v[4], *save = NULL;
	size_t i = 0;
	int n = 0;

	memset(m, 0, sizeof(*m));
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *w = strtok_r(copy, " \n", &save); w && n < 4;
	     w = strtok_r(NULL, " \n", &save))
		v[n++] = w;
	while (n && i < sizeof(verb) / sizeof(*verb) &&
	       strcmp(v[0], verb[i].word) != 0)
		i++;
	if (!n || i == sizeof(verb) / sizeof(*verb) || n != verb[i].words)
		goto bad;
	m->verb = (enum phase_verb)i;
	if (n > 1)
		snprintf(m->text, sizeof(m->text), "%s", v[1]);
	if (n > 2 && num_i64(v[2], 0, PHASE_MAX_MS, &m->number, NULL))
		goto bad;
	if ((m->verb == PHASE_FALLBACK || m->verb == PHASE_LAST) && op(v[1], m))
		goto bad;
	return 0;
bad:
	return err_set(e, ERR_FORMAT, "\"%.*s\" is no message",
		       (int)strcspn(text, "\n") < 80 ?
			       (int)strcspn(text, "\n") :
			       80,
		       text);
}
