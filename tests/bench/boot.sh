#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the agent adds to a boot: from the kernel's start to its "ready" (modules
# loaded, the network up with its address, the controller about to be asked)
# and to the controller's answer (connected, key and host key checked, hello
# answered), beside a static init process that does nothing, on the same kernel
# with the same initramfs. By the guest's clock; boots alternate, the figures
# are medians of REPS and of the differences of the pairs. Wanted: "ready" at
# most 0.3 s after the other. On a machine with other work all of them grow
# together; the difference for each second of the idle boot does so less. The
# address is a static one, so that no DHCP server is waited for. The machine is
# q35: with i440fx the emulated ACPI routes each device's interrupt in 0.1 s,
# which no server does.
# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/../boot/lib-boot.sh"
: "${REPS:=11}"

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

seconds() { # regex: of the line "..., N s after"
	sed -nE "s/.*$1, ([0-9.]+) s after.*/\1/p" "$(console vm1)"
}
boot() { # line to wait for, words...
	start_direct vm1 "$T/initrd" "$2" -machine q35,graphics=off
	console_wait 60 vm1 "$1" || bail "$(tail -n 20 "$(console vm1)")"
	stop_box
}
for _ in $(seq "$REPS"); do
	boot 'controller .* answers, ' ""
	pair="$(seconds 'box vm1: ready') $(seconds 'controller .* answers')"
	boot 'idle: ready, ' rdinit=/idle
	echo "$pair $(seconds 'idle: ready')"
done >"$T/pairs"
median() { # awk's expression of a pair: $1 ready, $2 answered, $3 idle
	awk "{ print $1 }" "$T/pairs" | sort -n |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
row() { # what, column, what is wanted
	printf '%-34s %8.3f s %8.3f s  difference %.3f s, %.3f for each s%s\n' \
		"$1" "$(median "\$$2")" "$(median "\$3")" \
		"$(median "\$$2 - \$3")" "$(median "(\$$2 - \$3) / \$3")" "$3"
}
printf '%-34s %10s %10s\n' "" agent idle
row 'boot to "ready"' 1 ' (wanted <= 0.300 s)'
row "to the controller's answer" 2 ''
