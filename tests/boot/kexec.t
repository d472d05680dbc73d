#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From kernel to kernel without the firmware: two runs of one experiment by
# kexec, the second in a variant of the kernel that the first ran in.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/lib-boot.sh"

boot_home
ok "a variant" ironrig kernel add v6.1-variant --like v6.1 \
	--append "ironrig_test=variant"
enroll_box vm1 <<-CFG
	boot = "kexec";
CFG
queue_runs q1 vm1 lock1-short 1
queue_runs q2 vm1 lock1-short 1 'boot = "kexec";'
sed -i 's/kernels = .*/kernels = [ "v6.1-variant" ];/' \
	"$IRONRIG_HOME/conf/experiments/q2.cfg"

serve
user_net
MEMORY=1024
start_box vm1
ok_console 120 vm1 'ironrig: box vm1: ready' "booted by PXE"
ok_console 120 vm1 'next kernel: v6.1-variant:[0-9a-f]{64}, by kexec' \
	"told to go on by kexec"
ok "both results arrive" wait_for 180 has_results vm1 2
stop_box

for f in $(results vm1); do
	case $(result_file "$f" result.cfg) in
	*'kernel = "v6.1-variant"'*) second=$f ;;
	*) first=$f ;;
	esac
done
like "$(result_file "$first" result.cfg)" 'boot_mode = "firmware"' "the first"
cfg=$(result_file "$second" result.cfg)
like "$cfg" 'boot_mode = "kexec"' "the second came by kexec"
like "$cfg" 'prev_kernel = "6\.' "after which kernel"
like "$cfg" 'outcome = "ok"' "outcome"
line=$(result_file "$second" meta/cmdline)
like "$line" 'ironrig_test=variant' "with its own command line"
like "$line" 'ironrig.boot=kexec' "that says how"
isnt "$(result_file "$first" result.cfg | sed -n 's/^boot_id = //p')" \
	"$(echo "$cfg" | sed -n 's/^boot_id = //p')" "a boot of its own"
done_testing
