// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Brings the management NIC up, from waiting for its driver to its address,
 * and after it the workload NICs. Choosing is nic.c's, netlink rtnl.c's, DHCP
 * dhcp.c's.
 */
#include "net.h"
#include "dhcp.h"
#include "io.h"
#include "kmsg.h"
#include "nic.h"
#include "rtnl.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_US	    20000 /* carrier and lease: noticed within one */
#define AGAIN_TICKS 50 /* another look for drivers: once a second */
#define METRIC	    100

struct task {
	struct net *net;
	int root;
	const struct conf_host *host;
	void (*again)(void *arg);
	void *arg;
	int64_t until_ns;
};

static bool late(const struct task *t)
{
	return io_monotonic_ns() >= t->until_ns;
}

/* While nothing else tells them apart, links show only on NICs that are up. */
static void raise_all(struct task *t, const struct nic *v, size_t n, bool up,
		      const struct nic *but)
{
	for (size_t i = 0; i < n; i++)
		if (&v[i] != but &&
		    rtnl_link(t->net->rtnl, v[i].ifindex, up, 0, NULL))
			continue; /* one that cannot has no link either */
}

static int find(struct task *t, const struct nic_want *w, struct nic *nic,
		struct err *e)
{
	bool any = !w->nic && !w->mac && !w->bootif[0];
	struct nic v[NIC_MAX];
	size_t n;

	for (unsigned int tick = 0;; tick++) {
		const struct nic *found;

		if (nic_list(t->root, v, &n, e))
			return -1;
		found = nic_choose(v, n, w, e);
		if (found) {
			*nic = *found;
			if (any)
				raise_all(t, v, n, false, found);
			return 0;
		}
		if (late(t))
			return -1;
		if (any)
			raise_all(t, v, n, true, NULL);
		if (t->again && tick % AGAIN_TICKS == AGAIN_TICKS - 1)
			t->again(t->arg);
		usleep(TICK_US);
	}
}

static int wait_link(struct task *t, const char *name, struct err *e)
{
	char path[64], text[8];

	snprintf(path, sizeof(path), "sys/class/net/%s/carrier", name);
	while (io_read_line(t->root, path, text, sizeof(text), NULL) ||
	       strcmp(text, "1") != 0) {
		if (late(t))
			return err_set(e, ERR_TIMEOUT, "%s: no link", name);
		usleep(TICK_US);
	}
	return 0;
}

/* Replaces *nic by its VLAN "NAME.ID", cut to what fits a name. */
static int on_vlan(struct task *t, struct nic *nic, int vlan, struct err *e)
{
	int rtnl = t->net->rtnl;
	char name[IF_NAMESIZE];

	snprintf(name, sizeof(name), "%.9s.%d", nic->name, vlan);
	if (rtnl_vlan(rtnl, nic->ifindex, name, vlan, e))
		return err_prefix(e, "%s", name);
	snprintf(nic->name, sizeof(nic->name), "%s", name);
	nic->ifindex = (int)if_nametoindex(name);
	if (!nic->ifindex)
		return err_sys(e, "%s", name);
	return rtnl_link(rtnl, nic->ifindex, true, 0, e);
}

static int with_dhcp(struct task *t, const char *name, bool management,
		     char address[64], struct err *e)
{
	struct net *net = t->net;

	if (net->nclient == NET_CLIENTS)
		return err_set(e, ERR_LIMIT, "%s: too many DHCP clients", name);
	if (dhcp_start(name, t->host->box, management,
		       &net->client[net->nclient], e))
		return -1;
	net->nclient++;
	while (!dhcp_bound(name, address)) {
		if (late(t))
			return err_set(e, ERR_TIMEOUT, "%s: no DHCP answer",
				       name);
		usleep(TICK_US);
	}
	return 0;
}

static int with_static(struct task *t, const struct nic *nic,
		       const char *address, const char *gateway, struct err *e)
{
	int rtnl = t->net->rtnl;
	struct rtnl_addr a;

	if (rtnl_parse(address, &a, e) ||
	    rtnl_addr_add(rtnl, nic->ifindex, &a, e))
		return -1;
	if (gateway && (rtnl_parse(gateway, &a, e) ||
			rtnl_route(rtnl, nic->ifindex, NULL, &a, METRIC, e)))
		return -1;
	return 0;
}

