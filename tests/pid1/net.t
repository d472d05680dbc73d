#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The box's network against real peers in a namespace of their own: a DHCP
# server behind a veth pair, a VLAN, a static address. No controller answers,
# so the box stays in "hello" and can be looked at.

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/ns.sh"

for tool in ip dnsmasq nsenter; do
	command -v $tool >/dev/null || skip_all "needs $tool"
done

lab_on

# cable NAME MAC: NAME in the box, with that MAC; NAME-far in the lab, down.
cable() {
	in_lab ip link add "$1-far" type veth peer name "$1" address "$2"
	in_lab ip link set "$1" netns "$(ns_init_pid)"
}

# box_net KEY...: boots a box with these net keys. It has no NIC yet.
box_net() {
	ns_root
	ns_host 'controller = "192.0.2.1:22";' "net: { $* };" \
		'ship_deadline = "600s";'
	ns_boot "$T/console" "${NS_WORDS[@]}" "${EXTRA[@]}"
	wait_for 10 grep -q 'agent' "$T/console" || bail "$(cat "$T/console")"
	wait_for 10 ns_init_pid
}
EXTRA=()
console_says() {
	grep -qE "$1" "$T/console"
}
box_off() {
	stop "$BG_PID"
}

# ---- static -------------------------------------------------------------------

box_net 'address = "198.51.100.7/24"; gateway = "198.51.100.1";' \
	'dns = ["198.51.100.3"]; mtu = 1400; timeout = "60s";'
cable mgmt 52:54:00:00:00:01
ok "the link is waited for" wait_for 5 ns_in busybox ip link show mgmt
sleep 0.3
unlike "$(cat "$T/console")" 'network: mgmt' "nothing before there is one"
in_lab ip link set mgmt-far up
ok "static: up" wait_for 20 console_says 'network: mgmt 198.51.100.7/24'
like "$(ns_in busybox ip addr show mgmt)" 'inet 198.51.100.7/24 brd 198.51.100.255' \
	"its address"
like "$(ns_in busybox ip addr show mgmt)" 'mtu 1400' "its MTU"
like "$(ns_in busybox ip route)" 'default via 198.51.100.1 dev mgmt' "its gateway"
is "$(cat "$ROOT/etc/resolv.conf")" "nameserver 198.51.100.3" "its name server"
like "$(ns_in busybox ip addr show lo)" 'inet 127.0.0.1/8' "lo is up"
like "$(cat "$T/console")" 'box nsbox: ' "the box is named on its console"
is "$(ns_in busybox hostname)" nsbox "host name"
box_off

# ---- which NIC ----------------------------------------------------------------

EXTRA=(BOOTIF=01-52-54-00-00-00-02)
box_net 'address = "198.51.100.7/24"; timeout = "60s";'
cable one 52:54:00:00:00:01
cable two 52:54:00:00:00:02
in_lab ip link set one-far up
in_lab ip link set two-far up
ok "the NIC that iPXE booted from" wait_for 20 console_says 'network: two '
box_off
EXTRA=()

box_net 'address = "198.51.100.7/24"; timeout = "60s";'
cable one 52:54:00:00:00:01
cable two 52:54:00:00:00:02
in_lab ip link set two-far up
ok "without a hint the one with a link" wait_for 20 console_says 'network: two '
unlike "$(ns_in busybox ip link show one)" '[<,]UP[,>]' "the other is down again"
box_off

# ---- VLAN ---------------------------------------------------------------------

box_net 'mac = "52:54:00:00:00:02"; vlan = 42;' \
	'address = "198.51.100.7/24"; timeout = "60s";'
cable one 52:54:00:00:00:01
cable two 52:54:00:00:00:02
in_lab ip link set two-far up
if in_lab ip link add link two-far name far42 type vlan id 42 2>/dev/null; then
	in_lab ip link set far42 up
	in_lab ip addr add 198.51.100.1/24 dev far42
	ok "VLAN: up" wait_for 20 console_says 'network: two.42 198.51.100.7/24'
	ok "tagged packets pass" in_lab busybox ping -c1 -W5 198.51.100.7
