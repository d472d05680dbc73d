#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make demo' shows a result, and interrupted it leaves no process behind.

# shellcheck source=tests/boot/lib-boot.sh
. "$(dirname "$0")/lib-boot.sh"

deb linux-image-cloud-amd64 >/dev/null || skip_all "no kernel package"
export IRONRIG_DEMO=$T/demo

out=$(timeout 600 "$TOP/initramfs/demo" 2>&1)
is $? 0 "the demo ends well" || diag "$out"
like "$out" "switched on" "it says what happens"
like "$out" "outcome +ok" "it shows a result"
like "$out" "scale.per_thread_ops" "with its number"
like "$out" "block [3-9]: 2 of 3 kept" "two kernels are compared, block by block"
# The size, not the verdict: three blocks on a busy machine may leave that open
# (tests/cli/ab.t has an experiment that must end in REGRESSION).
like "$out" "scale.per_process_ops [^ ]*[4-9][0-9]([.][0-9]+)?%" \
	"the one that checks its allocations is much slower"
unlike "$out" "IMPROVEMENT|EQUIVALENT" "and never called better, or the same"
like "$out" "To look further" "and how to look further"
cmd=$(sed -n 's/^ *\(lz4 -dc .*\.tar\.lz4\) .*/\1/p' <<<"$out" | head -n 1)
ok "the command that it prints works" sh -c "$cmd | tar t"

# Everything that it starts has its folder, or the port it listens on, in the
# command line: none of that may be left.
left() {
	grep -lsa "$T/demo" /proc/[0-9]*/cmdline | while read -r f; do
		pid=${f//[!0-9]/}
		[ "$pid" = $$ ] || ended "$pid" || tr '\0' ' ' <"$f"
	done
	[ -z "${port-}" ] || grep -lsa "127.0.0.1.$port" /proc/[0-9]*/cmdline
}
none_left() {
	[ -z "$(left)" ]
}
ok "nothing runs any more" wait_for 10 none_left

# once with a connection open, once while the firmware works
for signal in INT TERM; do
	case $signal in
	INT) stage="agent runs" ;;
	*) stage="switched on" ;;
	esac
	# a shell in the background has SIGINT ignored: env gives it back
	# a log of its own: the one before says the same stages
	log=$T/log.$signal
	bg "$log" env --default-signal=INT "$TOP/initramfs/demo"
	demo=$BG_PID
	wait_for 120 grep -q "$stage" "$log" || bail "$(cat "$log")"
	port=$(sed -n 's/^listening on .*:\([0-9]*\)$/\1/p' \
		"$T/demo/serve.log")
	isnt "$(left)" "" "SIG$signal: before it, processes run"
	kill -"$signal" "$demo"
	ok "SIG$signal ends it" wait_for 20 ended "$demo"
	wait "$demo"
	is $? 130 "with a status that says so"
	ok "and nothing runs any more" wait_for 10 none_left ||
		diag "$(left)"
done

done_testing
