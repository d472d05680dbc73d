/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_NIC_H
#define IRONRIG_NIC_H

#include "err.h"

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

/* Which network interfaces there are, and which one is meant. */
#define NIC_MAX 64

struct nic {
	int ifindex;
	bool device; /* hardware behind it: not a bridge, VLAN or veth */
	bool carrier; /* known only while it is up */
	char name[IF_NAMESIZE];
	char mac[18]; /* "aa:bb:cc:dd:ee:ff" */
};

struct nic_want {
	const char *nic, *mac; /* of host.cfg; NULL: not given */
	char bootif[18]; /* of the command line; "": not given */
};

/* The Ethernet interfaces in sys/class/net below root, by ifindex. */
int nic_list(int root, struct nic v[NIC_MAX], size_t *n,
	     struct err *e) MUST_CHECK;
/* "01-aa-bb-cc-dd-ee-ff" of BOOTIF= as a MAC; false and "" otherwise. */
bool nic_bootif(const char *word, char mac[18]);
/*
 * By name; else by BOOTIF, else by MAC. Without any of them: the first one
 * with a link, hardware before all others. NULL: none yet, with the reason and
 * what there is in *e (ERR_NOTFOUND).
 */
const struct nic *nic_choose(const struct nic *v, size_t n,
			     const struct nic_want *w, struct err *e);

#endif
