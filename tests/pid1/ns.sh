# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# A box in namespaces: the real agent is PID 1 of a new PID, mount, network,
# UTS, IPC and cgroup namespace, in a root folder with busybox. reboot(2) there
# ends PID 1 by SIGHUP for a restart and SIGINT for halt and power-off
# (pid_namespaces(7)), which is how the last stage is seen. Sourced after
# lib.sh; needs root.

NS_REBOOTED=129 # 128 + SIGHUP
NS_HALTED=130	# 128 + SIGINT
export NS_REBOOTED NS_HALTED NS_STATUS NS_WORDS LAB

[ "$(id -u)" = 0 ] || skip_all "needs root"
unshare --pid --mount --net --uts --ipc --cgroup --fork true 2>/dev/null ||
	skip_all "needs namespaces"
NS_BUSYBOX=/bin/busybox
[ -x "$NS_BUSYBOX" ] || skip_all "needs busybox-static"

# ns_root: a fresh root folder $ROOT with whole members and a matching kernel.
ns_root() {
	ROOT=$(mktemp -d "$T/root.XXXXXX")
	mkdir -p "$ROOT"/{bin,dev,etc/ironrig/members,proc,run,sys,tmp,root}
	cp "$NS_BUSYBOX" "$ROOT/bin/busybox"
	cp "${NS_AGENT:-$BIN/ironrig-agent}" "$ROOT/bin/ironrig-agent"
	ln -s bin/ironrig-agent "$ROOT/init"
	for applet in sh cat echo sleep; do
		ln -s busybox "$ROOT/bin/$applet"
	done
	NS_KERNEL=test:$(printf %064d 1)
	printf '%s\n' "$NS_KERNEL" "$(uname -r)" "$(uname -v)" - \
		>"$ROOT/etc/ironrig/kernel"
	printf 'test key\n' >"$ROOT/etc/ironrig/key"
	printf '[192.0.2.1]:22 ssh-ed25519 AAAA\n' \
		>"$ROOT/etc/ironrig/known_hosts"
}

# ns_host LINE...: host.cfg of box nsbox; then the members are sealed.
ns_host() {
	printf '%s\n' 'box = "nsbox";' 'group = "test";' "$@" \
		>"$ROOT/etc/ironrig/host.cfg"
	ns_seal
}

# The manifest of everything; sets $NS_WORDS for the command line.
ns_seal() {
	(cd "$ROOT" && find bin etc/ironrig -type f ! -path '*/members/*' |
		LC_ALL=C sort | xargs sha256sum) >"$ROOT/etc/ironrig/members/base"
	NS_WORDS=(
		"ironrig.members=base:$(sha256sum "$ROOT/etc/ironrig/members/base" |
			cut -d' ' -f1)"
		"ironrig.kernel=$NS_KERNEL"
		ironrig.boot=firmware
	)
}

# ns_session NAME: the program from stdin, as $ROOT/bin/NAME.
ns_session() {
	{
		echo '#!/bin/sh'
		cat
	} >"$ROOT/bin/$1"
	chmod 755 "$ROOT/bin/$1"
}

# ns_boot LOG WORD...: starts the box; its console goes to LOG. $BG_PID is
# unshare's.
ns_boot() {
	local log=$1

	shift
	bg "$log" unshare --pid --mount --net --uts --ipc --cgroup --fork \
		--kill-child chroot "$ROOT" /init "$@"
}

# ns_end SECONDS: waits for the box's end; its status in $NS_STATUS.
ns_end() {
	if wait_for "$1" ended "$BG_PID"; then
		wait "$BG_PID"
		NS_STATUS=$?
	else
		NS_STATUS=running
	fi
}

# PID of the box's PID 1 out here.
ns_init_pid() {
	cut -d' ' -f1 "/proc/$BG_PID/task/$BG_PID/children"
}

# lab_on: the lab, a namespace with the far ends of the box's cables.
lab_on() {
	bg "$T/lab.log" unshare --net sleep 100000
	LAB=$BG_PID
	wait_for 10 lab_is_there || bail "no network namespace"
	in_lab ip link set lo up
}

in_lab() {
	nsenter --target "$LAB" --net -- "$@"
}

lab_is_there() {
	[ "$(readlink "/proc/$LAB/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}

# lab_bridge: lab0, where the controller is 198.51.100.1.
lab_bridge() {
	in_lab ip link add lab0 type bridge
	in_lab ip addr add 198.51.100.1/24 dev lab0
	in_lab ip link set lab0 up
}

# lab_cable PID: mgmt of the namespace that PID is in, plugged into lab0;
# lab_uncable pulls it.
lab_cable() {
	in_lab ip link add far type veth peer name mgmt \
		address 52:54:00:00:00:01
	in_lab ip link set far master lab0 up
	in_lab ip link set mgmt netns "$1"
}

lab_uncable() {
	in_lab ip link del far 2>/dev/null
}

# ns_overlay BOX: the overlay as enroll made it takes the place of ns_root's key
# and host file.
ns_overlay() {
	local member=$IRONRIG_HOME/boot/boxes/$1

	rm -f "$ROOT"/etc/ironrig/{key,known_hosts,host.cfg}
	ns_seal
	(cd "$ROOT" && cpio -idmu --quiet) <"$member.cpio"
	NS_WORDS[0]+=",overlay:$(cut -d' ' -f1 "$member.sha")"
}

# ns_in COMMAND...: in the box's namespaces and root.
ns_in() {
	nsenter --target "$(ns_init_pid)" --pid --mount --net --uts --root \
		--wd=/ -- "$@"
}
