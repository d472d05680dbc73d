/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_ENROLL_H
#define IRONRIG_ENROLL_H

#include "conf.h"
#include "home.h"

/* NULL: not given. */
struct enroll {
	const char *box, *mac, *controller, *group, *kernel;
	const char *authorized_keys; /* one more file for the box's line */
};

/*
 * Makes box known, or mends what is missing of it; rotate replaces its key.
 * The line goes into keys/authorized_keys, the file given, and
 * ~/.ssh/authorized_keys when that has a block of this home already, so that
 * no old key stays behind. notes receives what a person should know. An option
 * that contradicts the host file is ERR_CONFLICT. After any failure every file
 * is as it was before.
 */
int enroll_add(const struct home *h, const struct enroll *r, bool rotate,
	       struct strlist *notes, struct err *e) MUST_CHECK;
/* Takes the line out of the same files and removes key and overlay. */
int enroll_remove(const struct home *h, const struct enroll *r, struct err *e)
	MUST_CHECK;

#endif
