/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_ERR_H
#define IRONRIG_ERR_H

/*
 * One error record, filled by the callee and read by the caller. It has a
 * fixed size, so that reporting an error cannot itself fail for lack of
 * memory. Every fallible function of this tree returns 0, or -1 with *e
 * filled; the caller puts context in front with err_prefix(), and only a
 * program's main (or the agent's console) prints.
 */
enum err_kind {
	ERR_NONE,
	ERR_SYS,	 /* a system call failed; .sys is its errno */
	ERR_INPUT,	 /* what a person wrote is wrong (file, key, option) */
	ERR_FORMAT,	 /* data does not have the form it must have */
	ERR_LIMIT,	 /* a size, count, quota or memory limit was reached */
	ERR_TIMEOUT,	 /* a deadline passed */
	ERR_NOTFOUND,	 /* the named thing does not exist */
	ERR_CONFLICT,	 /* it exists, but is not the same thing */
	ERR_PEER,	 /* the other side refused or broke the protocol */
	ERR_UNSUPPORTED, /* this kernel or machine cannot do it */
};

struct err {
	enum err_kind kind;
	int sys;       /* errno value when kind is ERR_SYS, else 0 */
	char msg[256]; /* one line, no newline; truncated with "..." */
};

#define ERR_INIT { .kind = ERR_NONE }

#define MUST_CHECK     __attribute__((warn_unused_result))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/* Fills *e (NULL is allowed and ignored). Returns -1, always. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* The same with kind ERR_SYS; appends ": " and the text of errno. Returns -1 */
int err_sys(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Puts "context: " in front of the message that stands in *e. Returns -1. */
int err_prefix(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The kind's name in lower case ("input"), for logs and protocol replies. */
const char *err_kind_name(enum err_kind kind);

#endif
