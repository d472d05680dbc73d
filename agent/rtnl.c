// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Requests to rtnetlink, each with its acknowledgement. Which interface gets
 * what is net.c's and dhcp.c's business.
 */
#include "rtnl.h"
#include "num.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct request {
	struct nlmsghdr h;
	union {
		struct ifinfomsg link;
		struct ifaddrmsg addr;
		struct rtmsg route;
	} u;
	char attr[256];
};

int rtnl_parse(const char *s, struct rtnl_addr *a, struct err *e)
{
	char text[64];
	char *slash;
	uint64_t max, prefix;

	snprintf(text, sizeof(text), "%s", s);
	slash = strchr(text, '/');
	if (slash)
		*slash++ = '\0';
	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET, text, a->bytes) == 1)
		a->family = AF_INET;
	else if (inet_pton(AF_INET6, text, a->bytes) == 1)
		a->family = AF_INET6;
	else
		return err_set(e, ERR_INPUT, "\"%.64s\" is no IP address", s);
	max = prefix = a->family == AF_INET ? 32 : 128;
	if (slash && num_u64(slash, max, &prefix, e))
		return err_prefix(e, "prefix of \"%.64s\"", s);
	a->prefix = (unsigned int)prefix;
	return 0;
}

int rtnl_open(struct err *e)
{
	struct timeval limit = { .tv_sec = 5 }; /* answers come at once */
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0)
		return err_sys(e, "netlink socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return fd;
}

static void start(struct request *rq, uint16_t type, uint16_t flags,
		  size_t body)
{
	memset(rq, 0, sizeof(*rq));
	rq->h.nlmsg_len = (uint32_t)NLMSG_LENGTH(body);
	rq->h.nlmsg_type = type;
	rq->h.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags);
}

/* Attributes are short and few: they always fit. Returns where it stands. */
static struct rtattr *attr(struct request *rq, unsigned short type,
			   const void *p, size_t n)
{
	struct rtattr *a =
		(struct rtattr *)((char *)rq + NLMSG_ALIGN(rq->h.nlmsg_len));

	a->rta_type = type;
	a->rta_len = (unsigned short)RTA_LENGTH(n);
	if (n)
		memcpy(RTA_DATA(a), p, n);
	rq->h.nlmsg_len = (uint32_t)(NLMSG_ALIGN(rq->h.nlmsg_len) +
				     RTA_ALIGN(a->rta_len));
	return a;
}

static void nest_end(struct request *rq, struct rtattr *a)
{
	a->rta_len = (unsigned short)((char *)rq + rq->h.nlmsg_len - (char *)a);
}

/* errno of the kernel's answer, 0 for "done". */
static int ask(int fd, struct request *rq)
{
	struct {
		struct nlmsghdr h;
		int error;
		char rest[512]; /* the request, repeated */
	} answer;
	ssize_t n;

	if (send(fd, rq, rq->h.nlmsg_len, 0) < 0)
		return errno;
	n = recv(fd, &answer, sizeof(answer), 0);
	if (n < 0)
		return errno == EAGAIN ? ETIMEDOUT : errno;
	if (n < (ssize_t)offsetof(typeof(answer), rest) ||
	    answer.h.nlmsg_type != NLMSG_ERROR || answer.error > 0 ||
	    answer.error < -4095) /* MAX_ERRNO of include/linux/err.h */
		return EPROTO;
	return -answer.error;
}

static int done(int sys, const char *what, struct err *e)
{
	if (!sys)
		return 0;
	errno = sys;
	return err_sys(e, "%s", what);
}

int rtnl_link(int fd, int ifindex, bool up, int mtu, struct err *e)
{
	struct request rq;

	start(&rq, RTM_NEWLINK, 0, sizeof(rq.u.link));
	rq.u.link.ifi_index = ifindex;
	rq.u.link.ifi_change = IFF_UP;
	rq.u.link.ifi_flags = up ? IFF_UP : 0;
	if (mtu)
		attr(&rq, IFLA_MTU, &mtu, sizeof(mtu));
	return done(ask(fd, &rq), up ? "link up" : "link down", e);
}

