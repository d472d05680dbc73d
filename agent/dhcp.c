// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Starts udhcpc, and is the script that udhcpc calls: applies address, route,
 * MTU and name servers of a lease. Choosing the interface, its link and how
 * long to wait stand in net.c.
 */
#include "dhcp.h"
#include "applet.h"
#include "io.h"
#include "kmsg.h"
#include "num.h"
#include "tool.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCRIPT	    "/run/ironrig/udhcpc-script" /* a link to the agent */
#define ROLE	    "IRONRIG_DHCP"
#define METRIC_MGMT 100 /* before any workload NIC's */
#define METRIC_WORK 200

static void note_path(const char *ifname, char out[64])
{
	snprintf(out, 64, "/run/ironrig/dhcp.%.*s", IF_NAMESIZE, ifname);
}

/* Words of a variable, IP addresses all; up to max into l->dns. */
static int words(const char *text, struct strlist *l, size_t max, struct err *e)
{
	char copy[1024], *save = NULL;
	struct rtnl_addr a;

	snprintf(copy, sizeof(copy), "%s", text ? text : "");
	for (char *w = strtok_r(copy, " ", &save); w && l->n < max;
	     w = strtok_r(NULL, " ", &save))
		if (rtnl_parse(w, &a, e) || strlist_add(l, w, e))
			return -1;
	return 0;
}

/* "NET/PREFIX GATEWAY ...", as udhcpc prints option 121. */
static int routes(const char *text, struct dhcp_lease *l, struct err *e)
{
	char copy[1024], *save = NULL, *to, *gateway;

	snprintf(copy, sizeof(copy), "%s", text);
	for (to = strtok_r(copy, " ", &save); to && l->nroute < DHCP_ROUTES_MAX;
	     to = strtok_r(NULL, " ", &save), l->nroute++) {
		gateway = strtok_r(NULL, " ", &save);
		if (!gateway)
			return err_set(e, ERR_FORMAT, "\"%.64s\" has no gateway",
				       to);
		if (rtnl_parse(to, &l->route[l->nroute].to, e) ||
		    rtnl_parse(gateway, &l->route[l->nroute].gateway, e))
			return -1;
	}
	return 0;
}

/* A name, or several for the search list; anything else is not used. */
static bool domain_ok(const char *s)
{
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr(".-_ ", *s))
			return false;
	return true;
}

static int missing(const char *name, struct err *e)
{
	return err_set(e, ERR_FORMAT, "udhcpc: no %s in the lease", name);
}

static int parse(char *(*get)(const char *), struct dhcp_lease *l,
		 struct err *e)
{
	const char *ifname = get("interface"), *ip = get("ip");
	const char *mask = get("mask"), *router = get("router");
	const char *mtu = get("mtu"), *domain = get("domain");
	const char *classless = get("staticroutes");
	uint64_t n;

	if (!ifname || !*ifname || strlen(ifname) >= sizeof(l->ifname) ||
	    strchr(ifname, '/'))
		return missing("interface", e);
	if (!ip)
		return missing("ip", e);
	snprintf(l->ifname, sizeof(l->ifname), "%s", ifname);
	if (rtnl_parse(ip, &l->address, e))
		return -1;
	if (l->address.family != AF_INET)
		return err_set(e, ERR_FORMAT, "\"%.64s\" is not IPv4", ip);
	/* "mask" is the prefix length; servers may leave it out: class */
	if (mask && num_u64(mask, 32, &n, e))
		return err_prefix(e, "mask");
	if (mask)
		l->address.prefix = (unsigned int)n;
	else
		l->address.prefix = l->address.bytes[0] < 128	? 8
				    : l->address.bytes[0] < 192 ? 16
								: 24;
	if (classless && *classless) {
		/* RFC 3442: with these, the router option does not count */
		if (routes(classless, l, e))
			return err_prefix(e, "static routes");
	} else if (router && *router) {
		char first[64];

		snprintf(first, sizeof(first), "%.*s",
			 (int)strcspn(router, " "), router);
		if (rtnl_parse(first, &l->router, e))
			return err_prefix(e, "router");
	}
	/* RFC 2132, 5.1: 68 at least */
	if (mtu && !num_u64(mtu, 65535, &n, NULL) && n >= 68)
		l->mtu = (int)n;
	if (domain && domain_ok(domain))
		snprintf(l->domain, sizeof(l->domain), "%s", domain);
	return words(get("dns"), &l->dns, DHCP_DNS_MAX, e);
}

int dhcp_parse(char *(*get)(const char *), struct dhcp_lease *l, struct err *e)
{
	memset(l, 0, sizeof(*l));
	if (!parse(get, l, e))
		return 0;
	dhcp_free(l);
	return -1;
}

void dhcp_free(struct dhcp_lease *l)
{
	strlist_free(&l->dns);
	memset(l, 0, sizeof(*l));
}

