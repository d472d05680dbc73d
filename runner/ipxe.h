/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_IPXE_H
#define IRONRIG_IPXE_H

#include "buf.h"
#include "conf.h"

struct home;

/*
 * What a box boots: boot/boot.ipxe, which the DHCP server names and which
 * chains to boot/mac-AA-BB-CC-DD-EE-FF.ipxe of the NIC it came from, and that
 * script, which loads one kernel and its members.
 */

/* Writes boot/boot.ipxe (the same for all) unless it is right already. */
int ipxe_write_chain(const struct home *home, struct err *e) MUST_CHECK;

/*
 * Points box h at that kernel: writes its script, and puts hard links (or
 * copies) of the kernel's files below boot/kernels/. The script is replaced
 * by rename, so that a box that boots now gets the old or the new one.
 * bundles are those that the image is to bring; NULL: those that the jobs of
 * the box's experiments name (bundle.h). ERR_NOTFOUND names a kernel, base
 * image, overlay or bundle that is not there; ERR_INPUT a host without
 * net.mac or text that iPXE would take apart; ERR_LIMIT a command line beyond
 * the kernel's limit.
 */
int ipxe_write_box(const struct home *home, const struct conf_host *h,
		   const char *kernel, const struct strlist *bundles,
		   struct err *e) MUST_CHECK;

/*
 * Whether text can stand on a command line that iPXE hands over, with more
 * behind it. NULL can. ERR_INPUT names what it is.
 */
int ipxe_check_words(const char *what, const char *text, struct err *e)
	MUST_CHECK;

/*
 * The command line of that boot without iPXE's own words, as kexec needs it
 * too: console, panic, ironrig.*, the host's and the kernel's append.
 */
int ipxe_cmdline(const struct home *home, const struct conf_host *h,
		 const char *kernel, const struct strlist *bundles,
		 enum boot_mode boot, struct buf *out, struct err *e)
	MUST_CHECK;

/*
 * Writes every box's script again that has one, for the kernel it names:
 * after a member that they share has changed.
 */
int ipxe_refresh(const struct home *home, struct err *e) MUST_CHECK;

/* "mac-aa-bb-cc-dd-ee-ff.ipxe" of "aa:bb:cc:dd:ee:ff". */
void ipxe_script_name(const char *mac, char out[32]);

#endif
