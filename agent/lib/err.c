// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Error records: filling, prefixing, naming. Prints nothing and leaves the
 * decision what an error means to its caller.
 */
#include "err.h"
#include "plain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void put(struct err *e, const char *fmt, va_list ap)
{
	int n = vsnprintf(e->msg, sizeof(e->msg), fmt, ap);

	if (n >= (int)sizeof(e->msg))
		memcpy(e->msg + sizeof(e->msg) - 4, "...", 4);
	for (char *p = e->msg; *p; p++)
		if (*p == '\n' || *p == '\r' || *p == '\t')
			*p = ' ';
	plain_make(e->msg, '?'); /* messages quote what boxes and tools said */
}

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	e->kind = kind;
	e->sys = 0;
	va_start(ap, fmt);
	put(e, fmt, ap);
	va_end(ap);
	return -1;
}

int err_sys(struct err *e, const char *fmt, ...)
{
	int sys = errno;
	va_list ap;
	size_t len;

	if (!e)
		return -1;
	e->kind = ERR_SYS;
	e->sys = sys;
	va_start(ap, fmt);
	put(e, fmt, ap);
	va_end(ap);
	len = strlen(e->msg);
	/* strerrordesc_np needs no buffer and no locale (glibc 2.32) */
	snprintf(e->msg + len, sizeof(e->msg) - len, ": %s",
		 strerrordesc_np(sys) ? strerrordesc_np(sys) : "unknown error");
	errno = sys;
	return -1;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->msg)];
	va_list ap;
	size_t len;
	int n;

	if (!e)
		return -1;
	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	put(e, fmt, ap);
	va_end(ap);
	len = strlen(e->msg);
	n = snprintf(e->msg + len, sizeof(e->msg) - len, ": %s", old);
	if (n >= (int)(sizeof(e->msg) - len))
		memcpy(e->msg + sizeof(e->msg) - 4, "...", 4);
	return -1;
}

const char *err_kind_name(enum err_kind kind)
{
	static const char *const name[] = {
		[ERR_NONE] = "none",
		[ERR_SYS] = "system",
		[ERR_INPUT] = "input",
		[ERR_FORMAT] = "format",
		[ERR_LIMIT] = "limit",
		[ERR_TIMEOUT] = "timeout",
		[ERR_NOTFOUND] = "notfound",
		[ERR_CONFLICT] = "conflict",
		[ERR_PEER] = "peer",
		[ERR_UNSUPPORTED] = "unsupported",
	};

	if ((unsigned int)kind >= sizeof(name) / sizeof(name[0]))
		return "unknown";
	return name[kind];
}
