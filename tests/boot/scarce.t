#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck source=tests/boot/lib-boot.sh disable=SC2016 # the box's shell
# Jobs that take all there is, on a real kernel with all controllers: a fork
# bomb and a hog inside their limits, a hog without any, which takes the whole
# box's memory; one that sets the clock. The agent outlives each, and the result
# says what it was.

. "$(dirname "$0")/lib-boot.sh"

boot_home
job() { # NAME LINE...
	printf '%s\n' "testcase = \"$1\";" 'iterations = 1;' \
		'time_limit = "60s";' "${@:2}" >"$IRONRIG_HOME/conf/jobs/$1.cfg"
	queue_runs "$1" vm1 "$1" 1 'attempts = 1;'
}
job bomb 'limit = { pids = 64; };' \
	'command = "b() { b | b & b; }; b 2>/dev/null; true";'
job hog 'limit = { memory = "32M"; };' 'command = "tail </dev/zero";'
job greedy 'command = "tail </dev/zero";'
job clock 'iterations = 3;' \
	'command = "date -s @$(($(date +%s) - 86400 * 3)); sleep 1; date -s @$(($(date +%s) + 86400 * 30))";'
sed -i '/iterations = 1/d' "$IRONRIG_HOME/conf/jobs/clock.cfg"
job behind 'command = "echo well";'
enroll_box vm1 </dev/null
serve
user_net
box_members vm1 | xargs cat >"$T/vm1.initrd"
BOX_SECONDS=500 start_direct vm1 "$T/vm1.initrd" "ignore_loglevel"

got() { # JOB: its result, the last of it
	local f

	for f in $(results vm1); do
		result_file "$f" result.cfg >"$T/cfg"
		grep -q "job = \"$1\"" "$T/cfg" && cp "$T/cfg" "$T/$1.got" &&
			GOT=$f && return
	done
	return 1
}
# wants JOB OUTCOME REASON DESCRIPTION
wants() {
	local cfg

	wait_for 240 got "$1" || diag "$(tail -n 20 "$(console vm1)")"
	cfg=$(cat "$T/$1.got" 2>/dev/null)
	like "$cfg" "outcome = \"$2\"" "$4"
	like "$cfg" "$3" "and the result says why"
}

wants bomb 'failed' 'reason = "[^"]*over its limit of 64 processes: [0-9]+ forks refused' \
	"a fork bomb is held by pids.max"
wants hog 'failed' 'reason = "[^"]*over its memory limit of 32 MiB: [0-9]+ killed by the kernel' \
	"a hog is held by memory.max"
wants greedy 'failed' 'reason = "[^"]*the box ran out of memory: [0-9]+ killed by the kernel' \
	"the whole box runs out of memory"
like "$(ironrig collect >/dev/null 2>&1; ironrig ls --job greedy --json)" greedy \
	"which is a run like others"
got greedy
like "$(result_file "$GOT" meta/dmesg)" 'Out of memory: Killed process [0-9]+ \((tail|busybox|sh)\)' \
	"the kernel took the hog, not the agent"
wants clock 'ok' 'iterations' "a job that sets the clock"
time_of() { # KEY
	sed -n "s/^$1 = \([0-9]*\).*/\1/p" "$T/clock.got"
}
length=$(($(time_of end_s) - $(time_of start_s)))
ok "its run has a length all the same: $length s" \
	[ $length -ge 3 -a $length -le 120 ]
wants behind 'ok' 'iterations' "and the job behind them is well"
is "$(grep -ac 'Kernel panic' "$(console vm1)")" 0 "no boot ended in a panic"
stop_box
done_testing
