// SPDX-License-Identifier: GPL-3.0-or-later
#include "nic.h"
#include "dhcp.h"
#include "rtnl.h"
#include "scratch.h"
#include "tap.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct nic two[] = {
	{ 2, true, false, "eno1", "aa:bb:cc:00:00:01" },
	{ 3, true, true, "eno2", "aa:bb:cc:00:00:02" },
	{ 9, false, true, "eno2.7", "aa:bb:cc:00:00:02" },
};

static const char *chosen(const struct nic *v, size_t n,
			  const struct nic_want *w)
{
	static struct err e;
	const struct nic *found = nic_choose(v, n, w, &e);

	return found ? found->name : e.msg;
}

static void choose(void)
{
	struct nic_want w = { 0 };

	is_str(chosen(two, 3, &w), "eno2", "no hint: the one with a link");
	is_str(chosen(two, 1, &w),
	       "no NIC with a link; there is: eno1 aa:bb:cc:00:00:01",
	       "not the only one, before its link: others may come");
	is_str(chosen(two + 2, 1, &w), "eno2.7", "without hardware: others");
	is_str(chosen(two, 0, &w),
	       "no NIC with a link; there is: none (is its driver in the "
	       "image?)",
	       "none at all");
	strcpy(w.bootif, "aa:bb:cc:00:00:01");
	is_str(chosen(two, 3, &w), "eno1", "BOOTIF");
	w.mac = "AA:BB:CC:00:00:02";
	is_str(chosen(two, 3, &w), "eno1", "BOOTIF before the host's MAC");
	strcpy(w.bootif, "aa:bb:cc:00:00:09");
	is_str(chosen(two, 3, &w), "eno2",
	       "a BOOTIF that nothing has; hardware before VLAN");
	w.bootif[0] = '\0';
	w.mac = "aa:bb:cc:00:00:09";
	is_str(chosen(two, 2, &w),
	       "no NIC aa:bb:cc:00:00:09; there is: eno1 aa:bb:cc:00:00:01, "
	       "eno2 aa:bb:cc:00:00:02 (link)",
	       "without it: waits, and says what there is");
	w.nic = "eno2";
	is_str(chosen(two, 3, &w), "eno2", "name wins");
	w.nic = "eth0";
	strcpy(w.bootif, "aa:bb:cc:00:00:01");
	ok(strstr(chosen(two, 3, &w), "no NIC eth0;"), "and is waited for");
}

static void bootif(void)
{
	char mac[18];

	ok(nic_bootif("01-AA-bb-cc-dd-ee-0f", mac), "iPXE's form");
	is_str(mac, "aa:bb:cc:dd:ee:0f", "as sysfs writes it");
	ok(!nic_bootif(NULL, mac) && !*mac, "none");
	ok(!nic_bootif("20-aa-bb-cc-dd-ee-0f", mac), "not Ethernet");
	ok(!nic_bootif("01-aa-bb-cc-dd-ee", mac), "short");
	ok(!nic_bootif("01-aa-bb-cc-dd-eg-0f", mac) && !*mac, "not hex");
}

static void card(const char *nic, const char *file, const char *content)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/class/net/%s/%s", nic, file);
	put(path, content);
}

static void list(void)
{
	struct nic v[NIC_MAX];
	struct err e = ERR_INIT;
	size_t n = 9;
	int root = scratch_open();

	ok(nic_list(root, v, &n, &e) && !n, "no sysfs");
	card("lo", "type", "772\n");
	card("lo", "ifindex", "1\n");
	card("lo", "address", "00:00:00:00:00:00\n");
	card("ib0", "type", "32\n");
	card("eth9", "type", "1\n"); /* leaving: no ifindex any more */
	card("ens4", "type", "1\n");
	card("ens4", "ifindex", "12\n");
	card("ens4", "address", "52:54:00:00:00:02\n");
	card("ens3", "type", "1\n");
	card("ens3", "ifindex", "3\n");
	card("ens3", "address", "52:54:00:00:00:01\n");
	card("ens3", "carrier", "1\n");
	card("ens3", "device", "");
	ok(!nic_list(root, v, &n, &e), "listed");
	is_int(n, 2, "Ethernet only");
	is_str(v[0].name, "ens3", "by number, not by name");
	ok(v[0].device && v[0].carrier, "hardware, link");
	ok(!v[1].device && !v[1].carrier, "none, down");
	is_str(v[1].mac, "52:54:00:00:00:02", "MAC");
}

