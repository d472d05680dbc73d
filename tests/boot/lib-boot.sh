# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# Helpers for tests that boot a virtual box by PXE, to be sourced instead of
# ../lib.sh. QEMU with TCG: /dev/kvm may accept a VM and then hang it. The
# box's NIC is on QEMU's user network, which is restricted: the guest reaches
# QEMU's own DHCP and TFTP, and one port of one address, behind which the
# controller listens.

# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

DEBS=$TOP/build/debs
CONTROLLER=10.0.2.100:22 # as the guest sees it
export DEBS CONTROLLER
BOX_EXEC=()

command -v qemu-system-x86_64 >/dev/null || skip_all "no qemu-system-x86_64"
command -v busybox >/dev/null || skip_all "no busybox"
case $IRONRIG_BUILD in
*/san) skip_all "the sanitizers' agent is no static program" ;;
esac

# deb PACKAGE: downloads it once, prints the file's path.
deb() {
	"$TOP/initramfs/fetch-deb" "$DEBS" "$1" 2>"$T/fetch.log" ||
		{ cat "$T/fetch.log" >&2; return 1; }
}

# boot_home: a home with the base image and Debian's cloud kernel as v6.1.
# CONTROLLER_CFG may hold lines for its controller.cfg.
boot_home() {
	local kernel

	kernel=$(deb linux-image-cloud-amd64) || skip_all "no kernel package"
	new_home "$T/home"
	echo "${CONTROLLER_CFG:-}" >>"$T/home/conf/controller.cfg"
	ironrig image base >"$T/base.log" 2>&1 ||
		bail "image base: $(cat "$T/base.log")"
	ironrig kernel add v6.1 --deb "$kernel" >"$T/kernel.log" 2>&1 ||
		bail "kernel add: $(cat "$T/kernel.log")"
}

# mac BOX: the same address for the same name.
mac() {
	printf '52:54:00:%s' "$(printf %s "$1" | sha256sum |
		sed 's/^\(..\)\(..\)\(..\).*/\1:\2:\3/')"
}

# enroll_box BOX: its host file (extra lines on standard input) and all else.
enroll_box() {
	{
		cat <<-CFG
			box = "$1";
			group = "virtual";
			controller = "$CONTROLLER";
			user = "$(id -un)";
			kernel = "v6.1";
			net = { mac = "$(mac "$1")"; };
			console = "ttyS0,115200";
			memory = { results = "64M"; work = "64M"; tmp = "32M"; };
			idle = "2s";
			panic = "1s";
		CFG
		cat
	} >"$IRONRIG_HOME/conf/hosts/$1.cfg"
	ironrig enroll "$1" >"$T/enroll.log" 2>&1 ||
		bail "enroll $1: $(cat "$T/enroll.log")"
}

# queue_runs NAME BOX JOB COUNT [LINE...]: an experiment, as `queue' writes it.
queue_runs() {
	{
		cat <<-CFG
			kind = "queue";
			boxes = [ "$2" ];
			kernels = [ "v6.1" ];
			jobs = [ "$3" ];
			count = $4;
		CFG
		printf '%s\n' "${@:5}"
	} >"$IRONRIG_HOME/conf/experiments/$1.cfg"
}

console() { # box: the path of its console's text
	echo "$T/$1.console"
}

# start_box BOX [QEMU-ARGUMENT...]: its process is in BOX_PID. MEMORY (MiB), CPUS,
# BOX_EXEC (words before the command) and NIC_OPTION may be set before.
start_box() {
	local box=$1

	shift
	: >"$(console "$box")"
	bg "$T/$box.qemu" "${BOX_EXEC[@]}" timeout "${BOX_SECONDS:-240}" qemu-system-x86_64 \
		-accel tcg,thread=multi -cpu max \
		-m "${MEMORY:-512}" -smp "${CPUS:-2}" \
		-machine pc,graphics=off -nodefaults -no-user-config \
		-display none -serial "file:$(console "$box")" \
		-device virtio-rng-pci "${BOX_NET[@]}" \
		-device "virtio-net-pci,netdev=n0,mac=$(mac "$box")${NIC_OPTION:-}" \
		"$@"
	BOX_PID=$BG_PID
}

# For a host file: on a busy host the kernel's check of its timer may find none,
# and panics ("IO-APIC + timer doesn't work").
# shellcheck disable=SC2034 # the tests use it
SLOW_HOST='append = "no_timer_check";'

