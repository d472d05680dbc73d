#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck source=tests/boot/lib-boot.sh disable=SC2016 # the box's shell
# Kernels that really fail, by a module of our own (provoke): warnings and oopses
# that the kernel survives are rows of the run; a soft lockup and a hung task
# panic it where the host file says so, and the boot after tells whose run that
# was, with the kernel's own words.

. "$(dirname "$0")/lib-boot.sh"

boot_home
module=$("$TOP/tests/boot/build-module" "$TOP/tests/boot/provoke" "$DEBS" \
	"$TOP/build/provoke" 2>"$T/module.log") ||
	skip_all "no module: $(tail -n 1 "$T/module.log")"
dpkg-deb -x "$(deb linux-image-cloud-amd64)" "$T/k"
release=$(basename "$T"/k/lib/modules/*)
mkdir "$T/k/lib/modules/$release/extra"
cp "$module" "$T/k/lib/modules/$release/extra/"
ok "a kernel that can be told to fail" ironrig kernel add failing \
	--vmlinuz "$T/k/boot/vmlinuz-$release" --modules "$T/k" \
	--config "$T/k/boot/config-$release" --module provoke

N=0
job() { # NAME COMMAND: they run in this order
	N=$((N + 1))
	cat >"$IRONRIG_HOME/conf/jobs/$1.cfg" <<-CFG
		testcase = "$1";
		iterations = 1;
		time_limit = "100s";
		command = "$2";
	CFG
	queue_runs "q$N" vm1 "$1" 1 'attempts = 1;'
	sed -i 's/kernels = .*/kernels = [ "failing" ];/' \
		"$IRONRIG_HOME/conf/experiments/q$N.cfg"
}
job oopses 'for k in warning null bug; do (echo $k >/proc/provoke) & wait $! || true; done'
# two CPUs: one is stuck, the other tells; RCU complains before the watchdog,
# which waits anew after that, and well before RCU does it again
job lockup 'echo 2 >/proc/sys/kernel/watchdog_thresh; (echo lockup >/proc/provoke) & sleep 90'
job between 'echo well' # brings home what the lockup left in pstore
job hung 'echo 4 >/proc/sys/kernel/hung_task_timeout_secs; (echo hung >/proc/provoke) & sleep 90'
job behind 'echo well'
# 1 MiB in the middle: nobody clears it on the way from boot to boot
enroll_box vm1 <<-CFG
	modules = [ "ramoops", "provoke" ];
	softlockup_panic = true;
	hung_task_panic = true;
	append = "ignore_loglevel rcupdate.rcu_cpu_stall_timeout=3 memmap=1M\$0x10000000 ramoops.mem_address=0x10000000 ramoops.mem_size=0x100000 ramoops.record_size=0x20000";
CFG
sed -i 's/kernel = .*/kernel = "failing";/' "$IRONRIG_HOME/conf/hosts/vm1.cfg"
ok "its command line" ironrig enroll vm1
serve
user_net
BOX_SECONDS=580 start_box vm1

# run_of JOB: its result.cfg in $T/JOB.got
run_of() {
	local f

	for f in $(results vm1); do
		result_file "$f" result.cfg >"$T/cfg"
		grep -q "job = \"$1\"" "$T/cfg" && cp "$T/cfg" "$T/$1.got" &&
			return
	done
	return 1
}
finds() { # SECONDS JOB
	ok "a result of $2" wait_for "$1" run_of "$2" ||
		diag "$(tail -n 20 "$(console vm1)")"
}
finds 200 oopses
like "$(cat "$T/oopses.got")" 'outcome = "ok"' "an oops in a job is no end of it"
ironrig collect >/dev/null 2>&1
stats=$(ironrig show --json \
	"$(sed -n 's/^lease = "\(.*\)";.*/\1/p' "$T/oopses.got")" 2>&1)
like "$stats" 'dmesg\.WARNING:at_[^"]*provoke\.c:#provoke_warning' \
	"its warning is a row"
like "$stats" 'dmesg\.BUG:_kernel_NULL_pointer_dereference' "so is the oops"
like "$stats" 'dmesg\.RIP:provoke_null' "and where it was"
like "$stats" 'dmesg\.kernel_BUG_at_[^"]*provoke\.c:#' "and a BUG"

# died_of JOB REGEX DESCRIPTION: the boot after knows
died_of() {
	ok_console 200 vm1 "the boot before crashed: Kernel panic.*$2" "$3"
	finds 60 "$1"
	like "$(cat "$T/$1.got")" 'outcome = "(lost|crashed)"' \
		"its run has no other outcome"
}
died_of lockup 'softlockup' "a soft lockup panics, as the host file says"
died_of hung 'hung_task' "and so does a hung task"
finds 120 behind
stop_box
said=$(for f in $(results vm1); do
	lz4 -dc "$f" | tar -xO --wildcards 'meta/crash/*' 2>/dev/null
done | tr -d '\0')
like "$said" 'soft lockup - CPU#[0-9]+ stuck' "the lockup's own words are kept"
like "$said" 'RIP: 0010:provoke_lockup' "with where it was"
like "$said" 'rcu: INFO: rcu_[a-z]+ (self-)?detected' "and RCU's, before it"
like "$said" 'INFO: task [^ ]+ blocked for more than 4 seconds' "the hung task's"
like "$said" 'provoke_write' "with where it was"
done_testing
