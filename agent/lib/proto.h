/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_PROTO_H
#define IRONRIG_PROTO_H

#include "buf.h"
#include "sha256.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The run protocol between a box and `ironrig receive BOX`. One verb is one
 * SSH exec channel: words in SSH_ORIGINAL_COMMAND, data on stdin, one answer
 * line on stdout that starts with "ironrig1 ", for get the bytes behind it,
 * exit status 0 or 1. Words are separated by one blank and hold
 * [A-Za-z0-9._+:%/-] only. What stands before the answer line (a noisy
 * .bashrc) is kept as noise, to be reported.
 *
 *   hello BOOT_ID VERSION KERNEL [MODE] -> hello BOX UNIX_NS VERSION
 *        MODE: firmware, kexec
 *   next BOOT_ID [DONE_LEASE]      -> run LEASE JOB KERNEL ATTEMPT EXPERIMENT
 *                                         BLOCK POSITION
 *                                  -> boot firmware|kexec KERNEL
 *                                  -> idle SECONDS | reboot | off
 *   get NAME                       -> data SIZE SHA256, then SIZE bytes
 *        NAME: host.cfg, job/NAME.cfg, kernel/NAME/kernel.cfg,
 *        kernel/NAME/vmlinuz, kernel/NAME/modules.cpio,
 *        kernel/NAME/cmdline (runner/ipxe.h's ipxe_cmdline for this box, by
 *        kexec), base.cpio, overlay.cpio, bundle/NAME.cpio
 *   have FILE                      -> none | part N | done SIZE SHA256
 *   put FILE OFFSET                -> ok SIZE SHA256
 *   state PHASE [LEASE [TEXT]]     -> ok           TEXT has '_' for blanks
 *   log BOOT_ID                    -> ok           stdin is console text
 *   any                            -> error KIND text to the end of the line
 *
 * FILE is BOX.LEASE.tar.lz4 of the box whose key asks. KERNEL is NAME:ID as on
 * the kernel command line (ironrig.kernel=), or "-" when there is none.
 */
#define PROTO_TAG   "ironrig1 "
#define PROTO_WORDS 12
#define PROTO_LINE  1024 /* longest request and answer line, with newline */

struct proto_words {
	char text[PROTO_LINE];
	char *v[PROTO_WORDS];
	int n;
};

/* Splits; ERR_FORMAT names what does not belong. */
int proto_split(const char *line, struct proto_words *w, struct err *e)
	MUST_CHECK;
/*
 * Finds the first answer line in what a verb printed so far. 1: found, *w
 * filled, *used = bytes up to and with its newline, *noise = bytes before the
 * line. 0: not yet. -1: malformed, too long, or 64 KiB without an answer
 * (ERR_FORMAT, w->n is 0), or the answer is "error": then w->v[0] is "error"
 * and e holds the peer's kind (ERR_PEER for one that we do not know) and text.
 */
int proto_answer(const char *p, size_t n, struct proto_words *w, size_t *used,
		 size_t *noise, struct err *e) MUST_CHECK;

#endif
