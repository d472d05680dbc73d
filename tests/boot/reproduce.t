#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# reproduce.sh of results that a box brought home, run in a guest that has the
# workloads' programs, busybox and nothing of ironrig: the same stats come out
# of it. Within a factor of four, since the two guests are emulated one after
# the other on a machine that does other things.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/lib-boot.sh"
# shellcheck source=tests/boot/lib-bundle.sh
. "$(dirname "$0")/lib-bundle.sh"

command -v cpio >/dev/null || skip_all "no cpio"
boot_home
bundle apachebench netperf rt-tests
short apachebench-short
short netperf-rr "runtime 2s"
short hackbench "nr_groups 1" "loops 20"
jobs=(apachebench-short netperf-rr hackbench)
queue_jobs all vm1 lock1-short "${jobs[@]}"
enroll_box vm1 </dev/null
serve
user_net
start_box vm1
ok "the results come home" wait_for 200 has_results vm1 4
stop_box
ironrig collect >/dev/null || bail "collect"

# ---- a guest without the agent -----------------------------------------------

unpack() { # member...: into $T/root
	local f

	for f; do
		# the padding behind the frame is no LZ4: told, and harmless
		lz4 -dc "$f" 2>/dev/null | cpio -idu --quiet -D "$T/root"
	done
}
mkdir -p "$T/root/scripts"
unpack "$IRONRIG_HOME/boot/base.cpio" "$IRONRIG_HOME"/bundles/*.cpio
find "$T/root" -name 'ironrig-agent' -delete
rm -f "$T/root/init"
cat >"$T/root/init" <<-'SH'
	#!/bin/busybox sh
	/bin/busybox mkdir -p /bin /sbin /usr/bin /usr/sbin /proc /sys /dev /tmp
	/bin/busybox --install -s
	mount -t proc proc /proc
	mount -t sysfs sysfs /sys
	mount -t devtmpfs dev /dev
	ip link set lo up
	# a machine has an address: netperf resolves nothing without one
	ip addr add 192.0.2.1/32 dev lo
	for s in /scripts/*.sh; do
		name=$(basename "$s" .sh)
		printf "\nBEGIN %s\n" "$name" # behind what the firmware left
		sh "$s" 2>&1
		echo "END $name $?"
	done
	poweroff -f
SH
chmod +x "$T/root/init"
for job in "${jobs[@]}"; do
	result_file "$(result_of vm1 "$job")" reproduce.sh \
		>"$T/root/scripts/$job.sh"
done
nok "nothing of ironrig is left" \
	grep -rlq -e 'ironrig-agent --once' "$T/root/bin" "$T/root/sbin"
(cd "$T/root" && find . | cpio -o -H newc --quiet) | gzip -1 >"$T/initrd"

console=$(console plain)
: >"$console"
bg "$T/plain.qemu" timeout 200 qemu-system-x86_64 \
	-accel tcg,thread=multi -cpu max -m 512 -smp 2 -no-reboot \
	-machine pc,graphics=off -nodefaults -no-user-config -display none \
	-serial "file:$console" -device virtio-rng-pci \
	-kernel "$IRONRIG_HOME/kernels/v6.1/vmlinuz" -initrd "$T/initrd" \
	-append "console=ttyS0 quiet panic=-1"
ok "the guest runs them and ends" wait_for 190 ended "$BG_PID"

part() { # job: what its script said
	tr -d '\r' <"$console" | sed -n "/^BEGIN $1\$/,/^END $1 /p"
}

# same JOB EXTRACTOR STAT
same() {
	local ours theirs

	like "$(part "$1" | tail -n 1)" "^END $1 0\$" "$1: the script succeeds"
	ours=$(stat_of "$1" "$3")
	theirs=$(part "$1" | ironrig extract "$2" | sed -n "s/^$3: //p")
	awk -v a="${ours:-0}" -v b="${theirs:-0}" \
		'BEGIN { exit !(a > 0 && b > 0 && a / b < 4 && b / a < 4) }'
	tap_result $? "$1: $3 is the same" ||
		diag "the box: $ours, the script: $theirs" "$(part "$1")"
}
same apachebench-short apachebench apachebench.requests_per_second
same netperf-rr netperf netperf.Throughput_tps
same hackbench hackbench hackbench.throughput
done_testing
