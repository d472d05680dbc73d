/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PHASE_H
#define IRONRIG_PHASE_H

#include "last.h"

#include "err.h"

#include <stdint.h>

/*
 * What the session tells PID 1, one message of words a packet over a
 * SOCK_SEQPACKET pair (a shell can do it too: echo "phase try 1000" >&3):
 *   phase NAME MS          has MS milliseconds for this; then it is killed
 *   box NAME               for the lines on the console
 *   watchdog DEVICE SECONDS   answered "ok" or "error TEXT"
 *   fallback OP            what follows when sessions keep dying
 *   good                   a result is home: forget earlier deaths
 *   last OP                end this boot: reboot, poweroff, halt, kexec
 * A peer that is gone loses messages in silence: PID 1 then sees the death.
 */
#define PHASE_FD      3 /* of a program run by ironrig.session= */
#define PHASE_TEXT    256
#define PHASE_NAME_SZ 32

enum phase_verb {
	PHASE_SET,
	PHASE_BOX,
	PHASE_WATCHDOG,
	PHASE_FALLBACK,
	PHASE_GOOD,
	PHASE_LAST,
};

struct phase_msg {
	enum phase_verb verb;
	char text[PHASE_TEXT]; /* name, box, device */
	int64_t number; /* ms, seconds */
	enum last_op op;
};

int phase_pair(int fd[2], struct err *e) MUST_CHECK;

void phase_set(int fd, const char *name, int64_t ms);
void phase_box(int fd, const char *name);
/* Waits up to 10 s for the answer. */
int phase_watchdog(int fd, const char *device, int timeout_s,
		   struct err *e) MUST_CHECK;
void phase_fallback(int fd, enum last_op op);
void phase_good(int fd);
/* Ends the caller, too: nothing is left to do for it. */
void phase_last(int fd, enum last_op op) __attribute__((noreturn));

/* Splits one message. ERR_FORMAT. */
int phase_parse(const char *text, struct phase_msg *m,
		struct err *e) MUST_CHECK;
/* PID 1's answer to "watchdog"; why == NULL: it is open. */
void phase_answer(int fd, const char *why);

#endif
