#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A management NIC on a VLAN, with the driver of the real kernel: the module is
# found through the kernel's own request, and what leaves the box is tagged.
# The box has one CPU, which has no RDRAND.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/lib-boot.sh"

boot_home
enroll_box vm1 </dev/null
sed -i 's|^net = .*|net = { mac = "'"$(mac vm1)"'"; vlan = 42; address = "192.0.2.7/24"; gateway = "192.0.2.1"; };|' \
	"$IRONRIG_HOME/conf/hosts/vm1.cfg"
ok "a box on VLAN 42" ironrig enroll vm1
box_members vm1 | xargs cat >"$T/initrd"

# tagged PROTOCOL: a frame with tag 42 that holds it, in what has left the box.
tagged() {
	od -An -v -tx1 "$T/frames" | tr -d ' \n' | grep -q "8100002a$1"
}

BOX_NET=(-netdev "user,id=n0,restrict=on"
	-object "filter-dump,id=dump,netdev=n0,file=$T/frames,queue=rx")
CPUS=1 start_direct vm1 "$T/initrd" "" -cpu max,rdrand=off,rdseed=off
ok_console 90 vm1 'network: eth0.42 192.0.2.7/24' "it is up"
ok_console 90 vm1 'ready, ' "the box is ready"
ok "it asks for its gateway there" wait_for 60 tagged 0806
stop_box
done_testing
