/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_BORROW_H
#define IRONRIG_BORROW_H

#include "conf.h"
#include "home.h"

/*
 * One borrowed box, no lab: a machine with its own distribution that the user
 * reaches by ssh as root. Agent, image and kernel go into memory below /run,
 * the distribution hands over cleanly by `systemctl kexec', experiments run by
 * kexec, and in the end the box reboots into its untouched system. Its disks
 * are not mounted and its boot order is not changed, so that every failure
 * that ends in a reset leads there, too.
 */

/* What the running system told; nothing on it was changed. */
struct borrow {
	char *target; /* "root@box", for ssh */
	char box[65]; /* its name here: "ssh-" and its host name */
	char *nic, *mac, *address, *gateway; /* of the way by which ssh came */
	char *peer;    /* we, as it sees us */
	char *driver;  /* of the NIC */
	char *release; /* the kernel that runs there */
	int64_t memory_kb;
	bool kexec_tools; /* else our own program is the end of its shutdown */
};

/*
 * Asks the box. ERR_UNSUPPORTED names what stands in the way of a take-over:
 * another architecture, lockdown, kexec switched off, no systemd, a NIC that
 * is no device of its own, too little memory. ERR_INPUT: not root, or a target
 * that ssh could take for an option.
 */
int borrow_probe(const char *target, struct borrow *b, struct err *e)
	MUST_CHECK;
/* From what the box printed; for tests, too. */
int borrow_parse(const char *text, struct borrow *b, struct err *e) MUST_CHECK;
/*
 * Makes it a box of this home: host file (its network settings as they are, the
 * power command that takes it over again), key, overlay. controller NULL: the
 * controller file's address.
 */
int borrow_enroll(const struct home *h, const struct borrow *b,
		  const char *controller, struct err *e) MUST_CHECK;
/*
 * Sends agent, image and kernel and has the distribution hand over. Done when
 * the box has begun to shut down; that it comes up, its hello tells.
 */
int borrow_take(const struct home *h, const struct borrow *b,
		const char *kernel, struct err *e) MUST_CHECK;
void borrow_free(struct borrow *b);

#endif
