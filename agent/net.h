/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_NET_H
#define IRONRIG_NET_H

#include "conf.h"

#include <net/if.h>
#include <stdbool.h>
#include <sys/types.h>

/* The box's network: its address towards the controller, the workload NICs. */
#define NET_CLIENTS 16 /* DHCP clients: management and workload NICs */

struct net {
	int rtnl;
	char management[IF_NAMESIZE]; /* the VLAN's name when there is one */
	char address[64]; /* for the console: "192.0.2.7/24" */
	pid_t client[NET_CLIENTS];
	size_t nclient;
};

#define NET_INIT                                                               \
	{                                                                      \
		.rtnl = -1                                                     \
	}

/*
 * Brings it all up; waits for the NIC, its link and its address for
 * h->net.timeout_s, and at least NET_PATIENCE_S in all: a switch port with
 * spanning tree stays closed for 30 s. again() is called while no NIC fits,
 * for drivers that appear late (may be NULL). A workload NIC that does not
 * come up is said on the console and left.
 */
#define NET_PATIENCE_S 60
int net_up(struct net *net, int root, const struct conf_host *h,
	   const char *bootif, void (*again)(void *arg), void *arg,
	   struct err *e) MUST_CHECK;
/*
 * Whether the way to the controller was taken down since: the link is, or has
 * no address but a link's own. Jobs are root and do such things.
 */
bool net_lost(const struct net *net);
/* Ends the DHCP clients and puts every link down, as kexec wants it. */
void net_down(struct net *net, int root);

#endif
