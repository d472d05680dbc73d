#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The hardware watchdog: a PID 1 that stands still is reset, one that runs is
# not. Then what a kernel that panics leaves in ramoops for the next boot.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/lib-boot.sh"

boot_home
# The cloud kernel has no watchdog drivers; the server kernel boots in QEMU, too.
full=$(deb linux-image-amd64) || skip_all "no kernel package"
ok "the server kernel" ironrig kernel add full --deb "$full"

boots() { # box: how often the agent came up
	grep -ac 'ironrig: agent' "$(console "$1")"
}
booted() { # box count
	[ "$(boots "$1")" -ge "$2" ]
}

serve
user_net

# ---- it stands still -----------------------------------------------------------

enroll_box vm1 <<-CFG
	watchdog = { timeout = "5s"; require = true; };
CFG
sed -i 's/kernel = .*/kernel = "full"; append = "ironrig.hang=network";/' \
	"$IRONRIG_HOME/conf/hosts/vm1.cfg"
ok "its command line" ironrig enroll vm1
start_box vm1 -device i6300esb
ok_console 120 vm1 'hanging in phase "network"' "PID 1 stands still"
ok "the hardware resets the box" wait_for 60 booted vm1 2
stop_box

# ---- it runs --------------------------------------------------------------------

cat >"$IRONRIG_HOME/conf/jobs/longer.cfg" <<-CFG
	testcase = "longer";
	command = "sleep 12";
	iterations = 1;
	time_limit = "60s";
CFG
sed -i 's/append = .*//' "$IRONRIG_HOME/conf/hosts/vm1.cfg"
ok "without the hang" ironrig enroll vm1
queue_runs q1 vm1 longer 1
sed -i 's/kernels = .*/kernels = [ "full" ];/' \
	"$IRONRIG_HOME/conf/experiments/q1.cfg"
start_box vm1 -device i6300esb
ok "a job longer than two time-outs ends well" wait_for 150 has_results vm1 1
is "$(boots vm1)" 1 "in one boot: the watchdog was fed"
stop_box

# ---- a kexec that hangs ---------------------------------------------------------

ok "a kernel that stands still" ironrig kernel add full-hangs --like full \
	--append "panic=0 rdinit=/none init=/none"
enroll_box vm3 <<-CFG
	watchdog = { timeout = "10s"; require = true; };
	append = "ironrig.gap=25";
CFG
sed -i 's/kernel = .*/kernel = "full";/' "$IRONRIG_HOME/conf/hosts/vm3.cfg"
ok "a box for it" ironrig enroll vm3
queue_runs q4 vm3 lock1-short 1 'attempts = 1;' 'boot = "kexec";'
sed -i 's/kernels = .*/kernels = [ "full-hangs" ];/' \
	"$IRONRIG_HOME/conf/experiments/q4.cfg"
box_members vm3 | xargs cat >"$T/vm3.initrd"
MEMORY=1024 start_direct vm3 "$T/vm3.initrd" "" -device i6300esb
ok_console 120 vm3 'Command line: .*rdinit=/none' \
	"the next kernel starts, no agent does"
ok "the watchdog of the boot before resets the box" wait_for 90 booted vm3 2
ok "the run is lost" wait_for 90 has_results vm3 1
ok "and given up: no loop" wait_for 30 grep -q ' idle' \
	"$IRONRIG_HOME/store/vm3/state"
stop_box

# ---- a panic --------------------------------------------------------------------

# 1 MiB in the middle: iPXE loads to the end of the memory, the kernel to its
# beginning, and neither clears the rest.
cat >"$IRONRIG_HOME/conf/jobs/panic.cfg" <<-CFG
	testcase = "panic";
	command = "echo c >/proc/sysrq-trigger; sleep 30";
	iterations = 1;
	time_limit = "60s";
CFG
enroll_box vm2 <<-CFG
	modules = [ "ramoops" ];
	append = "memmap=1M\$0x10000000 ramoops.mem_address=0x10000000 ramoops.mem_size=0x100000 ramoops.record_size=0x20000";
CFG
queue_runs q2 vm2 panic 1 'attempts = 1;'
queue_runs q3 vm2 lock1-short 1
start_box vm2
ok_console 150 vm2 'box vm2: lease [0-9a-f]+: job panic' "the job is started"
ok_console 120 vm2 'the boot before crashed: Kernel panic' \
	"the next boot finds why"
# the first is what the controller wrote for the lost run
ok "and goes on with the next job" wait_for 120 has_results vm2 2
lease=$(sed -n 's/.* crashed \([0-9a-f]\{32\}\) .*/\1/p' \
	"$IRONRIG_HOME/store/vm2/state")
panicked=$(sed -n 's/.* run \([0-9a-f]\{32\}\) panic$/\1/p' \
	"$IRONRIG_HOME/store/vm2/state")
is "$lease" "${panicked:-none}" "the controller is told whose run it was"
stop_box
crash=
for f in $(results vm2); do
	case $(lz4 -dc "$f" | tar -t) in
	*meta/crash/*) crash=$f ;;
	esac
done
ok "its text is in a result" [ -n "$crash" ]
like "$(lz4 -dc "$crash" | tar -xO --wildcards 'meta/crash/*' | tr -d '\0')" \
	'sysrq triggered crash' "with the panic's own words"
done_testing