int rtnl_vlan(int fd, int ifindex, const char *name, int id, struct err *e)
{
	struct rtattr *info, *data;
	uint16_t vid = (uint16_t)id;
	struct request rq;
	int sys;

	start(&rq, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof(rq.u.link));
	attr(&rq, IFLA_IFNAME, name, strlen(name) + 1);
	attr(&rq, IFLA_LINK, &ifindex, sizeof(ifindex));
	info = attr(&rq, IFLA_LINKINFO, NULL, 0);
	attr(&rq, IFLA_INFO_KIND, "vlan", 5);
	data = attr(&rq, IFLA_INFO_DATA, NULL, 0);
	attr(&rq, IFLA_VLAN_ID, &vid, sizeof(vid));
	nest_end(&rq, data);
	nest_end(&rq, info);
	sys = ask(fd, &rq);
	return done(sys == EEXIST ? 0 : sys, "VLAN", e);
}

static size_t size_of(const struct rtnl_addr *a)
{
	return a->family == AF_INET ? 4 : 16;
}

static int address(int fd, uint16_t type, uint16_t flags, int ifindex,
		   const struct rtnl_addr *a)
{
	struct request rq;
	uint32_t nodad = IFA_F_NODAD;

	start(&rq, type, flags, sizeof(rq.u.addr));
	rq.u.addr.ifa_family = (unsigned char)a->family;
	rq.u.addr.ifa_prefixlen = (unsigned char)a->prefix;
	rq.u.addr.ifa_index = (unsigned int)ifindex;
	attr(&rq, IFA_LOCAL, a->bytes, size_of(a));
	attr(&rq, IFA_ADDRESS, a->bytes, size_of(a));
	if (a->family == AF_INET6)
		attr(&rq, IFA_FLAGS, &nodad, sizeof(nodad));
	if (a->family == AF_INET && a->prefix < 31) {
		unsigned char all[4];

		for (unsigned int i = 0; i < 4; i++) {
			unsigned int host =
				a->prefix <= 8 * i ? 0xff
				: a->prefix >= 8 * i + 8
					? 0
					: 0xffU >> (a->prefix - 8 * i);

			all[i] = (unsigned char)(a->bytes[i] | host);
		}
		attr(&rq, IFA_BROADCAST, all, sizeof(all));
	}
	return ask(fd, &rq);
}

int rtnl_addr_add(int fd, int ifindex, const struct rtnl_addr *a, struct err *e)
{
	return done(address(fd, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE,
			    ifindex, a),
		    "address", e);
}

int rtnl_addr_del(int fd, int ifindex, const struct rtnl_addr *a, struct err *e)
{
	int sys = address(fd, RTM_DELADDR, 0, ifindex, a);

	return done(sys == EADDRNOTAVAIL ? 0 : sys, "address", e);
}

/* The kernel refuses a net with bits behind its prefix; servers send them. */
static struct rtnl_addr net_of(const struct rtnl_addr *a)
{
	struct rtnl_addr net = *a;

	for (unsigned int bit = a->prefix; bit < 8 * size_of(a); bit++)
		net.bytes[bit / 8] &= (unsigned char)~(0x80 >> bit % 8);
	return net;
}

int rtnl_route(int fd, int ifindex, const struct rtnl_addr *to,
	       const struct rtnl_addr *gateway, uint32_t metric, struct err *e)
{
	static const unsigned char none[4];
	bool direct = gateway->family == AF_INET &&
		      !memcmp(gateway->bytes, none, sizeof(none));
	struct request rq;

	start(&rq, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE,
	      sizeof(rq.u.route));
	rq.u.route.rtm_family = (unsigned char)gateway->family;
	rq.u.route.rtm_table = RT_TABLE_MAIN;
	rq.u.route.rtm_protocol = RTPROT_BOOT;
	rq.u.route.rtm_scope = direct ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
	rq.u.route.rtm_type = RTN_UNICAST;
	/* gateways outside the prefix exist (/32 leases of hosting networks) */
	rq.u.route.rtm_flags = direct ? 0 : RTNH_F_ONLINK;
	if (!direct)
		attr(&rq, RTA_GATEWAY, gateway->bytes, size_of(gateway));
	if (to && to->prefix) {
		struct rtnl_addr net = net_of(to);

		rq.u.route.rtm_dst_len = (unsigned char)net.prefix;
		attr(&rq, RTA_DST, net.bytes, size_of(&net));
	}
	attr(&rq, RTA_OIF, &ifindex, sizeof(ifindex));
	attr(&rq, RTA_PRIORITY, &metric, sizeof(metric));
	return done(ask(fd, &rq), "route", e);
}