int dhcp_start(const char *ifname, const char *box, bool management, pid_t *pid,
	       struct err *e)
{
	char host[96], note[64], self[256];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *argv[] = {
		TOOL_BUSYBOX, "udhcpc", "-f", "-i", ifname, "-s", SCRIPT,
		/* 5 tries 2 s apart, then at once again: a port held by
		 * spanning tree for 30 s loses the first ones */
		"-t", "5", "-T", "2", "-A", "1", "-O", "mtu", "-O", "staticroutes", "-x", host, NULL
	};

	if (n < 0)
		return err_sys(e, "/proc/self/exe");
	self[n] = '\0';
	note_path(ifname, note);
	unlink(note);
	unlink(SCRIPT);
	if (symlink(self, SCRIPT) < 0 && errno != EEXIST)
		return err_sys(e, "%s", SCRIPT);
	snprintf(host, sizeof(host), "hostname:%s", box);
	if (setenv(ROLE, management ? "management" : "workload", 1) < 0)
		return err_sys(e, "setenv");
	return tool_start(argv, pid, e);
}

bool dhcp_bound(const char *ifname, char out[64])
{
	char note[64];

	note_path(ifname, note);
	return !io_read_line(AT_FDCWD, note, out, 64, NULL);
}

int dhcp_resolv(const struct strlist *dns, const char *domain, struct err *e)
{
	struct buf b = { 0 };
	int rc;

	if (*domain)
		buf_printf(&b, "search %s\n", domain);
	for (size_t i = 0; i < dns->n; i++)
		buf_printf(&b, "nameserver %s\n", dns->v[i]);
	rc = buf_ok(&b, e);
	if (!rc)
		rc = io_replace_file(AT_FDCWD, "/etc/resolv.conf", buf_str(&b),
				     b.len, 0644, e);
	buf_free(&b);
	return rc;
}

/* The address that the note names goes, unless it is the new one. */
static int forget(int fd, int ifindex, const char *ifname,
		  const struct rtnl_addr *now, struct err *e)
{
	struct rtnl_addr was;
	char text[64];

	if (!dhcp_bound(ifname, text) || rtnl_parse(text, &was, e))
		return 0;
	if (now && !memcmp(&was, now, sizeof(was)))
		return 0;
	return rtnl_addr_del(fd, ifindex, &was, e);
}

static int apply(const struct dhcp_lease *l, bool management, struct err *e)
{
	int ifindex = (int)if_nametoindex(l->ifname);
	char note[64], ip[INET_ADDRSTRLEN], text[64];
	uint32_t metric = management ? METRIC_MGMT : METRIC_WORK;
	int fd = rtnl_open(e);
	int rc;

	if (fd < 0)
		return -1;
	rc = forget(fd, ifindex, l->ifname, &l->address, e);
	if (!rc)
		rc = rtnl_link(fd, ifindex, true, l->mtu, e);
	if (!rc)
		rc = rtnl_addr_add(fd, ifindex, &l->address, e);
	if (!rc && l->router.family)
		rc = rtnl_route(fd, ifindex, NULL, &l->router, metric, e);
	for (size_t i = 0; !rc && i < l->nroute; i++)
		rc = rtnl_route(fd, ifindex, &l->route[i].to,
				&l->route[i].gateway, metric, e);
	close(fd);
	if (!rc && management && l->dns.n)
		rc = dhcp_resolv(&l->dns, l->domain, e);
	if (rc)
		return -1;
	inet_ntop(AF_INET, l->address.bytes, ip, sizeof(ip));
	snprintf(text, sizeof(text), "%s/%u\n", ip, l->address.prefix);
	note_path(l->ifname, note);
	return io_replace_file(AT_FDCWD, note, text, strlen(text), 0600, e);
}

/* At the start of a client, and when a lease ran out or was refused. */
static int deconfig(const char *ifname, struct err *e)
{
	int fd = rtnl_open(e);
	char note[64];
	int rc;

	if (fd < 0)
		return -1;
	rc = forget(fd, (int)if_nametoindex(ifname), ifname, NULL, e);
	close(fd);
	note_path(ifname, note);
	unlink(note);
	return rc;
}

int dhcp_main(int argc, char **argv)
{
	const char *event = argc > 1 ? argv[1] : "", *role = getenv(ROLE);
	const char *ifname = getenv("interface");
	struct err e = ERR_INIT;
	struct dhcp_lease l;
	int rc = 0;

	if (!ifname) {
		fputs("ironrig-agent: udhcpc-script is called by udhcpc\n",
		      stderr);
		return 2;
	}
	if (!strcmp(event, "deconfig")) {
		rc = deconfig(ifname, &e);
	} else if (!strcmp(event, "bound") || !strcmp(event, "renew")) {
		rc = dhcp_parse(getenv, &l, &e);
		if (!rc) {
			rc = apply(&l, role && !strcmp(role, "management"), &e);
			dhcp_free(&l);
		}
	}
	if (!rc)
		return 0;
	kmsg_console(open("/dev/console",
			  O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
	kmsg_say("%s: DHCP %s: %s", ifname, event, e.msg);
	return 1;
}
