#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A lab in a network namespace: a bridge, dnsmasq as the shipped examples
# configure it, the controller's sshd, and a box on a tap. It boots as a BIOS
# and as a UEFI client, and with dnsmasq beside another DHCP server.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/lib-boot.sh"

[ "$(id -u)" = 0 ] || skip_all "needs root (a network namespace)"
command -v dnsmasq >/dev/null || skip_all "no dnsmasq"
[ -c /dev/net/tun ] || skip_all "no /dev/net/tun"
OVMF=/usr/share/OVMF
[ -f $OVMF/OVMF_CODE_4M.fd ] || skip_all "no OVMF"
ipxe=$(deb ipxe) || skip_all "no package ipxe"

BOX_SECONDS=400
NS=irt$$ OTHER=irt$$b
ip netns add $NS || skip_all "no network namespaces"
ip netns add $OTHER || bail "second namespace"
netns_cleanup() {
	lib_cleanup
	ip netns del "$NS"
	ip netns del "$OTHER"
}
trap netns_cleanup EXIT
in_ns() {
	ip netns exec $NS "$@"
}

# The lab's network; OTHER is where a DHCP server stands that was there before.
{
	in_ns ip link set lo up &&
		in_ns ip link add br0 type bridge &&
		in_ns ip addr add 192.0.2.1/24 dev br0 &&
		in_ns ip tuntap add tap0 mode tap &&
		in_ns ip link set tap0 master br0 &&
		in_ns ip link add veth0 type veth peer name veth1 netns $OTHER &&
		in_ns ip link set veth0 master br0 &&
		in_ns ip link set veth0 up &&
		in_ns ip link set tap0 up &&
		in_ns ip link set br0 up &&
		ip -n $OTHER addr add 192.0.2.2/24 dev veth1 &&
		ip -n $OTHER link set veth1 up
} >"$T/net.log" 2>&1 || skip_all "no bridge: $(cat "$T/net.log")"

CONTROLLER=192.0.2.1:2222
# dnsmasq reads as a user of its own, through its group alone
GROUP=nogroup
chmod 711 "$T"
CONTROLLER_CFG="boot_group = \"$GROUP\";" boot_home
dpkg-deb -x "$ipxe" "$T/ipxe"
install -m 640 -g $GROUP "$T"/ipxe/usr/lib/ipxe/{undionly.kpxe,snponly.efi} \
	"$IRONRIG_HOME/boot/"
enroll_box vm1 </dev/null
# (not through in_ns: stopping a function would leave what it started)
bg "$T/serve.log" ip netns exec "$NS" "$BIN/ironrig" serve --address 192.0.2.1 --port 2222
wait_for 20 grep -q '^listening' "$T/serve.log" ||
	bail "serve: $(cat "$T/serve.log")"

# dhcp EXAMPLE: dnsmasq as it says, but for interface, folder and group.
dhcp() {
	sed -e 's/^interface=.*/interface=br0/' \
		-e "s|^tftp-root=.*|tftp-root=$IRONRIG_HOME/boot|" \
		-e "s|^group=.*|group=$GROUP|" \
		"$TOP/conf/pxe/$1" >"$T/$1"
	bg "$T/$1.log" ip netns exec "$NS" dnsmasq -k -C "$T/$1" --user=nobody \
		--log-dhcp --log-facility=- --pid-file= \
		--dhcp-leasefile="$T/$1.leases"
	DHCP_PID=$BG_PID
	DHCP_LOG=$T/$1.log
	wait_for 10 grep -q 'TFTP root' "$DHCP_LOG" ||
		bail "dnsmasq: $(cat "$DHCP_LOG")"
}

# runs NAME DESCRIPTION [QEMU-ARGUMENT...]: boots, runs one job, ships.
have=0
runs() {
	queue_runs "$1" vm1 lock1-short 1
	have=$((have + 1))
	start_box vm1 "${@:3}"
	ok_console 240 vm1 'ironrig: box vm1: ready|No bootable|Access Denied' \
		"$2: it boots"
	ok "$2: a result arrives" wait_for 100 has_results vm1 $have ||
		diag "$(tail -n 5 "$(console vm1)")"
	stop_box
}

BOX_EXEC=(ip netns exec "$NS")
BOX_NET=(-netdev "tap,id=n0,ifname=tap0,script=no,downscript=no")
export BOX_EXEC BOX_NET

is "$(stat -c '%a %G' "$IRONRIG_HOME/boot/kernels/v6.1/vmlinuz")" \
	"640 $GROUP" "the boot folder's files are for that group"
dhcp dnsmasq-dhcp.conf
runs bios "BIOS, iPXE in the card's ROM"
nok "iPXE itself is not handed iPXE again" grep -q undionly "$DHCP_LOG"

# No option ROM: the firmware's own PXE, which gets iPXE first.
cp $OVMF/OVMF_VARS_4M.fd "$T/vars"
MEMORY=1024 NIC_OPTION=,romfile= runs uefi "UEFI" \
	-drive "if=pflash,format=raw,readonly=on,file=$OVMF/OVMF_CODE_4M.fd" \
	-drive "if=pflash,format=raw,file=$T/vars"
ok "the firmware was sent iPXE" grep -q 'sent .*snponly.efi' "$DHCP_LOG"
ok "which was sent the script" grep -q 'sent .*boot.ipxe' "$DHCP_LOG"
for f in $(results vm1); do
	like "$(result_file "$f" result.cfg)" 'outcome = "ok"' \
		"result ${f##*vm1.}: ok"
done
stop "$DHCP_PID"

# Addresses from the other server, what to boot from ours.
dhcp dnsmasq-proxy.conf
bg "$T/other.log" ip netns exec "$OTHER" dnsmasq -k -C /dev/null --port=0 \
	--interface=veth1 --bind-interfaces --user=root --pid-file= \
	--dhcp-range=192.0.2.150,192.0.2.160 --dhcp-leasefile="$T/other.leases" \
	--log-dhcp --log-facility=-
runs proxy "proxy-DHCP"
ok "the address is the other server's" grep -q 'DHCPACK.*192.0.2.1[56]' \
	"$T/other.log"
nok "ours gave none" grep -q 'DHCPACK.*192.0.2.1[0-9][0-9]' "$DHCP_LOG"

done_testing
