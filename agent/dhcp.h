/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_DHCP_H
#define IRONRIG_DHCP_H

#include "conf.h"
#include "rtnl.h"

#include <net/if.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * DHCP by busybox udhcpc, which runs the agent itself as its script: the entry
 * "udhcpc-script" sets what a lease says and leaves a note that the session
 * waits for.
 */
#define DHCP_DNS_MAX	3 /* MAXNS of resolv.h */
#define DHCP_ROUTES_MAX 16 /* of up to 30 that fit into the option */

struct dhcp_lease {
	char ifname[IF_NAMESIZE];
	struct rtnl_addr address, router; /* router.family 0: none */
	struct { /* classless static routes, RFC 3442 */
		struct rtnl_addr to, gateway;
	} route[DHCP_ROUTES_MAX];
	size_t nroute;
	struct strlist dns;
	char domain[256];
	int mtu; /* 0: not said */
};

/*
 * From udhcpc's environment, through get (getenv). ERR_FORMAT names the
 * variable that is missing or wrong. *l is zeroed first.
 */
int dhcp_parse(char *(*get)(const char *), struct dhcp_lease *l,
	       struct err *e) MUST_CHECK;
void dhcp_free(struct dhcp_lease *l);

/* Starts a client that goes on for as long as it runs; kill(2) *pid. */
int dhcp_start(const char *ifname, const char *box, bool management, pid_t *pid,
	       struct err *e) MUST_CHECK;
/*
 * The address of the lease ("192.0.2.7/24") that the interface has got, into
 * out. False: none yet.
 */
bool dhcp_bound(const char *ifname, char out[64]);

/* resolv.conf(5) with these; domain may be "". */
int dhcp_resolv(const struct strlist *dns, const char *domain,
		struct err *e) MUST_CHECK;

#endif
