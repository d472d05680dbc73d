/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IRONRIG_RTNL_H
#define IRONRIG_RTNL_H

#include "err.h"

#include <stdbool.h>
#include <stdint.h>

/* rtnetlink(7): links, VLANs, addresses and routes, without iproute2. */

struct rtnl_addr {
	int family; /* AF_INET, AF_INET6, 0: none */
	unsigned int prefix;
	unsigned char bytes[16]; /* network order; 4 or 16 are used */
};

/* "192.0.2.7/24", "2001:db8::7/64"; without a prefix: 32 or 128. ERR_INPUT. */
int rtnl_parse(const char *s, struct rtnl_addr *a, struct err *e) MUST_CHECK;

/* A socket in the caller's network namespace; close(2) it. -1: *e. */
int rtnl_open(struct err *e) MUST_CHECK;
/* Up or down; mtu 0 leaves it. */
int rtnl_link(int fd, int ifindex, bool up, int mtu, struct err *e) MUST_CHECK;
/* A VLAN on top of ifindex; one that exists already is no error. */
int rtnl_vlan(int fd, int ifindex, const char *name, int id,
	      struct err *e) MUST_CHECK;
/* Adds the address, or keeps it. IPv6 ones are usable at once (no DAD). */
int rtnl_addr_add(int fd, int ifindex, const struct rtnl_addr *a,
		  struct err *e) MUST_CHECK;
/* Removes it; one that is not there is no error. */
int rtnl_addr_del(int fd, int ifindex, const struct rtnl_addr *a,
		  struct err *e) MUST_CHECK;
/*
 * The route to a net, NULL: to everywhere, by a gateway; an IPv4 gateway of
 * zeros: on the link itself. Replaces one of that metric.
 */
int rtnl_route(int fd, int ifindex, const struct rtnl_addr *to,
	       const struct rtnl_addr *gateway, uint32_t metric,
	       struct err *e) MUST_CHECK;

#endif
