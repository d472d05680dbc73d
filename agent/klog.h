/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_KLOG_H
#define IRONRIG_KLOG_H

#include "buf.h"

#include <stdbool.h>

/*
 * What the kernel prints, read from /dev/kmsg
 * (Documentation/ABI/testing/dev-kmsg) and kept as dmesg(1) shows it until it
 * was sent.
 */
struct klog {
	int fd;		 /* -1: none */
	struct buf text; /* not sent yet, at most KLOG_MAX */
	bool kernel;	 /* some of it is the kernel's own, not a program's */
};

/* An oops is some 10 KiB; a driver that chats for ever must not fill memory. */
#define KLOG_MAX (1U << 20)

/* Takes all records there are now; closes nothing. fd -1 after an end. */
void klog_take(struct klog *k);
/* The first n bytes are home. */
void klog_sent(struct klog *k, size_t n);

#endif
