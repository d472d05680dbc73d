#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From kernel to kernel: from the answer that sends the box off to the next
# "hello", by kexec and by a reboot through PXE; medians of REPS boots each,
# by the lease log's clock, in seconds. On an emulated machine kexec saves
# nothing: its own work (a SHA-256 over the image, before paging) is emulated,
# too, and SeaBIOS with iPXE takes three seconds where a server's firmware
# takes minutes.
# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/../boot/lib-boot.sh"
: "${REPS:=5}"

boot_home
ironrig kernel add again --like v6.1 --append again >/dev/null ||
	bail "kernel add"
enroll_box vm1 <<-CFG
	boot = "kexec";
	boot_deadline = "300s";
	$SLOW_HOST
	power = { cycle = "$T/cycle"; };
CFG
power_button vm1 "$T/cycle"
cat >"$IRONRIG_HOME/conf/jobs/nothing.cfg" <<'CFG'
testcase = "nothing";
command = "true";
iterations = 1;
time_limit = "10s";
CFG
serve
user_net
MEMORY=1024
BOX_SECONDS=1200
plug vm1

# cycles MODE: REPS boots of it, without the first
cycles() {
	timeout 1000 "$BIN/ironrig" ab v6.1 again --box vm1 --job nothing \
		--boot "$1" --blocks $(((REPS + 1) / 2)) --name "$1" --wait \
		>"$T/$1.log" 2>&1
	awk -v mode="$1" '
		$1 == "want" { at = $9 == mode ? $10 : 0 }
		$1 == "boot" && at { if (n++) print $5 - at; at = 0 }' \
		"$IRONRIG_HOME/store/vm1/leases"
}
median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] + 0 }'
}

cycles firmware >"$T/firmware"
cycles kexec >"$T/kexec"
[ -s "$T/firmware" ] && [ -s "$T/kexec" ] ||
	bail "no boots: $(tail -n 5 "$T/firmware.log" "$T/kexec.log")"
awk -v a="$(median <"$T/kexec")" -v b="$(median <"$T/firmware")" \
	-v n="$(wc -l <"$T/kexec") and $(wc -l <"$T/firmware")" 'BEGIN {
	printf "%-34s %8.0f s %8.0f s  ratio %.2f (%s boots)\n",
		"kernel to kernel: kexec, PXE", a, b, a / b, n }'