# pairs_job: a job that feels a kernel which checks its slabs.
pairs_job() {
	cat >"$IRONRIG_HOME/conf/jobs/pairs.cfg" <<'CFG'
testcase = "scale";
params = { nr_task = "1"; mode = "process"; test = "socketpair"; };
command = "ironrig-agent scale $test --mode $mode --tasks $nr_task --seconds 1";
iterations = 3;
time_limit = "30s";
primary = [ "scale.per_process_ops" ];
CFG
}

# ---- a machine with a power button ---------------------------------------------

# plug BOX: it is started again whenever it ends, until it is unplugged. Its
# consoles, one after the other, are in $T/BOX.consoles.
plug() {
	: >"$T/$1.plugged"
	bg "$T/$1.plug" plugged "$1"
	PLUG_PID=$BG_PID
	PLUGGED=$1
	# the machine is a child of that child: it has to be told
	trap 'unplug; lib_cleanup' EXIT
}

plugged() { # BOX
	trap - EXIT
	while [ -e "$T/$1.plugged" ]; do
		start_box "$1"
		echo "$BOX_PID" >"$T/$1.pid.new"
		mv "$T/$1.pid.new" "$T/$1.pid"
		wait "$BOX_PID"
		cat "$(console "$1")" >>"$T/$1.consoles"
	done
}

unplug() {
	[ -e "$T/$PLUGGED.plugged" ] || return 0
	rm -f "$T/$PLUGGED.plugged"
	[ ! -e "$T/$PLUGGED.pid" ] || stop "$(cat "$T/$PLUGGED.pid")"
	wait_for 20 ended "$PLUG_PID"
}

# power_button BOX FILE: writes a program that its host file may name as
# power.cycle; each press is a line in FILE.presses.
power_button() {
	cat >"$2" <<-S
		#!/bin/sh
		echo "\$IRONRIG_BOX" >>"$2.presses"
		kill \$(cat "$T/$1.pid")
	S
	chmod +x "$2"
}

# ---- without the firmware's way: quicker, and any initramfs can be tried -------

# in_script BOX SED-COMMAND: a piece of its iPXE script.
in_script() {
	local mac

	mac=$(mac "$1")
	sed -n "$2" "$IRONRIG_HOME/boot/mac-${mac//:/-}.ipxe"
}

# box_members BOX: the files of its image, in their order.
box_members() {
	in_script "$1" "s|^initrd --name [^ ]* \([^ ]*\).*|$IRONRIG_HOME/boot/\1|p"
}

# box_words BOX: the command line that the kernel gets.
box_words() {
	in_script "$1" 's/^kernel .* BOOTIF=[^ ]* \(.*\) || goto failed$/\1/p'
	mac "$1" | sed 's/:/-/g; s/^/BOOTIF=01-/'
}

# start_direct BOX INITRD WORDS [QEMU-ARGUMENT...]: its kernel, with words added.
start_direct() {
	start_box "$1" -initrd "$2" \
		-append "$(box_words "$1" | tr '\n' ' ') $3" -kernel "$(in_script \
			"$1" "s|^kernel --name vmlinuz \([^ ]*\).*|$IRONRIG_HOME/boot/\1|p")" \
		"${@:4}"
}

# user_net: the restricted user network, for start_box; needs SERVE_PORT.
user_net() {
	BOX_NET=(-netdev "user,id=n0,restrict=on,tftp=$IRONRIG_HOME/boot,bootfile=boot.ipxe,guestfwd=tcp:${CONTROLLER}-cmd:busybox nc 127.0.0.1 $SERVE_PORT")
}

stop_box() {
	stop "$BOX_PID"
}

says() { # box extended-regex
	grep -aqE "$2" "$(console "$1")"
}

# console_wait SECONDS BOX REGEX: until its console says so, or it ends.
console_wait() {
	wait_for "$1" says "$2" "$3"
}

# ok_console SECONDS BOX REGEX DESCRIPTION: shows the console's end if not.
ok_console() {
	console_wait "$1" "$2" "$3"
	tap_result $? "$4" ||
		diag "not on the console: $3" \
			"$(tail -n 25 "$(console "$2")" | tr -d '\r')"
}

# results BOX: the files that the controller has of it, one a line.
results() {
	find "$IRONRIG_HOME/incoming/$1" "$IRONRIG_HOME/store/$1" \
		-name '*.tar.lz4' 2>/dev/null
}

has_results() { # box count
	[ "$(results "$1" | wc -l)" -ge "$2" ]
}

# result_file FILE MEMBER: one file out of a result.
result_file() {
	lz4 -dc "$1" | tar -xO -f - "$2"
}
