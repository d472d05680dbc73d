#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From the kernel's start to the agent's "ready" beside a static init process
# that does nothing, on the same kernel with the same initramfs; by the guest's
# clock, medians of REPS, interleaved. Wanted: at most 0.3 s between them. The
# address is a static one, so that no DHCP server is waited for. The machine is
# q35: with i440fx the emulated ACPI routes each device's interrupt in 0.1 s,
# which no server does.
# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/../boot/lib-boot.sh"
: "${REPS:=5}"

boot_home
enroll_box vm1 </dev/null
sed -i 's|^net = .*|net = { address = "10.0.2.15/24"; mac = "'"$(mac vm1)"'"; };|' \
	"$IRONRIG_HOME/conf/hosts/vm1.cfg"
ironrig enroll vm1 >/dev/null || bail "enroll"
cc -O2 -static -o "$T/idle" "$(dirname "$0")/idle_init.c" || bail "no idle init"
(cd "$T" && echo idle | cpio --quiet -o -H newc >idle.cpio)
{ box_members vm1; echo "$T/idle.cpio"; } | xargs cat >"$T/initrd"
serve
user_net

seconds() { # regex: of the line "...ready, N s after"
	sed -nE "s/.*$1: ready, ([0-9.]+) s after.*/\1/p" "$(console vm1)"
}
boot() { # line to wait for, words...
	start_direct vm1 "$T/initrd" "$2" -machine q35,graphics=off
	console_wait 60 vm1 "$1" || bail "$(tail -n 20 "$(console vm1)")"
	stop_box
}
median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

for _ in $(seq "$REPS"); do
	boot 'controller .* answers' ""
	seconds 'box vm1' >>"$T/ours"
	boot 'idle: ready, ' rdinit=/idle
	seconds idle >>"$T/theirs"
done
awk -v a="$(median <"$T/ours")" -v b="$(median <"$T/theirs")" 'BEGIN {
	printf "%-34s %8.3f s %8.3f s  difference %.3f s (wanted <= 0.300)\n",
		"boot to \"ready\", beside doing nothing", a, b, a - b }'
