#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A job that makes the kernel panic: the box reboots by panic=, the attempt is
# counted, the next boot tries again, and after the limit the slot is given up
# as lost. What was queued behind it still runs.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/lib-boot.sh"

boot_home
cat >"$IRONRIG_HOME/conf/jobs/panics.cfg" <<-'CFG'
	testcase = "panics";
	command = "echo c >/proc/sysrq-trigger; sleep 30";
	iterations = 1;
CFG
enroll_box vm1 </dev/null
queue_runs q1 vm1 panics 1 'attempts = 2;'
queue_runs q2 vm1 lock1-short 1
serve
user_net
BOX_SECONDS=400 start_box vm1

cfg_of() { # job: the result.cfg of each of its results
	local f

	for f in $(results vm1); do
		result_file "$f" result.cfg | grep -q "job = \"$1\"" &&
			result_file "$f" result.cfg
	done
}
ran() {
	[ "$(cfg_of lock1-short)" ]
}
ok_console 150 vm1 'Kernel panic.*sysrq' "the kernel panics in the run"
ok "the job behind it runs in the end" wait_for 300 ran ||
	diag "$(tail -n 5 "$(console vm1)")"
stop_box
is "$(grep -ac 'Kernel panic' "$(console vm1)")" 2 "two attempts were made"
is "$(grep -ac 'job panics, attempt 1' "$(console vm1)")" 1 "the first"
is "$(grep -ac 'job panics, attempt 2' "$(console vm1)")" 1 "and the second"
panics=$(cfg_of panics)
like "$panics" 'outcome = "(lost|crashed)"' "both are known as such"
unlike "$panics" 'outcome = "ok"' "and none as well"
is "$(grep -c 'outcome = ' <<<"$panics")" 2 "each lost run is a result"
like "$(cfg_of lock1-short)" 'outcome = "ok"' "the other job is well"
ironrig collect >"$T/collect.log" 2>&1 || diag "$(cat "$T/collect.log")"
like "$(ironrig ls --job panics | tail -n 1)" "lost|crashed" \
	"\`ironrig ls' shows it"

done_testing