static int management(struct task *t, const char *bootif, struct err *e)
{
	const struct conf_host *h = t->host;
	struct nic_want want = { .nic = h->net.nic, .mac = h->net.mac };
	struct net *net = t->net;
	struct nic nic;

	nic_bootif(bootif, want.bootif);
	if (find(t, &want, &nic, e))
		return -1;
	if (rtnl_link(net->rtnl, nic.ifindex, true, h->net.mtu, e))
		return err_prefix(e, "%s", nic.name);
	snprintf(net->management, sizeof(net->management), "%s", nic.name);
	if (wait_link(t, nic.name, e))
		return -1;
	if (h->net.vlan && on_vlan(t, &nic, h->net.vlan, e))
		return -1;
	snprintf(net->management, sizeof(net->management), "%s", nic.name);
	if (!h->net.address)
		return with_dhcp(t, nic.name, true, net->address, e);
	snprintf(net->address, sizeof(net->address), "%s", h->net.address);
	if (with_static(t, &nic, h->net.address, h->net.gateway, e))
		return err_prefix(e, "%s", nic.name);
	return h->net.dns.n ? dhcp_resolv(&h->net.dns, "", e) : 0;
}

static int workload(struct task *t, const struct conf_nic *w, struct err *e)
{
	struct nic_want want = { .nic = w->nic, .mac = w->mac };
	struct nic nic;
	char address[64];

	if (find(t, &want, &nic, e))
		return -1;
	if (rtnl_link(t->net->rtnl, nic.ifindex, true, w->mtu, e))
		return err_prefix(e, "%s", nic.name);
	if (wait_link(t, nic.name, e))
		return -1;
	if (!w->address)
		return with_dhcp(t, nic.name, false, address, e);
	return with_static(t, &nic, w->address, NULL, e);
}

int net_up(struct net *net, int root, const struct conf_host *h,
	   const char *bootif, void (*again)(void *arg), void *arg,
	   struct err *e)
{
	int patience = h->net.timeout_s > NET_PATIENCE_S ? h->net.timeout_s
							 : NET_PATIENCE_S;
	struct task t = {
		.net = net,
		.root = root,
		.host = h,
		.again = again,
		.arg = arg,
		.until_ns = io_monotonic_ns() + patience * 1000000000LL,
	};

	if (net->rtnl < 0)
		net->rtnl = rtnl_open(e);
	if (net->rtnl < 0 || management(&t, bootif, e))
		return -1;
	for (size_t i = 0; i < h->net.nworkload; i++) {
		struct err why = ERR_INIT;

		if (workload(&t, &h->net.workload[i], &why))
			kmsg_say("workload NIC: %s", why.msg);
	}
	return 0;
}

bool net_lost(const struct net *net)
{
	struct ifaddrs *all;
	bool lost = true;

	if (getifaddrs(&all) < 0)
		return false; /* out of memory says nothing about it */
	for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
		const struct sockaddr_in6 *six = (const void *)a->ifa_addr;

		if (strcmp(a->ifa_name, net->management) != 0 ||
		    !(a->ifa_flags & IFF_UP) || !a->ifa_addr)
			continue;
		if (a->ifa_addr->sa_family == AF_INET ||
		    (a->ifa_addr->sa_family == AF_INET6 &&
		     !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr)))
			lost = false;
	}
	freeifaddrs(all);
	return lost;
}

void net_down(struct net *net, int root)
{
	struct nic v[NIC_MAX];
	size_t n = 0;

	for (size_t i = 0; i < net->nclient; i++) {
		/* before SIGKILL nothing: its lease stays valid for this MAC */
		kill(net->client[i], SIGKILL);
		waitpid(net->client[i], NULL, 0);
	}
	net->nclient = 0;
	if (net->rtnl >= 0 && !nic_list(root, v, &n, NULL))
		/* last first: VLANs before what carries them */
		while (n-- > 0)
			if (rtnl_link(net->rtnl, v[n].ifindex, false, 0, NULL))
				continue; /* it stays up; kexec may go well */
	io_close(&net->rtnl);
}