else
	ok "no VLANs in this kernel: it is said" \
		wait_for 20 console_says 'two.42: VLAN: '
fi
box_off

# ---- DHCP ---------------------------------------------------------------------

lab_bridge
dhcp_server() {
	bg "$T/dnsmasq" nsenter --target "$LAB" --net -- dnsmasq -k -C /dev/null \
		--port=0 --interface=lab0 --bind-interfaces \
		--dhcp-range=198.51.100.50,198.51.100.60,2m \
		--dhcp-option=3,198.51.100.1 \
		--dhcp-option=6,198.51.100.3,198.51.100.4 \
		--dhcp-option=26,1450 --domain=lab.example "$@" \
		--dhcp-leasefile="$T/leases" --user=root --log-dhcp
	DHCP=$BG_PID
}

# A real spanning tree: a port that comes up listens and learns for 15 s each
# and lets nothing pass meanwhile.
in_lab ip link set lab0 type bridge stp_state 1
box_net 'timeout = "90s";'
BOX=$BG_PID
dhcp_server
BG_PID=$BOX
cable mgmt 52:54:00:00:00:01
in_lab ip link set mgmt-far master lab0 up
port_is() {
	[ "$(in_lab bridge -d link show dev mgmt-far |
		sed -n 's/.* state \([a-z]*\).*/\1/p')" = "$1" ]
}
ok "the switch holds the port back" wait_for 10 port_is listening
ok "DHCP: retried until it answers" \
	wait_for 90 console_says 'network: mgmt 198.51.100.5[0-9]/24'
in_lab ip link set lab0 type bridge stp_state 0
out=$(ns_in busybox ip addr show mgmt)
like "$out" 'inet 198.51.100.5[0-9]/24' "its address"
like "$out" 'mtu 1450' "its MTU"
like "$(ns_in busybox ip route)" 'default via 198.51.100.1 dev mgmt' "its router"
is "$(cat "$ROOT/etc/resolv.conf")" "search lab.example
nameserver 198.51.100.3
nameserver 198.51.100.4" "its name servers"
ok "the server was told the host name" grep -q nsbox "$T/leases"
ok "the box reaches it" in_lab busybox ping -c1 -W5 \
	"$(sed -n 's/.*network: mgmt \([0-9.]*\).*/\1/p' "$T/console")"
box_off

# ---- workload NICs ------------------------------------------------------------

box_net 'nic = "mgmt"; timeout = "60s";' \
	'workload = ( { nic = "w1"; address = "203.0.113.7/24"; mtu = 1300; },' \
	'{ mac = "52:54:00:00:00:09"; } );'
BOX=$BG_PID
cable mgmt 52:54:00:00:00:01
cable w1 52:54:00:00:00:08
cable w2 52:54:00:00:00:09
stop "$DHCP"
dhcp_server --dhcp-option=121,192.0.2.0/24,198.51.100.2,0.0.0.0/0,198.51.100.9
BG_PID=$BOX
for nic in mgmt w2; do
	in_lab ip link set $nic-far master lab0 up
done
in_lab ip link set w1-far up
ok "workload NICs come up, too" wait_for 40 console_says 'network: mgmt 198'
like "$(ns_in busybox ip addr show w1)" 'mtu 1300.*inet 203.0.113.7/24' "static"
like "$(ns_in busybox ip addr show w2)" 'inet 198.51.100.5[0-9]/24' "by DHCP"
like "$(ns_in busybox ip route | grep default)" '^default via 198.51.100.9 dev mgmt' \
	"the management NIC's route comes first"
like "$(ns_in busybox ip route)" '192.0.2.0/24 via 198.51.100.2 dev mgmt' \
	"static routes of the lease (RFC 3442)"
unlike "$(ns_in busybox ip route)" 'via 198.51.100.1 ' "in place of its router"
box_off
stop "$DHCP"
stop "$LAB"
done_testing