static void addresses(void)
{
	struct rtnl_addr a;
	struct err e = ERR_INIT;

	ok(!rtnl_parse("192.0.2.7/24", &a, &e), "IPv4");
	ok(a.family == AF_INET && a.prefix == 24 && a.bytes[3] == 7, "read");
	ok(!rtnl_parse("192.0.2.7", &a, &e) && a.prefix == 32, "a host");
	ok(!rtnl_parse("2001:db8::7/64", &a, &e) && a.family == AF_INET6 &&
		   a.prefix == 64 && a.bytes[15] == 7,
	   "IPv6");
	ok(rtnl_parse("192.0.2.7/33", &a, &e), "prefix too long");
	ok(rtnl_parse("192.0.2/24", &a, &e), "three bytes");
	ok(rtnl_parse("192.0.2.7/", &a, &e), "empty prefix");
	ok(rtnl_parse("", &a, &e), "nothing");
}

static const char *const *environment;

static char *get(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; environment[i]; i++)
		if (!strncmp(environment[i], name, len) &&
		    environment[i][len] == '=')
			return (char *)(uintptr_t)environment[i] + len + 1;
	return NULL;
}

/* What udhcpc 1.35 gives its script, and poorer servers. */
static void leases(void)
{
	static const char *const full[] = { "interface=ens3",
					    "ip=10.0.2.15",
					    "subnet=255.255.255.0",
					    "mask=24",
					    "router=10.0.2.2 10.0.2.3",
					    "dns=10.0.2.3 10.0.2.4",
					    "domain=lab.example",
					    "mtu=9000",
					    NULL };
	static const char *const poor[] = { "interface=ens3", "ip=172.16.0.9",
					    "mtu=60", NULL };
	static const char *const bad[] = { "interface=ens3", "ip=10.0.0.9",
					   "mask=24", "router=gw", NULL };
	static const char *const classless[] = {
		"interface=ens3", "ip=10.0.0.9", "router=10.0.0.1",
		"staticroutes=192.0.2.0/24 10.0.0.2 0.0.0.0/0 10.0.0.3", NULL
	};
	static const char *const half[] = { "interface=ens3", "ip=10.0.0.9",
					    "staticroutes=192.0.2.0/24", NULL };
	static const char *const none[] = { "interface=ens3", NULL };
	static const char *const longer[] = { "interface=abcdefghijklmnopq",
					      "ip=10.0.0.9", NULL };
	struct dhcp_lease l;
	struct err e = ERR_INIT;

	environment = full;
	ok(!dhcp_parse(get, &l, &e), "a full lease");
	ok(l.address.prefix == 24 && l.address.bytes[3] == 15, "address");
	ok(l.router.family == AF_INET && l.router.bytes[3] == 2,
	   "the first router");
	is_int(l.dns.n, 2, "name servers");
	is_int(l.mtu, 9000, "MTU");
	is_str(l.domain, "lab.example", "domain");
	dhcp_free(&l);
	environment = poor;
	ok(!dhcp_parse(get, &l, &e), "a poor lease");
	is_int(l.address.prefix, 16, "prefix by class");
	ok(!l.router.family && !l.dns.n && !l.mtu, "nothing else");
	environment = bad;
	ok(dhcp_parse(get, &l, &e) && strstr(e.msg, "router"), "bad router");
	environment = classless;
	ok(!dhcp_parse(get, &l, &e) && l.nroute == 2, "static routes");
	ok(l.route[0].to.prefix == 24 && l.route[0].gateway.bytes[3] == 2,
	   "the first");
	ok(!l.route[1].to.prefix && l.route[1].gateway.bytes[3] == 3,
	   "a default route among them");
	ok(!l.router.family, "in place of the router");
	dhcp_free(&l);
	environment = half;
	ok(dhcp_parse(get, &l, &e) && strstr(e.msg, "no gateway"), "half a route");
	environment = none;
	ok(dhcp_parse(get, &l, &e) && strstr(e.msg, "no ip"), "no address");
	environment = longer;
	ok(dhcp_parse(get, &l, &e), "no interface's name");
}

int main(void)
{
	choose();
	bootif();
	list();
	addresses();
	leases();
	return scratch_end();
}
